package record

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
	"gobench/nearest"
)

// A Selection selects points of files. An empty list selects any value; the zero Selection selects
// all points.
type Selection struct {
	Benches, Transports, Algorithms []string
	Sizes                           []int // bytes
	Ranks                           []int
	Series                          string // ID of a series, a run or the plan of a sweep, or a prefix of it
	Label                           string
}

// A SelectionError reports that no point matches a selection.
type SelectionError struct{ Err error }

func (e *SelectionError) Error() string { return e.Err.Error() }
func (e *SelectionError) Unwrap() error { return e.Err }

// Apply removes the points of files that are not selected, and keeps all runs. It returns a
// *SelectionError if none of the points is left, or if none has a name of the selection.
func (s *Selection) Apply(files ...*File) error {
	for _, of := range []struct {
		what   string
		wanted []string
		value  func(*Point) string
	}{
		{"benchmark", s.Benches, func(p *Point) string { return p.Bench }},
		{"transport", s.Transports, func(p *Point) string { return p.Transport }},
		{"algorithm", s.Algorithms, func(p *Point) string { return p.Algorithm }},
		{"number of ranks", texts(s.Ranks), func(p *Point) string { return strconv.Itoa(p.Ranks) }},
	} {
		if err := known(files, of.what, of.wanted, of.value); err != nil {
			return &SelectionError{err}
		}
	}
	had, left := 0, 0
	for _, f := range files {
		runs := map[string]*Run{}
		for i := range f.Runs {
			runs[f.Runs[i].ID] = &f.Runs[i]
		}
		plans := map[string]string{} // by series or run
		for _, l := range f.Launches {
			plans[cmp.Or(l.Series, l.Run)] = l.Plan
		}
		had += len(f.Points)
		f.Points = keep(f.Points, func(p *Point) bool { return s.has(p) && s.ofRun(p, runs[p.Run], plans) })
		left += len(f.Points)
	}
	if had > 0 && left == 0 {
		return &SelectionError{errors.New("no result in these files matches the whole selection")}
	}
	return nil
}

// known returns an error for the first wanted name that no point has. Files without points have no
// names.
func known(files []*File, what string, wanted []string, value func(*Point) string) error {
	if len(wanted) == 0 {
		return nil
	}
	seen := map[string]bool{}
	for _, f := range files {
		for i := range f.Points {
			seen[value(&f.Points[i])] = true
		}
	}
	var names []string
	for name := range seen {
		if name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range wanted {
		if len(seen) > 0 && !seen[name] {
			return &nearest.UnknownError{What: what, Name: name, Known: names, List: "in these files"}
		}
	}
	return nil
}

func texts(numbers []int) []string { return collect.Each(numbers, strconv.Itoa) }

// has reports whether the factors of a point are selected.
func (s *Selection) has(p *Point) bool {
	return among(s.Benches, p.Bench) && among(s.Transports, p.Transport) && among(s.Algorithms, p.Algorithm) &&
		among(s.Sizes, int(p.Size)) && among(s.Ranks, p.Ranks)
}

// ofRun reports whether the run of a point, nil if the file lacks it, is selected.
func (s *Selection) ofRun(p *Point, r *Run, plans map[string]string) bool {
	series := ""
	if r != nil {
		series = r.Series
	}
	if s.Label != "" && (r == nil || r.Label != s.Label) {
		return false
	}
	return slices.ContainsFunc([]string{p.Run, series, plans[cmp.Or(series, p.Run)]}, func(id string) bool { return strings.HasPrefix(id, s.Series) })
}

// among reports whether a list is empty or contains a value.
func among[T comparable](list []T, value T) bool {
	return len(list) == 0 || slices.Contains(list, value)
}
