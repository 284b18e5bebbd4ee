package series

import (
	"cmp"
	"math"
	"slices"

	"gobench/internal/collect"
	"gobench/record"
	"gobench/stats"
)

// Value returns the value of a metric over points of one cell and state, one of each launch, in the
// order of time: what a row has for it. Warnings are about its interval. N is 0 if there is none.
//
// A rate that is an amount divided by the time of the same events follows from the time, so that
// both are in step.
func Value(points []*record.Point, key string) (record.Value, []string) {
	return newSummary(points).value(key)
}

// Percentile returns the value of a percentile of the events of a launch, a time: its median over
// points (see Value) with the interval between launches, and the extremes of the launches. N is 0
// if a point lacks the percentile.
func Percentile(points []*record.Point, key string, of func(record.Value) float64) record.Value {
	values := make([]record.Value, len(points))
	for i, p := range points {
		v := p.Metrics.Get(key)
		x := of(v)
		if x <= 0 {
			return record.Value{}
		}
		values[i] = record.Value{Median: x, Min: x, Max: x, N: v.N}
	}
	v, _ := summarize(values, launchesOf(points), newSummary(points).one.Floor, math.Inf(1))
	return v
}

// A summary computes the values of metrics over points.
type summary struct {
	points  []*record.Point
	metrics record.Values  // of any point
	main    string         // see Main
	one     *record.Point  // of median main metric
	with    int            // points with a main metric
	time    record.Value   // of the main metric, if a rate needed it
	values  []record.Value // of one metric after the other
}

func newSummary(points []*record.Point) *summary {
	s := &summary{points: points, metrics: all(points)}
	s.main = Main(s.metrics)
	s.one = points[0]
	list := having(points, s.main)
	if len(list) > 0 {
		s.one = middle(list, s.main)
	}
	s.with = len(list)
	return s
}

// value is Value.
func (s *summary) value(key string) (record.Value, []string) {
	if derived(s.points, s.main, key) {
		list := having(s.points, s.main, key)
		if len(list) == 0 {
			return record.Value{}, nil
		}
		one := s.one
		if len(list) < s.with {
			one = middle(list, s.main)
		}
		if s.time.N == 0 {
			s.time, _ = s.value(s.main)
		}
		return rate(s.time, one.Metrics.Median(s.main)*one.Metrics.Median(key)), nil
	}
	floor, limit := 0.0, math.Inf(1)
	switch m, _ := record.Lookup(key); {
	case m.Time():
		floor = s.one.Floor
	case m.Share():
		limit = 1
	}
	s.values = valuesOf(s.values[:0], s.points, key)
	if len(s.values) == 0 {
		return record.Value{}, nil
	}
	return summarize(s.values, launchesOf(s.points), floor, limit)
}

// Main returns the key of the main metric of a row: its time, or else its first metric in the
// catalogue.
func Main(metrics record.Values) string {
	if key := record.TimeKey(metrics); key != "" {
		return key
	}
	for key := range metrics.Keys() {
		return key
	}
	return ""
}

// all returns the metrics of any point. Most points have the same metrics.
func all(points []*record.Point) record.Values {
	metrics := points[0].Metrics
	for _, p := range points[1:] {
		if p.Metrics.SameKeys(points[0].Metrics) {
			continue
		}
		for key, v := range p.Metrics.All() {
			if !metrics.Has(key) {
				metrics.Set(key, v)
			}
		}
	}
	return metrics
}

// derived reports whether a metric of points is an amount divided by their main metric, a time.
// This holds for rates of messages, and for rates of a run if all launches have the same amount,
// such as operations. It does not hold for the bandwidth to files, whose time is a part of the run.
func derived(points []*record.Point, main, key string) bool {
	m, _ := record.Lookup(key)
	switch {
	case key == main || !isTime(main):
		return false
	case main != "run_s":
		return m.Unit == "B/s" || m.Unit == "1/s" || m.Unit == "op/s"
	case m.Direction != record.Higher || len(points) < 2:
		return false
	}
	const rounding = 1e-6
	amount := points[0].Metrics.Median(main) * points[0].Metrics.Median(key)
	return !slices.ContainsFunc(points, func(p *record.Point) bool {
		return math.Abs(p.Metrics.Median(main)*p.Metrics.Median(key)-amount) > rounding*amount
	})
}

func isTime(key string) bool {
	m, _ := record.Lookup(key)
	return m.Time()
}

// having returns the points with values other than 0 of all metrics of keys.
func having(points []*record.Point, keys ...string) []*record.Point {
	return collect.If(points, func(p *record.Point) bool {
		return !slices.ContainsFunc(keys, func(key string) bool { return p.Metrics.Median(key) == 0 })
	})
}

