package main

import (
	"fmt"
	"math"
)

// axis maps values from lo to hi, logarithmically, to pixels from a to b.
type axis struct{ lo, hi, a, b float64 }

func (x axis) at(v float64) float64 {
	return x.a + (x.b-x.a)*math.Log(v/x.lo)/math.Log(x.hi/x.lo)
}

// decades is an axis whose ends are powers of ten around all values.
func decades(all []line, a, b float64) axis {
	lo, hi := math.Inf(1), 0.0
	for _, l := range all {
		for _, p := range l.points {
			lo, hi = min(lo, p.lo), max(hi, p.hi)
		}
	}
	return axis{math.Pow(10, math.Floor(math.Log10(lo))), math.Pow(10, math.Ceil(math.Log10(hi))), a, b}
}

// sizes is an axis from the smallest to the largest size.
func sizes(all []line, a, b float64) axis {
	lo, hi := math.Inf(1), 0.0
	for _, l := range all {
		for _, p := range l.points {
			lo, hi = min(lo, p.size), max(hi, p.size)
		}
	}
	if lo == hi {
		lo, hi = lo/2, hi*2
	}
	return axis{lo, hi, a, b}
}

func sizeLabel(bytes float64) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%g MiB", bytes/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%g KiB", bytes/(1<<10))
	}
	return fmt.Sprintf("%g B", bytes)
}
