// Package cell puts records in order for those who draw and tabulate them: it
// reads files and folders into one Set, says by which factors its points
// differ, and gathers them into series of cells. A cell is what was measured
// with all factors alike; it has one record for every launch.
package cell

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gobench/bench/compare"
	"gobench/bench/record"
	"gobench/bench/state"
	"gobench/report/host"
)

// Point is one record with the run it belongs to and the file it comes from.
type Point struct {
	*record.Point
	Run  *record.Run // nil where the file has none
	File string      // path as given

	kin    *kin
	origin *origin
	scale  *state.Scale // of its machine; nil = not known
}

// Set is what a report is drawn from. It is not written to after it was
// made, so many may read it.
type Set struct {
	Files    []string
	Sources  []compare.Source // the same, for comparing; names without folders and endings
	Runs     []*record.Run
	Launches []record.Launch // of sweeps
	Points   []Point
	Warnings []string // what a reader of the report must know of the files
	Cost     *Cost    // nil where nothing is known of prices

	relatives *relatives
	scales    map[string]*state.Scale // by name of the machine

	asked   compare.Options
	compare sync.Once
	result  *compare.Result
	gather  sync.Once
	cells   []Cell
}

// NewSet returns a set without points.
func NewSet() *Set { return &Set{relatives: newRelatives(), scales: map[string]*state.Scale{}} }

// Load reads result files, and of folders all files *.jsonl below them. What
// can be read is in the Set, which is never nil; the error joins one sentence
// for each file that cannot.
func Load(paths []string) (*Set, error) {
	s := NewSet()
	var failed []error
	for _, path := range paths {
		files, err := record.Files(path)
		if err != nil {
			failed = append(failed, err)
		}
		for _, name := range files {
			file, err := record.ReadFile(name)
			if err != nil {
				failed = append(failed, err)
			}
			s.Add(name, file)
		}
	}
	return s, errors.Join(failed...)
}

// Add takes what a file holds into the set.
func (s *Set) Add(name string, file *record.File) {
	s.Warnings = append(s.Warnings, file.Warnings...)
	if len(file.Points) == 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("there are no results in %s", name))
		return
	}
	s.Files = append(s.Files, name)
	s.Sources = append(s.Sources, compare.Source{Name: Label(name), File: file})
	s.Launches = append(s.Launches, file.Launches...)
	runs := make(map[string]*record.Run, len(file.Runs))
	for i := range file.Runs {
		r := &file.Runs[i]
		if runs[r.ID] == nil {
			s.Runs = append(s.Runs, r)
			runs[r.ID] = r
		}
	}
	origins := map[*record.Run]*origin{nil: originOf(nil)}
	for _, r := range runs {
		origins[r] = originOf(r)
	}
	s.Points = slices.Grow(s.Points, len(file.Points))
	for i := range file.Points {
		p := &file.Points[i]
		run := runs[p.Run]
		point := Point{Point: p, Run: run, File: name, origin: origins[run], scale: s.scaleOf(run)}
		point.scale.NotePoint(p)
		point.kin = s.relatives.of(point)
		s.Points = append(s.Points, point)
	}
}

// scaleOf is that of the machine of a run.
func (s *Set) scaleOf(r *record.Run) *state.Scale {
	name := host.Names(r)
	if s.scales[name] == nil {
		s.scales[name] = &state.Scale{}
	}
	return s.scales[name]
}

// State is the state of the cores in which a point was measured.
func (p Point) State() state.State {
	if p.scale == nil {
		return state.Unknown
	}
	return p.scale.OfPoint(p.Point)
}

// Where returns the points for which keep says yes.
func (s *Set) Where(keep func(Point) bool) []Point {
	var some []Point
	for _, p := range s.Points {
		if keep(p) {
			some = append(some, p)
		}
	}
	return some
}

// Only returns the set of the points for which keep says yes, without
// comparisons.
func (s *Set) Only(keep func(Point) bool) *Set {
	return &Set{Files: s.Files, Runs: s.Runs, Launches: s.Launches, Points: s.Where(keep), Warnings: s.Warnings, Cost: s.Cost, relatives: s.relatives}
}

// Label is what a file is called in a figure.
func Label(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}
