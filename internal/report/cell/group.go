package cell

import (
	"sync"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/record/series"
	"gobench/record"
)

// A group holds all points of a cell of a file (series.Cell). A set has few groups and many points,
// so functions on factors look at groups.
type group struct{ first Point }

// representatives returns the first point of each group, in the order of the points.
func representatives(points []Point) []Point {
	return collect.First(points, Point.group)
}

// launches holds points of a cell in one state of the cores, of all files or of a row: one of each
// launch, in the order of time. Figures and tables share the values.
type launches struct {
	cell   *series.Cell
	state  state.State
	points []*record.Point

	lock   sync.Mutex
	values map[string]record.Value
}

// Has reports whether the point has a metric.
func (p Point) Has(metric string) bool { return p.Metrics.Has(metric) }

// TimeKey returns the key of the metric that is the time of the point, "" if it lacks one.
func (p Point) TimeKey() string { return p.Metrics.Times().Key() }

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
