package sweep

import (
	"fmt"
	"strings"

	"gobench/bench/record"
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

// note adds the points of a launch. The samples of a cell in all states of the cores count, because
// other programs split theirs as well. Ranks of other programs are processes: goroutines have cells
// of their own.
func (s *samplings) note(points []record.Point) {
	for i := range points {
		p := &points[i]
		n := int64(p.Metrics[record.TimeKey(p.Metrics)].N)
		if p.Library != "" || p.RankKind == "goroutine" || n < 1 {
			continue
		}
		cell := sampled{p.Bench, p.Transport, p.Ranks, p.Size}
		how := sampling{int(n) * max(1, p.Window), max(1, p.Batched)}
		if s.runs[cell] == p.Run {
			how.samples += s.cells[cell].samples
		}
		s.runs[cell], s.cells[cell] = p.Run, how
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
