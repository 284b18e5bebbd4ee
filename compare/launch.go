package compare

import (
	"math"
	"slices"
	"time"

	"gobench/internal/collect"
	"gobench/record"
	"gobench/stats"
)

// A launch holds the value of a cell in one launch.
type launch struct {
	time    time.Time
	median  float64
	point   *record.Point // its first
	stratum int           // index of its state of the cores
}

// launchesOf returns the launches of points with the medians of a metric, in the order of time.
func launchesOf(points []*record.Point, key string) []launch {
	return launchesBy(points, func(p *record.Point) float64 { return p.Metrics.Median(key) })
}

// launchesBy returns the launches of points in the order of time. The value of a launch is the
// median of the values of its points.
func launchesBy(points []*record.Point, value func(*record.Point) float64) []launch {
	index := map[string]int{}
	var list []launch
	var values [][]float64 // of each point; usually one
	for _, p := range points {
		i, ok := index[p.Run]
		if !ok {
			i = len(list)
			index[p.Run] = i
			list, values = append(list, launch{time: p.Time, point: p}), append(values, nil)
		}
		if p.Time.Before(list[i].time) {
			list[i].time = p.Time
		}
		values[i] = append(values[i], value(p))
	}
	for i := range list {
		list[i].median = stats.Median(values[i])
	}
	slices.SortStableFunc(list, func(a, b launch) int { return a.time.Compare(b.time) })
	return list
}

// undated reports whether the time of a launch is not known, so that launches have no order.
func undated(list []launch) bool {
	return slices.ContainsFunc(list, func(l launch) bool { return l.time.IsZero() })
}

// launchesIn returns the launches of one side of all strata in the order of time. A launch with
// points in several strata counts in the first of them.
func launchesIn(strata []stratum, side func(s *stratum) []*record.Point, value func(*record.Point) float64) (list []launch) {
	counted := map[string]bool{}
	for i := range strata {
		points := collect.If(side(&strata[i]), func(p *record.Point) bool { return !counted[p.Run] })
		for _, p := range points {
			counted[p.Run] = true
		}
		for _, l := range launchesBy(points, value) {
			l.stratum = i
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, func(a, b launch) int { return a.time.Compare(b.time) })
	return list
}

func sideA(s *stratum) []*record.Point { return s.a }

func sideB(s *stratum) []*record.Point { return s.b }

// byStratum returns the launches of each stratum in the order of time.
func byStratum(list []launch) [][]launch {
	var of [][]launch
	for _, l := range list {
		for len(of) <= l.stratum {
			of = append(of, nil)
		}
		of[l.stratum] = append(of[l.stratum], l)
	}
	return of
}

// paired returns the launches of two sides without those of strata in which the other side has no
// launch: they have no ratio. A stratum can lack them, although both sides have points in it,
// because a launch counts in one stratum only.
func paired(a, b []launch) (x, y []launch) {
	left, right := byStratum(a), byStratum(b)
	alone := func(l launch) bool {
		s := l.stratum
		return s >= min(len(left), len(right)) || len(left[s]) == 0 || len(right[s]) == 0
	}
	return slices.DeleteFunc(slices.Clone(a), alone), slices.DeleteFunc(slices.Clone(b), alone)
}

// level returns the launches of one of two paired sides in the order of time, divided by the level
// of their stratum, the geometric mean of the medians of both sides.
func level(own, other []launch) []launch {
	left, right := byStratum(own), byStratum(other)
	levels := make([]float64, len(left))
	for i := range levels {
		if len(left[i]) == 0 { // and right[i], because both sides are paired
			continue
		}
		levels[i] = math.Sqrt(stats.Median(medians(left[i])) * stats.Median(medians(right[i])))
	}
	list := slices.Clone(own)
	for i, l := range list {
		list[i].median /= levels[l.stratum]
	}
	return list
}

// shiftOf compares launches of two paired sides within strata.
func shiftOf(a, b []launch) *stats.Shift {
	left, right := byStratum(a), byStratum(b)
	strata := make([]stats.Stratum, len(left))
	for i := range strata {
		strata[i] = stats.Stratum{A: medians(left[i]), B: medians(right[i])}
	}
	return stats.NewShift(strata...)
}

func medians(list []launch) []float64 {
	return collect.Each(list, func(l launch) float64 { return l.median })
}
