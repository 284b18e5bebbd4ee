package report

import (
	"errors"
	"slices"
	"strings"

	"gobench/bench/record"
	"gobench/internal/nearest"
)

// A Selection selects points of files. The zero Selection selects all of them.
type Selection struct {
	Benches, Transports []string
	Sizes               []int  // bytes
	Series              string // ID of a series or a run, or a prefix of it
	Label               string
	Last                int // commands, 0 = all
}

// A SelectionError reports that no point matches a selection.
type SelectionError struct{ err error }

func (e *SelectionError) Error() string { return e.err.Error() }
func (e *SelectionError) Unwrap() error { return e.err }

// apply removes the points that are not selected; it keeps all runs. It returns a *SelectionError
// if no point of a non-empty file is left.
func (s *Selection) apply(file *record.File) error {
	if len(file.Points) == 0 {
		return nil
	}
	for _, names := range []struct {
		what   string
		wanted []string
		of     func(*record.Point) string
	}{
		{"benchmark", s.Benches, func(p *record.Point) string { return p.Bench }},
		{"transport", s.Transports, func(p *record.Point) string { return p.Transport }},
	} {
		if err := known(file.Points, names.what, names.wanted, names.of); err != nil {
			return &SelectionError{err}
		}
	}
	runs := map[string]*record.Run{}
	for i := range file.Runs {
		runs[file.Runs[i].ID] = &file.Runs[i]
	}
	file.Points = slices.DeleteFunc(file.Points, func(p record.Point) bool { return !s.has(&p, runs[p.Run]) })
	if s.Last > 0 {
		commands := Series(file)
		file.Points = nil
		for _, c := range commands[max(0, len(commands)-s.Last):] {
			file.Points = append(file.Points, c.Points...)
		}
	}
	if len(file.Points) == 0 {
		return &SelectionError{errors.New("no result in these files matches the whole selection")}
	}
	return nil
}

func known(points []record.Point, what string, wanted []string, of func(*record.Point) string) error {
	var names []string
	for i := range points {
		if name := of(&points[i]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return &nearest.UnknownError{What: what, Name: name, Known: names, List: "in these files"}
		}
	}
	return nil
}

func (s *Selection) has(p *record.Point, r *record.Run) bool {
	among := func(list []string, name string) bool { return len(list) == 0 || slices.Contains(list, name) }
	if !among(s.Benches, p.Bench) || !among(s.Transports, p.Transport) {
		return false
	}
	if len(s.Sizes) > 0 && !slices.Contains(s.Sizes, int(p.Size)) {
		return false
	}
	if s.Series != "" && !strings.HasPrefix(p.Run, s.Series) && (r == nil || !strings.HasPrefix(r.Series, s.Series)) {
		return false
	}
	return s.Label == "" || r != nil && r.Label == s.Label
}
