package compare

import (
	"math"
	"slices"

	"gobench/bench/record"
	"gobench/bench/stats"
)

// Floor is how much a machine differs from itself from one occasion to another: records of one
// program, such as those of gobench sweep --aa, best on several days. The launches of each cell
// are cut into stretches that follow each other in time, and each stretch is compared with the
// next. As many launches are compared with as many as in the comparison that the floor is for.
type Floor struct {
	cells   [][]launch // in one state of the cores, in the order of time
	machine facts
}

// leastLaunches is what a stretch must have so that a comparison can tell anything, and leastPairs
// the number of comparisons from which a floor is believed.
const (
	leastLaunches = 4
	leastPairs    = 4
	floorLevel    = 0.9
)

// NewFloor reads the noise floor from records of one machine and program.
func NewFloor(file *record.File) *Floor {
	c := newCollection(Options{By: byFile})
	c.add(Source{Name: "floor", File: file})
	f := &Floor{machine: facts{}}
	groups := map[string][]*record.Point{} // what differs in nothing but the launch
	var order []string
	for i := range file.Points {
		p := &file.Points[i]
		c.scales.note(p)
		key := p.CellKey() + c.runs[p.Run][hostName]
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], p)
	}
	for i := range file.Runs {
		f.machine.join(c.runs[file.Runs[i].ID].machine())
	}
	for _, key := range order {
		_, points, _, _ := c.scales.choose(groups[key], groups[key])
		metric, ok := c.metric(points)
		if !ok {
			continue
		}
		if list := launchesOf(points, metric.Key); len(list) >= 2*leastLaunches {
			f.cells = append(f.cells, list)
		}
	}
	return f
}

// Cells returns the number of cells that have launches enough.
func (f *Floor) Cells() int { return len(f.cells) }

// Differences returns of each cell how much the halves of its launches differ, the first half in
// time from the second, ascending.
func (f *Floor) Differences() []float64 {
	var list []float64
	for _, cell := range f.cells {
		half := len(cell) / 2
		r, _ := stats.Shift(medians(cell[:half]), medians(cell[half:]), stats.Level)
		list = append(list, math.Expm1(math.Abs(math.Log(r.Median))))
	}
	slices.Sort(list)
	return list
}

// widening is that of a comparison of h launches with h: nine of ten comparisons of the machine
// with itself lie within the interval of the level 90 % after they were widened by so much. A
// floor of fewer launches than that tells it of as many as it has; the part of the occasion then grows
// in proportion to the launches, as the package says.
func (f *Floor) widening(h float64) float64 {
	length := max(leastLaunches, int(math.Round(h)))
	for length > leastLaunches && f.pairs(length) < leastPairs {
		length--
	}
	var far []float64 // distances from 1 in half widths of the interval
	for _, cell := range f.cells {
		for i := length; i+length <= len(cell); i += length {
			r, _ := stats.Shift(medians(cell[i-length:i]), medians(cell[i:i+length]), floorLevel)
			if width := math.Log(r.Hi/r.Lo) / 2; width > 0 {
				far = append(far, math.Abs(math.Log(r.Median))/width)
			}
		}
	}
	if len(far) == 0 {
		return 1
	}
	slices.Sort(far)
	λ := max(1, far[min(len(far), int(math.Ceil(floorLevel*float64(len(far)+1))))-1])
	return math.Sqrt(1 + (λ*λ-1)*max(1, h/float64(length)))
}

// pairs is the number of comparisons of stretches of a length.
func (f *Floor) pairs(length int) int {
	n := 0
	for _, cell := range f.cells {
		n += max(0, len(cell)/length-1)
	}
	return n
}
