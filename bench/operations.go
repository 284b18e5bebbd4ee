package bench

// Operations of all ranks, collectives, have two times (rule 10): global, from the
// first rank in to the last rank out on the common clock, and local, the longest
// that any rank was in. Every rank reads the clock before and after each sample,
// so its stamps are pairs. A begin below zero marks a sample for which this rank
// came too late.

// operations runs lead events, then samples of batch events each behind the gate.
//
// This is the timed region: nothing here allocates, locks or logs.
func (t *timed) operations(op Op, g *gate, skew Skew, samples, batch, lead int) error {
	if lead > 0 {
		if err := op.Do(lead); err != nil {
			return err
		}
	}
	now, rank, ranks := t.now, g.ch.Rank(), g.ch.Size()
	for i := range samples {
		inTime, err := g.pass()
		if err != nil {
			return err
		}
		t.event++
		if d := skew.delay(rank, ranks, t.event); d > 0 {
			for until := now() + d; now() < until; {
			}
		}
		pair := (*[2]int64)(t.stamps[2*i:])
		if g.start == StartNone && i > 0 {
			pair[0] = t.stamps[2*i-1]
		} else {
			pair[0] = now()
		}
		if err := op.Do(batch); err != nil {
			return err
		}
		pair[1] = now()
		if !inTime {
			pair[0] = -pair[0]
		}
	}
	return nil
}

// spans collects what the ranks say about the samples of a block.
type spans struct {
	follow bool // samples follow each other without a gate: StartNone
	first  []int64
	last   []int64
	long   []int64 // the longest time of a rank
	short  []int64
	late   []bool
	begun  []int64 // when the last rank began
}

// reset begins a block of so many samples.
func (s *spans) reset(samples int) {
	s.first = append(s.first[:0], make([]int64, samples)...)
	s.last = append(s.last[:0], s.first...)
	s.long = append(s.long[:0], s.first...)
	s.short = append(s.short[:0], s.first...)
	s.begun = append(s.begun[:0], s.first...)
	s.late = append(s.late[:0], make([]bool, samples)...)
}

// add takes in the stamps of a rank. It reports whether they are as many as they
// should be.
func (s *spans) add(stamps []int64, fresh bool) bool {
	if len(stamps) != 2*len(s.first) {
		return false
	}
	for i := range s.first {
		begin, end := stamps[2*i], stamps[2*i+1]
		if begin < 0 {
			begin, s.late[i] = -begin, true
		}
		if fresh {
			s.first[i], s.last[i], s.long[i], s.short[i], s.begun[i] = begin, end, end-begin, end-begin, begin
			continue
		}
		s.first[i] = min(s.first[i], begin)
		s.begun[i] = max(s.begun[i], begin)
		s.last[i] = max(s.last[i], end)
		s.long[i] = max(s.long[i], end-begin)
		s.short[i] = min(s.short[i], end-begin)
	}
	return true
}

// times writes the global times of valid samples, their local times, the
// differences among the ranks and their starts into m. It returns how many were not valid.
func (s *spans) times(m *merger) (invalid int) {
	m.times, m.local, m.skew, m.starts = m.times[:0], m.local[:0], m.skew[:0], m.starts[:0]
	for i := range s.first {
		if s.late[i] {
			invalid++
			continue
		}
		global := s.last[i] - s.first[i]
		switch {
		case s.follow && i == 0:
			global = s.last[i] - s.begun[i]
		case s.follow:
			global = s.last[i] - s.last[i-1]
		}
		if global <= 0 {
			invalid++ // the clocks differ by more than the event takes
			continue
		}
		m.times = append(m.times, global)
		m.local = append(m.local, s.long[i])
		m.skew = append(m.skew, s.long[i]-s.short[i])
		m.starts = append(m.starts, s.first[i])
	}
	return invalid
}
