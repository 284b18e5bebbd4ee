package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
)

// row is one line, decoded. One of run, point, launch, kind and err is there, none for an
// empty line.
type row struct {
	run    *Run
	point  *Point
	launch *Launch
	kind   string // unknown
	err    error
}

// decodeRows decodes lines on all processors, in their order. number is that of the
// first line in the file of that name.
func decodeRows(lines [][]byte, name string, number int) []row {
	rows := make([]row, len(lines))
	workers := runtime.GOMAXPROCS(0)
	share := (len(lines) + workers - 1) / workers
	var group sync.WaitGroup
	for from := 0; from < len(lines); from += share {
		group.Go(func() {
			var d decoder
			for i := from; i < min(from+share, len(lines)); i++ {
				rows[i] = d.row(lines[i], name, number+i)
			}
		})
	}
	group.Wait()
	return rows
}

func (d *decoder) row(line []byte, name string, number int) row {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return row{}
	}
	fail := func(err error) row { return row{err: &SyntaxError{File: name, Line: number, Err: err}} }
	schema, kind, err := head(line)
	if err != nil {
		return fail(err)
	}
	switch {
	case strings.HasPrefix(schema, "gobench/") && schema != Schema:
		return row{err: &VersionError{File: name, Line: number, Schema: schema}}
	case schema != Schema:
		return fail(fmt.Errorf("it has no schema %s", Schema))
	}
	switch kind {
	case KindRun:
		r := &Run{}
		if err := json.Unmarshal(line, r); err != nil {
			return fail(err)
		}
		if err := r.Validate(); err != nil {
			return fail(err)
		}
		return row{run: r}
	case KindPoint:
		p := &Point{}
		if err := d.point(line, p); err != nil {
			return fail(err)
		}
		if err := p.Validate(); err != nil {
			return fail(err)
		}
		return row{point: p}
	case KindLaunch:
		l := &Launch{}
		if err := json.Unmarshal(line, l); err != nil {
			return fail(err)
		}
		if err := l.Validate(); err != nil {
			return fail(err)
		}
		return row{launch: l}
	case "":
		return fail(errors.New("it has no kind"))
	}
	return row{kind: kind}
}

// head returns the fields that every row has.
func head(line []byte) (schema, kind string, err error) {
	if !json.Valid(line) {
		var any any
		return "", "", json.Unmarshal(line, &any) // says where
	}
	err = split(line, func(name string, raw []byte) error {
		switch name {
		case "schema":
			return json.Unmarshal(raw, &schema)
		case "kind":
			return json.Unmarshal(raw, &kind)
		}
		return nil
	})
	return schema, kind, err
}

// add puts a row into the file. It returns the kind where it is unknown.
func (f *File) add(r row) (unknown string) {
	switch {
	case r.run != nil:
		f.Runs = append(f.Runs, *r.run)
	case r.point != nil:
		f.Points = append(f.Points, *r.point)
	case r.launch != nil:
		f.Launches = append(f.Launches, *r.launch)
	}
	return r.kind
}
