package compare

import (
	"slices"

	"gobench/bench/record"
)

// Floor is how much a machine differs from itself: per cell the relative
// difference that two halves of the launches of one and the same program stay
// below in 95 of 100 splits. Records of gobench sweep --aa, or of any sweep with
// many launches of one program, tell it.
type Floor struct {
	cells map[string]noise
	alike map[string]noise // the largest of cells that differ in what was chosen
	hosts []string
}

// splits is the number of random halvings, and leastLaunches what can be
// halved in a way that says anything.
const (
	splits        = 1000
	leastLaunches = 4
	floorLevel    = 0.95
)

// NewFloor computes the noise floor from records of one machine and program.
func NewFloor(file *record.File) *Floor {
	c := newCollection(Options{By: byFile})
	c.add(Source{Name: "floor", File: file})
	groups := map[string][]*record.Point{} // what differs in nothing but the launch
	for i := range file.Points {
		p := &file.Points[i]
		key := floorKey(p, true) + c.runs[p.Run][hostName]
		groups[key] = append(groups[key], p)
	}
	f := &Floor{cells: map[string]noise{}, alike: map[string]noise{}}
	d := newDistances(c.cells())
	for _, points := range groups {
		if _, same, _, ok := d.choose(points, points); ok {
			points = same
		}
		metric, ok := c.metric(points)
		if !ok {
			continue
		}
		if x := medians(launchesOf(points, metric.Key)); len(x) >= leastLaunches {
			exact, alike := floorKey(points[0], true), floorKey(points[0], false)
			f.cells[exact] = f.cells[exact].louder(noiseOf(x))
			f.alike[alike] = f.alike[alike].louder(f.cells[exact])
		}
	}
	if s := c.summaries(); len(s) > 0 {
		f.hosts = s[0].Hosts
	}
	return f
}

// Cells returns the number of cells whose noise is known.
func (f *Floor) Cells() int { return len(f.cells) }

// Differences returns the floors of all cells, ascending.
func (f *Floor) Differences() []float64 {
	var list []float64
	for _, x := range f.cells {
		list = append(list, x.halves)
	}
	slices.Sort(list)
	return list
}

// floorKey is what a point has in common with those of the same noise: what was asked
// for and the algorithm, and where it must be exact all else that was chosen.
func floorKey(p *record.Point, exact bool) string {
	key := ""
	for _, f := range record.Factors {
		if f.Role == record.Asked || f.Name == "algorithm" || exact && f.Role == record.Chosen {
			key += f.Text(p) + "\x00"
		}
	}
	return key
}

// of returns the noise of two points that are compared: the larger one. Of options
// that were never measured it is that of others.
func (f *Floor) of(a, b *record.Point) noise {
	one := func(p *record.Point) noise {
		if n, ok := f.cells[floorKey(p, true)]; ok {
			return n
		}
		return f.alike[floorKey(p, false)]
	}
	return one(a).louder(one(b))
}
