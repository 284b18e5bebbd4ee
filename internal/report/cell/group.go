package cell

import (
	"reflect"
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

// An index finds the launches of a record by its place in its file.
type index struct {
	of    [][]*launches // by file and point
	files []*record.File
	last  int // the file of the last point
}

func newIndex(files []*record.File) *index {
	x := &index{files: files}
	for _, f := range files {
		x.of = append(x.of, make([]*launches, len(f.Points)))
	}
	return x
}

// set sets the launches of a point of one of the files.
func (x *index) set(p *record.Point, in *launches) {
	for range x.files {
		if i, ok := within(x.files[x.last].Points, p); ok {
			x.of[x.last][i] = in
			return
		}
		x.last = (x.last + 1) % len(x.files)
	}
}

// within returns the index of a point in a list by its address.
func within(points []record.Point, p *record.Point) (int, bool) {
	if len(points) == 0 {
		return 0, false
	}
	size := reflect.TypeFor[record.Point]().Size()
	from, at := reflect.ValueOf(&points[0]).Pointer(), reflect.ValueOf(p).Pointer()
	return int((at - from) / size), at >= from && at-from < size*uintptr(len(points))
}
