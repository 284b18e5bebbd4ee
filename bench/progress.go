package bench

// progressEvery is the least time between reports, in ns. Blocks may take
// longer.
const progressEvery = 50e6

func (s *sampling) due() bool { return s.now()-s.shown >= progressEvery }

// progress tells the sink about ten times a second.
func (s *sampling) progress(warmUp bool) {
	if !s.due() {
		return
	}
	s.shown = s.now()
	b := s.cell.Bench
	p := Progress{
		Cell: s.index, Cells: len(s.plan.Cells), Bench: b.Name, Size: s.cell.Size,
		WarmUp: warmUp, N: s.bins.n(), Metric: s.metric(), Elapsed: s.elapsed(),
		Median: s.sample * b.Scale / float64(s.batch),
	}
	s.sink.Progress(p)
}
