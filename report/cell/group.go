package cell

import (
	"sync"

	"gobench/record"
	"gobench/record/series"
)

// A group holds all points of a cell of a file (series.Cell). A set has few groups and many points,
// so functions on factors look at groups.
type group struct{ first Point }

// representatives returns the first point of each group, in the order of the points.
func representatives(points []Point) []Point {
	seen := map[*group]bool{}
	var some []Point
	for _, p := range points {
		if g := p.group(); !seen[g] {
			seen[g] = true
			some = append(some, p)
		}
	}
	return some
}

// launches holds the points of a cell of all files in one state of the cores: one of each launch,
// in the order of time. Figures and tables share the values.
type launches struct {
	points []*record.Point
	alike  bool           // all have the same metrics
	times  record.TimeSet // of the first point

	lock   sync.Mutex
	values map[string]record.Value
}

func newLaunches(points []*record.Point) *launches {
	l := &launches{points: points, alike: true}
	for _, p := range points {
		l.alike = l.alike && p.Metrics.SameKeys(points[0].Metrics)
	}
	if len(points) > 0 {
		l.times = points[0].Metrics.Times()
	}
	return l
}

// alike returns a point with the same metrics as p, for a look at one point of many.
func (p Point) alike() *record.Point {
	if p.place != nil && p.place.launches.alike {
		return p.place.launches.points[0]
	}
	return p.Point
}

// Has reports whether the point has a metric.
func (p Point) Has(metric string) bool { return p.alike().Metrics.Has(metric) }

// times returns the metrics of the point that are times.
func (p Point) times() record.TimeSet {
	if p.place != nil && p.place.launches.alike {
		return p.place.launches.times
	}
	return p.Metrics.Times()
}

// TimeKey returns the key of the metric that is the time of the point, "" if it has none.
func (p Point) TimeKey() string { return p.times().Key() }

// value returns the value of a metric (series.Value).
func (l *launches) value(metric string) record.Value {
	l.lock.Lock()
	defer l.lock.Unlock()
	v, ok := l.values[metric]
	if !ok {
		if l.values == nil {
			l.values = map[string]record.Value{}
		}
		v, _ = series.Value(l.points, metric)
		l.values[metric] = v
	}
	return v
}
