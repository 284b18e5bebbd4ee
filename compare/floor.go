package compare

import (
	"math"
	"slices"
	"sync"
	"time"

	"gobench/internal/bench/state"
	"gobench/internal/record/series"
	"gobench/record"
	"gobench/stats"
)

// A Floor estimates by how much the results of one program on one machine differ between sessions.
// It uses records such as those of gobench sweep --aa, ideally from several days. Launches without
// a long pause between them are one session. Each session is divided into stretches with as many
// launches as a side of the comparison. A stretch is compared with one of the next session. If
// there is only one session, it is compared with the next stretch.
type Floor struct {
	cells   [][][]launch // sessions of each cell, in one state of the cores and the order of time
	machine facts
	span    time.Duration // from the first launch to the last

	mu    sync.Mutex
	known map[float64]float64 // results of widening by number of launches
}

// minLaunches is the minimum length of a stretch, minPairs the minimum number of comparisons of
// a floor, and floorLevel the level of their intervals.
const (
	minLaunches = 4
	minPairs    = 4
	floorLevel  = 0.9
)

// pause is the minimum pause between sessions, in median pauses between launches.
const pause = 10

// NewFloor computes the noise floor from records of one machine and program.
func NewFloor(file *record.File) *Floor {
	c := newCollection(Options{By: byFile})
	c.addRuns(file)
	f := &Floor{machine: facts{}, known: map[float64]float64{}}
	for i := range file.Runs {
		f.machine.join(c.runs[file.Runs[i].ID].machine())
	}
	for _, points := range c.ofCells(file) {
		metric, points, _ := c.metric(points, nil)
		if points == nil {
			continue
		}
		if list := launchesOf(points, metric.Key); len(list) >= 2*minLaunches {
			f.cells = append(f.cells, sessions(list))
			f.span = max(f.span, list[len(list)-1].time.Sub(list[0].time))
		}
	}
	return f
}

// ofCells returns the points of each cell of a file of one side, in the state of the cores with
// most launches.
func (c *collection) ofCells(file *record.File) (list [][]*record.Point) {
	for _, cell := range series.Cells(file.Runs, file.Points, &c.scales) {
		var longest []*record.Point
		for in, points := range cell.States {
			if state.State(in).Pair() != state.Changing && len(points) > len(longest) {
				longest = points
			}
		}
		list = append(list, longest)
	}
	return list
}

// Cells returns the number of cells with enough launches.
func (f *Floor) Cells() int { return len(f.cells) }

// Compares reports whether the floor has two stretches of launches to compare.
func (f *Floor) Compares() bool { return f.widening(minLaunches) > 0 }

// Differences returns for each cell the difference between the first and the second half of its
// launches in time, ascending.
func (f *Floor) Differences() []float64 {
	var list []float64
	for _, cell := range f.cells {
		all := slices.Concat(cell...)
		half := len(all) / 2
		r, _ := shiftOf(all[:half], all[half:]).Ratio(stats.Level)
		list = append(list, math.Expm1(math.Abs(math.Log(r.Median))))
	}
	slices.Sort(list)
	return list
}

// sessions splits launches, which are in the order of time, at long pauses.
func sessions(list []launch) (parts [][]launch) {
	var pauses []float64
	for i := 1; i < len(list); i++ {
		pauses = append(pauses, list[i].time.Sub(list[i-1].time).Seconds())
	}
	long := pause * stats.Median(pauses)
	first := 0
	for i := range pauses {
		if pauses[i] > long {
			parts = append(parts, list[first:i+1])
			first = i + 1
		}
	}
	return append(parts, list[first:])
}

// widening returns the widening for a comparison with h launches on each side, 0 if the floor has
// no two stretches to compare. With it, the 90 % intervals of nine of ten comparisons of the floor
// contain 1. One standard error is added, so that a floor of few comparisons is conservative. If
// there are fewer than minPairs pairs of stretches of h launches, shorter stretches are compared,
// and the result is scaled to h (see λ² in the package comment).
func (f *Floor) widening(h float64) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	λ, ok := f.known[h]
	if !ok {
		λ = f.newWidening(h)
		f.known[h] = λ
	}
	return λ
}

func (f *Floor) newWidening(h float64) float64 {
	length := max(minLaunches, int(math.Round(h)))
	for length > minLaunches && len(f.pairs(length)) < minPairs {
		length--
	}
	var far []float64 // distances of the ratios from 1, in half widths of their intervals
	for _, p := range f.pairs(length) {
		r, _ := shiftOf(p[0], p[1]).Ratio(floorLevel)
		if width := math.Log(r.Hi/r.Lo) / 2; width > 0 {
			far = append(far, math.Abs(math.Log(r.Median))/width)
		}
	}
	if len(far) == 0 {
		return 0
	}
	slices.Sort(far)
	n := float64(len(far))
	rank := floorLevel*n + math.Sqrt(n*floorLevel*(1-floorLevel))
	λ := max(1, far[min(len(far), int(math.Ceil(rank)))-1])
	return math.Sqrt(1 + (λ*λ-1)*max(1, h/float64(length)))
}

// pairs returns the pairs of stretches of a length that are compared.
func (f *Floor) pairs(length int) (list [][2][]launch) {
	stretch := func(session []launch, i int) []launch { return session[i*length : (i+1)*length] }
	for _, cell := range f.cells {
		if len(cell) == 1 {
			for i := 1; i < len(cell[0])/length; i++ {
				list = append(list, [2][]launch{stretch(cell[0], i-1), stretch(cell[0], i)})
			}
		}
		for i := 1; i < len(cell); i++ {
			for j := range min(len(cell[i-1]), len(cell[i])) / length {
				list = append(list, [2][]launch{stretch(cell[i-1], j), stretch(cell[i], j)})
			}
		}
	}
	return list
}
