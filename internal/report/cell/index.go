package cell

import (
	"reflect"

	"gobench/record"
)

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
