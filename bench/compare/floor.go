package compare

import (
	"math"
	"math/rand/v2"
	"slices"

	"gobench/bench/record"
)

// Floor is how much a machine differs from itself: per cell the relative
// difference that two halves of the launches of one and the same program stay
// below in 95 of 100 splits. Records of gobench sweep --aa, or of any sweep with
// many launches of one program, tell it.
type Floor struct {
	cells map[string]float64
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
	groups := map[string][]*record.Point{}
	for i := range file.Points {
		key := floorKey(&file.Points[i])
		groups[key] = append(groups[key], &file.Points[i])
	}
	f := &Floor{cells: map[string]float64{}}
	d := newDistances(c.cells())
	for key, points := range groups {
		if _, same, _, ok := d.choose(points, points); ok {
			points = same
		}
		metric, ok := c.metric(points)
		if !ok {
			continue
		}
		if x := medians(launchesOf(points, metric.Key)); len(x) >= leastLaunches {
			f.cells[key] = difference(x)
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
		list = append(list, x)
	}
	slices.Sort(list)
	return list
}

// floorKey is what a point has in common with those of the same noise.
func floorKey(p *record.Point) string {
	key := ""
	for _, f := range factors {
		if f.role == asked || f.name == "algorithm" {
			key += f.text(p) + "\x00"
		}
	}
	return key
}

// of returns the floor of two points that are compared: the larger one.
func (f *Floor) of(a, b *record.Point) float64 {
	return max(f.cells[floorKey(a)], f.cells[floorKey(b)])
}

// difference is the relative difference of two random halves of x that is exceeded
// in 5 of 100 splits. The order of the splits is always the same.
func difference(x []float64) float64 {
	random := rand.New(rand.NewPCG(uint64(len(x)), 0x66))
	x = slices.Clone(x)
	slices.Sort(x) // so that the order of records does not matter
	logs := make([]float64, splits)
	half := len(x) / 2
	left, right := make([]float64, half), make([]float64, len(x)-half)
	for i := range logs {
		random.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		copy(left, x[:half])
		copy(right, x[half:])
		logs[i] = math.Abs(math.Log(middle(left) / middle(right)))
	}
	slices.Sort(logs)
	return math.Expm1(logs[int(floorLevel*splits)-1])
}
