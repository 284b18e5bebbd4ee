package sweep

import (
	"fmt"
	"strings"

	"gobench/record"
)

// sampling holds the number of samples of a cell (of messages, for a window) and the number of
// operations between two readings of the clock. Both programs of a comparison use the same numbers,
// because the median depends on them.
type sampling struct{ samples, batch int }

// unmeasured is the sampling of cells that gobench has not measured.
var unmeasured = sampling{1000, 1}

// sampled identifies a cell whose sampling is known.
type sampled struct {
	bench, transport string
	ranks            int
	size             int64
}

// samplings holds the sampling of the last launch of each cell by gobench.
type samplings struct {
	cells map[sampled]sampling
	runs  map[sampled]string // ID of the run of that launch
}

func newSamplings() *samplings {
	return &samplings{map[sampled]sampling{}, map[sampled]string{}}
}

// add adds the points of a launch. The samples in several states of the cores are added: a rival
// takes as many in any state. Ranks of other programs are processes: goroutines have cells of their
// own.
func (s *samplings) add(points []record.Point) {
	taken := map[string]int{} // by run and cell
	for i := range points {
		p := &points[i]
		n := int64(p.Metrics.Get(record.TimeKey(p.Metrics)).N)
		if p.Library != "" || p.RankKind == "goroutine" || n < 1 {
			continue
		}
		id := p.Run + "\x00" + p.CellKey()
		taken[id] += int(n) * max(1, p.Window)
		cell := sampled{p.Bench, p.Transport, p.Ranks, p.Size}
		if s.runs[cell] == p.Run && taken[id] < s.cells[cell].samples {
			continue // another algorithm or level had more
		}
		s.runs[cell], s.cells[cell] = p.Run, sampling{taken[id], max(1, p.Batched)}
	}
}

func (s *samplings) of(cell sampled) sampling {
	if known, ok := s.cells[cell]; ok {
		return known
	}
	return unmeasured
}

// plan returns the value of {plan}: BENCH:SIZE:SAMPLES:BATCH of all cells of a foreign program,
// separated by commas. A barrier has no size.
func (s *samplings) plan(f *foreign) (plan string, first sampling) {
	var words []string
	for _, bench := range f.bench {
		sizes := f.sizes
		if len(sizes) == 0 || strings.HasSuffix(bench, "barrier") {
			sizes = []int64{0}
		}
		for _, size := range sizes {
			how := s.of(sampled{bench, f.transport, f.ranks, size})
			if len(words) == 0 {
				first = how
			}
			words = append(words, fmt.Sprintf("%s:%d:%d:%d", bench, size, how.samples, how.batch))
		}
	}
	if len(words) == 0 {
		first = unmeasured
	}
	return strings.Join(words, ","), first
}
