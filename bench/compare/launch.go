package compare

import (
	"slices"
	"time"

	"gobench/bench/record"
	"gobench/bench/stats"
)

// A launch holds the value of a cell in one launch.
type launch struct {
	time   time.Time
	median float64
}

// launchesOf returns the launches of points with the medians of a metric, in the order of time.
func launchesOf(points []*record.Point, key string) []launch {
	return launchesBy(points, func(p *record.Point) float64 { return p.Metrics[key].Median })
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
			list, values = append(list, launch{time: p.Time}), append(values, nil)
		}
		if p.Time.Before(list[i].time) {
			list[i].time = p.Time
		}
		values[i] = append(values[i], value(p))
	}
	for i := range list {
		list[i].median = middle(values[i])
	}
	slices.SortStableFunc(list, func(a, b launch) int { return a.time.Compare(b.time) })
	return list
}

// undated reports whether the time of a launch is not known, so that launches have no order.
func undated(list []launch) bool {
	return slices.ContainsFunc(list, func(l launch) bool { return l.time.IsZero() })
}

// middle returns the median of values. It sorts them.
func middle(x []float64) float64 {
	slices.Sort(x)
	return stats.Quantile(x, 0.5)
}

func medians(list []launch) []float64 {
	values := make([]float64, len(list))
	for i, l := range list {
		values[i] = l.median
	}
	return values
}
