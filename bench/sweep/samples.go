package sweep

import (
	"fmt"
	"strings"

	"gobench/bench/record"
)

// sampling is the number of samples of a cell (of a stream, of messages), and of operations between
// two readings of the clock.
// Both sides of a comparison use the same, because the median depends on them.
type sampling struct{ samples, batch int }

// unmeasured is used for cells that gobench has not measured.
var unmeasured = sampling{1000, 1}

// sampled identifies a cell whose sampling is known.
type sampled struct {
	bench, transport string
	ranks            int
	size             int64
}

// samplings holds how gobench sampled its last launch of each cell.
type samplings struct {
	cells map[sampled]sampling
	runs  map[sampled]string // of the launch
}

func newSamplings() *samplings {
	return &samplings{map[sampled]sampling{}, map[sampled]string{}}
}

// note adds the points of a launch. Where the cores changed their state, a cell has a point for
// each state: the one with most samples counts.
func (s *samplings) note(points []record.Point) {
	for i := range points {
		p := &points[i]
		n := int64(p.Metrics[record.TimeKey(p.Metrics)].N)
		if p.Library != "" || n < 1 {
			continue
		}
		cell := sampled{p.Bench, p.Transport, p.Ranks, p.Size}
		if s.runs[cell] == p.Run && int(n)*max(1, p.Window) < s.cells[cell].samples {
			continue
		}
		s.runs[cell], s.cells[cell] = p.Run, sampling{int(n) * max(1, p.Window), max(1, p.Batched)}
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