// middle returns the point whose metric key is the (lower) median.
func middle(points []*record.Point, key string) *record.Point {
	sorted := slices.SortedStableFunc(slices.Values(points), func(a, b *record.Point) int {
		return cmp.Compare(a.Metrics.Median(key), b.Metrics.Median(key))
	})
	return sorted[(len(sorted)-1)/2]
}

// valuesOf appends the values of a metric to values.
func valuesOf(values []record.Value, points []*record.Point, key string) []record.Value {
	values = slices.Grow(values, len(points))
	for _, p := range points {
		if v, ok := p.Metrics.Lookup(key); ok {
			values = append(values, v)
		}
	}
	return values
}

func distances(points []*record.Point) []float64 {
	var list []float64
	for _, p := range points {
		for _, d := range []float64{p.StateDistance, p.DistanceBefore} {
			if d > 0 {
				list = append(list, d)
				break
			}
		}
	}
	return list
}

// launchesOf returns the statistics of the launches of points: without an order if the logs of some
// do not state when they were measured.
func launchesOf(points []*record.Point) func(medians []float64) stats.Summary {
	if slices.ContainsFunc(points, func(p *record.Point) bool { return p.Time.IsZero() }) {
		return stats.Unordered
	}
	return stats.Launches
}

// summarize returns the value of a metric from those of the launches, in the order of time, with
// warnings about its interval. floor is the resolution of the value, most its upper bound.
func summarize(values []record.Value, launches func([]float64) stats.Summary, floor, limit float64) (record.Value, []string) {
	var medians, widths []float64
	var v record.Value
	for _, x := range values {
		medians = append(medians, x.Median)
		v.N += x.N
		v.EffectiveN += x.EffectiveN
		if x.Confidence > 0 && x.Median != 0 {
			widths = append(widths, max(x.Hi-x.Median, x.Median-x.Lo)/math.Abs(x.Median))
		}
	}
	if !slices.ContainsFunc(values, func(x record.Value) bool { return x.Statistic != values[0].Statistic }) {
		v.Statistic = values[0].Statistic
	}
	each := func(of func(*record.Value) *float64) []float64 { // nil if a launch lacks it: 0 = absent
		var list []float64
		for i := range values {
			if x := *of(&values[i]); x > 0 {
				list = append(list, x)
			}
		}
		if len(list) < len(values) {
			return nil
		}
		return list
	}
	if list := each(func(v *record.Value) *float64 { return &v.Min }); list != nil {
		v.Min = slices.Min(list)
	}
	if list := each(func(v *record.Value) *float64 { return &v.Max }); list != nil {
		v.Max = slices.Max(list)
	}
	for _, x := range each(func(v *record.Value) *float64 { return &v.Mean }) {
		v.Mean += x / float64(len(values)) // launches have equal weights
	}
	v.Median = stats.Median(medians)
	var warnings []string
	if len(values) >= stats.MinLaunches { // fewer have no interval
		s := launches(medians).Widen(floor).CappedAt(limit)
		if warnings = s.Warnings; s.Lo > 0 { // a record cannot contain an interval that begins at zero
			v.Lo, v.Hi, v.Confidence = s.Lo, s.Hi, s.Confidence
		}
	}
	if len(widths) == len(values) {
		v.Within = stats.Median(widths)
	}
	for _, of := range []func(*record.Value) *float64{
		func(v *record.Value) *float64 { return &v.P90 },
		func(v *record.Value) *float64 { return &v.P99 },
		func(v *record.Value) *float64 { return &v.P999 },
	} {
		if list := each(of); list != nil {
			*of(&v) = stats.Median(list)
		}
	}
	if list := each(func(v *record.Value) *float64 { return &v.P99 }); len(list) >= stats.MinLaunches {
		if tail := launches(list).Widen(floor); tail.Lo > 0 {
			v.P99Lo, v.P99Hi = tail.Lo, tail.Hi
		}
	}
	if v.P90 > 0 {
		v.P50 = v.Median
	}
	return v, warnings
}

// rate returns the rate amount / v, where v is a time.
func rate(v record.Value, amount float64) record.Value {
	r := record.Value{Median: amount / v.Median, N: v.N, EffectiveN: v.EffectiveN, Confidence: v.Confidence, Within: v.Within, Statistic: v.Statistic}
	if v.Lo > 0 {
		r.Lo, r.Hi = amount/v.Hi, amount/v.Lo
	}
	return r
}
