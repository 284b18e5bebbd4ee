// Package cell prepares records for figures and tables. It reads files and directories into a Set,
// finds the factors in which points differ, and groups points into series of cells. A cell holds
// all launches of one configuration.
package cell

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gobench/compare"
	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/record/series"
	"gobench/internal/report/host"
	"gobench/internal/unpack"
	"gobench/record"
)

// A Point is a record with its run and the file that it comes from. A point of Set.Rows stands for
// all launches of its row, see Every.
type Point struct {
	*record.Point
	Run *record.Run // nil if the file lacks it

	origin *origin // nil = not known
	in     *row    // nil for a point of no set
	whole  bool    // the first launch of a row stands for all of them
	at     int32   // number of the point in Set.Points
}

// A row holds points, which have much in common: they are of a cell of a file in one state of the
// cores, have values of the same metrics and the same additional fields, and were measured on the
// same kind of host.
type row struct {
	file     string // its label, see Labels
	group    *group
	state    state.State
	launches *launches // of all files
	points   []Point   // in the order of the files
	own      *launches // of points

	summary sync.Once
	said    summary
}

// group returns the group of the point, nil for a point of no set.
func (p Point) group() *group {
	if p.in == nil {
		return nil
	}
	return p.in.group
}

// file returns the label of the file that the point comes from.
func (p Point) file() string {
	if p.in == nil {
		return ""
	}
	return p.in.file
}

// label returns the name that the user gave the measurement (--label), "" if none.
func (p Point) label() string {
	if p.Run == nil {
		return ""
	}
	return p.Run.Label
}

// command identifies the command that measured the point, with all its launches.
func (p Point) command() string {
	if p.Run != nil && p.Run.Series != "" {
		return p.Run.Series
	}
	return p.Point.Run
}

// A Set holds the records of a report. Only Add and Choose modify it; afterwards it is safe for
// concurrent readers.
type Set struct {
	Files    []string
	Sources  []compare.Source // the same for package compare, with names as of Label
	Runs     []*record.Run    // each once, also if several files have it
	Launches []record.Launch  // of sweeps; twice if two files have it
	Points   []Point          // of each cell and state of the cores one for each launch (series.Cells)
	Rows     []Point          // the same, each for all launches of a row, in the order of the first ones
	Warnings []string         // caveats about the files, for the report
	Cost     *Cost            // nil = prices are unknown

	scales  series.Scales
	origins map[*record.Run]*origin

	asked   compare.Options
	compare sync.Once
	result  *compare.Result
	gather  sync.Once
	cells   []Cell
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{} }

// Load reads the points that only selects of result files and, for directories, all result files
// below them, each once, without leftovers (record.File.DropLeftovers) and repeated rows
// (record.Repeats). The Set is never nil and holds everything that was readable; the error joins
// one sentence for each file that was not, and a *record.SelectionError if nothing is selected. If
// other files have results, a warning names each file without any.
func Load(paths []string, only record.Selection) (*Set, error) {
	s := NewSet()
	var failed []error
	var names, empty []string
	for _, path := range paths {
		files, err := record.Files(path)
		if err != nil {
			failed = append(failed, err)
		}
		names = collect.Union(names, collect.Each(files, filepath.Clean)...)
	}
	var seen record.Repeats
	list := make([]*record.File, len(names))
	for i, name := range names {
		file, err := record.ReadResults(name)
		if err != nil {
			failed = append(failed, err)
		} else if len(file.Points) == 0 {
			empty = append(empty, "there are no results in "+name)
		}
		seen.Drop(file, name)
		list[i] = file
	}
	all := count(list)
	if err := only.Apply(list...); err != nil {
		failed = append(failed, err)
	}
	if left := all - count(list); left > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("a part of the records was asked for: %d of %d results are left out", left, all))
	}
	for i, label := range Labels(names) {
		s.add(names[i], label, list[i])
	}
	s.assemble()
	if len(s.Points) > 0 {
		s.Warnings = append(s.Warnings, empty...)
	}
	return s, errors.Join(failed...)
}

func count(files []*record.File) (points int) {
	for _, f := range files {
		points += len(f.Points)
	}
	return points
}

// SetOf returns the set of records with the names of their files.
func SetOf(sources []compare.Source) *Set {
	s := NewSet()
	for _, one := range sources {
		s.add(one.Name, Labels([]string{one.Name})[0], one.File)
	}
	s.assemble()
	return s
}

// Add adds the records of a file to the set.
func (s *Set) Add(name string, file *record.File) {
	s.add(name, Labels([]string{name})[0], file)
	s.assemble()
}

func (s *Set) add(name, label string, file *record.File) {
	s.Warnings = append(s.Warnings, file.Warnings...)
	s.Warnings = append(s.Warnings, file.Failed()...)
	if len(file.Points) == 0 {
		return
	}
	s.Files = append(s.Files, name)
	s.Sources = append(s.Sources, compare.Source{Name: label, File: file})
	s.Launches = append(s.Launches, file.Launches...)
}

