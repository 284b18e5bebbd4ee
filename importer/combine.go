package importer

import (
	"fmt"
	"math"
	"slices"

	"gobench/internal/collect"
	"gobench/record"
)

// combined returns the points of a launch with one for all that are of one cell and state, such as
// the samples that a program prints each in a row, and warns of them.
func combined(run *record.Run, points []record.Point) (list []record.Point) {
	of := func(p record.Point) string {
		return fmt.Sprint(p.CellKey(), p.Amount, p.StateDistance, p.StateShare, p.Loop, slices.Collect(p.Metrics.Keys()))
	}
	for _, same := range collect.By(points, of) {
		if one := middle(same); one.Validate() == nil {
			same = []record.Point{one}
		}
		list = append(list, same...)
	}
	if n := len(points) - len(list); n > 0 {
		warn(run, fmt.Sprintf("%d of %d results repeat cells of their launch: the median of each cell counts", n, len(points)))
	}
	return list
}

// middle returns a point with the medians of points of one cell. The two in the middle have the
// geometric mean, so that the product of a rate and a time stays the same.
func middle(same []record.Point) record.Point {
	one := same[0]
	if len(same) == 1 {
		return one
	}
	one.Iterations, one.Duration, one.Metrics, one.Histogram, one.Warnings = 0, 0, record.Values{}, "", nil
	for _, p := range same {
		one.Iterations += p.Iterations
		one.Duration += p.Duration
		for _, w := range p.Warnings {
			if !slices.Contains(one.Warnings, w) {
				one.Warnings = append(one.Warnings, w)
			}
		}
	}
	for key, v := range same[0].Metrics.All() {
		medians, n := collect.Each(same, medianOf(key)), 0
		slices.Sort(medians)
		for _, p := range same {
			n += p.Metrics.Get(key).N
		}
		x := math.Sqrt(medians[(len(medians)-1)/2] * medians[len(medians)/2])
		one.Metrics.Set(key, record.Value{Median: x, N: n, Statistic: v.Statistic})
	}
	return one
}

func medianOf(key string) func(record.Point) float64 {
	return func(p record.Point) float64 { return p.Metrics.Median(key) }
}
