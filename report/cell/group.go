package cell

import (
	"sync"

	"gobench/bench/record"
	"gobench/bench/series"
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

	lock   sync.Mutex
	values map[string]record.Value
}

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