// assemble sets Runs and Points. It follows the last file, because the states of the cores are
// relative to all records of a machine, and a cell or a launch may be in several files.
func (s *Set) assemble() {
	s.Runs, s.Points, s.Rows = nil, nil, nil
	runs := map[string]*record.Run{}
	hosts := host.Known{}
	origins := map[*record.Run]*origin{nil: originOf(nil, &s.scales, hosts)}
	var files []*record.File
	for _, source := range s.Sources {
		files = append(files, source.File)
		for i := range source.File.Runs {
			if r := &source.File.Runs[i]; runs[r.ID] == nil {
				runs[r.ID], origins[r] = r, originOf(r, &s.scales, hosts)
				s.Runs = append(s.Runs, r)
			}
		}
	}
	found := newIndex(files)
	kept := 0
	for _, c := range series.CellsOf(files, &s.scales) {
		for st, points := range c.States {
			in := &launches{cell: c, state: state.State(st), points: points}
			kept += len(points)
			for _, p := range points {
				found.set(p, in)
			}
		}
	}
	s.Points = make([]Point, 0, kept)
	var order []*row
	for f, source := range s.Sources {
		groups := map[*series.Cell]*group{}
		rows := map[*launches][]*row{}
		var run *record.Run
		for i := range source.File.Points {
			p := &source.File.Points[i]
			of := found.of[f][i]
			if of == nil {
				continue
			}
			if run == nil || run.ID != p.Run {
				run = runs[p.Run]
			}
			point := Point{Point: p, Run: run, origin: origins[run], at: int32(len(s.Points))}
			for _, in := range rows[of] {
				if in.holds(point) {
					point.in = in
					break
				}
			}
			if point.in == nil {
				if groups[of.cell] == nil {
					groups[of.cell] = &group{}
				}
				point.in = &row{file: source.Name, group: groups[of.cell], state: of.state, launches: of}
				rows[of] = append(rows[of], point.in)
				order = append(order, point.in)
			}
			in := point.in
			if in.group.first.Point == nil {
				in.group.first = point
			}
			in.points = append(in.points, point)
			s.Points = append(s.Points, point)
		}
	}
	s.origins = origins
	s.Rows = make([]Point, len(order))
	for i, in := range order {
		if in.own = in.launches; len(in.points) < len(in.launches.points) {
			in.own = &launches{points: records(in.points)}
		}
		s.Rows[i] = in.points[0]
		s.Rows[i].whole = true
	}
}

// holds reports whether a point of the same launches belongs to the row.
func (in *row) holds(p Point) bool {
	first := in.points[0]
	if !p.Metrics.SameFields(first.Metrics) || !p.origin.alike(first.origin) || len(p.Extra) != len(first.Extra) {
		return false
	}
	for name := range p.Extra {
		if _, ok := first.Extra[name]; !ok {
			return false
		}
	}
	return true
}

// All returns the launches for which the point stands, in the order of the files.
func (p Point) All() []Point {
	if p.whole {
		return p.in.points
	}
	return []Point{p}
}

// number returns the number of launches for which the point stands.
func (p Point) number() int {
	if p.whole {
		return len(p.in.points)
	}
	return 1
}

// Every returns the launches for which points stand, each as a point of its own. They have the
// order of the points, and within a row the order of the files.
func Every(points []Point) []Point {
	all := make([]Point, 0, Records(points))
	for _, p := range points {
		if p.whole {
			all = append(all, p.in.points...)
		} else {
			all = append(all, p)
		}
	}
	return all
}

// Records returns the number of launches for which points stand.
func Records(points []Point) (n int) {
	for _, p := range points {
		n += p.number()
	}
	return n
}

// State returns the state of the cores during a point's measurement.
func (p Point) State() state.State {
	if p.in == nil {
		return state.Unknown
	}
	return p.in.state
}

// Scale returns the core distances and speeds of the point's machine in the whole set.
func (p Point) Scale() *state.Scale {
	if p.origin == nil || p.origin.scale == nil {
		return &state.Scale{}
	}
	return p.origin.scale
}

// Hosts returns the facts of the hosts of a run of the set.
func (s *Set) Hosts(r *record.Run) []host.Facts {
	if o := s.origins[r]; o != nil {
		return o.hosts
	}
	return host.Of(r)
}

// Where returns the rows for which keep returns true of their first point.
func (s *Set) Where(keep func(Point) bool) []Point {
	return collect.If(s.Rows, keep)
}

// Only returns a set of the rows for which keep returns true of their first point, without
// comparisons.
func (s *Set) Only(keep func(Point) bool) *Set {
	rows := s.Where(keep)
	return &Set{Files: s.Files, Runs: s.Runs, Launches: s.Launches, Points: Every(rows), Rows: rows, Warnings: s.Warnings, Cost: s.Cost, origins: s.origins}
}

// Labels returns the names of files in figures: each without its suffix, and with as many of its
// directories as distinguish it from the others.
func Labels(paths []string) []string {
	all := slices.Clone(paths)
	for i, path := range paths {
		path = stem(path)
		for at := len(path); at >= 0; {
			at = strings.LastIndexByte(path[:at], filepath.Separator)
			label := path[at+1:]
			if !slices.ContainsFunc(paths, func(other string) bool { return other != paths[i] && endsIn(other, label) }) {
				all[i] = label
				break
			}
		}
	}
	return all
}

// stem returns a path without the suffix of its format.
func stem(path string) string {
	path = unpack.Stem(path)
	return strings.TrimSuffix(path, filepath.Ext(path))
}

// endsIn reports whether a path ends in the parts of a label.
func endsIn(path, label string) bool {
	path = stem(path)
	return path == label || strings.HasSuffix(path, string(filepath.Separator)+label)
}
