package main

import "slices"

// results holds all points of all rounds. Validity is computed on request, because the lowest
// distance may be measured late.
type results struct {
	cores  *pair
	points map[key][]point
	rounds int
}

type key struct {
	group, name string
	round       int
}

func newResults(cores *pair) *results {
	return &results{cores: cores, points: map[key][]point{}}
}

func (r *results) add(p program, round int, x point) {
	k := key{p.group, p.name, round}
	r.points[k] = append(r.points[k], x)
	r.rounds = max(r.rounds, round)
}

// near returns the valid points of one size in one round.
func (r *results) near(p program, round, size int) []point {
	var points []point
	for _, x := range r.points[key{p.group, p.name, round}] {
		if x.size == size && r.cores.near(x) {
			points = append(points, x)
		}
	}
	return points
}

// missing returns the sizes of a program without a valid point in a round.
func (r *results) missing(p program, round int) []int {
	var sizes []int
	for _, size := range p.sizes {
		if len(r.near(p, round, size)) == 0 {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// series returns one quantity of a program and size by round. The value of a round is the median of
// its runs.
func (r *results) series(p program, size int, v value) map[int]float64 {
	s := map[int]float64{}
	for round := 1; round <= r.rounds; round++ {
		var values []float64
		for _, x := range r.near(p, round, size) {
			values = append(values, v(x))
		}
		if len(values) > 0 {
			s[round] = middle(values)
		}
	}
	return s
}

// A ratio compares a with b over the rounds in which both are valid.
type ratio struct {
	of     float64 // median of a / median of b
	lo, hi float64 // smallest and largest ratio of one round
	n      int     // rounds; 0 = nothing to compare
}

func ratioOf(a, b map[int]float64) ratio {
	var as, bs, each []float64
	for round, x := range a {
		if y, ok := b[round]; ok {
			as, bs, each = append(as, x), append(bs, y), append(each, x/y)
		}
	}
	if len(each) == 0 {
		return ratio{}
	}
	return ratio{of: middle(as) / middle(bs), lo: slices.Min(each), hi: slices.Max(each), n: len(each)}
}

// values returns the values of a series.
func values(s map[int]float64) []float64 {
	var v []float64
	for _, x := range s {
		v = append(v, x)
	}
	return v
}

// middle returns the median and sorts x.
func middle(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}
