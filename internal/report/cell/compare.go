package cell

import (
	"slices"

	"gobench/compare"
	"gobench/record"
)

// compared lists the factors that Compare tries after the file. The first one with several levels
// is compared: of records with several libraries the question is which of them is faster.
var compared = []string{"library", "transport", "level", "host", "commit", "algorithm", "memory", "cache", "rank_kind", "threads"}

// Compare compares the files with each other or, for a single file, the levels of the first factor
// that has several (library, transport, level, ...). It returns nil if there is nothing to compare.
// The result is cached.
func (s *Set) Compare() *compare.Result {
	s.compare.Do(func() {
		by := compared
		if len(s.Sources) > 1 {
			by = append([]string{""}, compared...)
		}
		for _, factor := range by {
			if !s.several(factor) {
				continue
			}
			o := s.asked
			o.By = factor
			r, err := compare.Compare(s.Sources, o)
			if err == nil && len(r.Rows) > 0 {
				s.result = r
				return
			}
		}
	})
	return s.result
}

// several reports whether the points have several levels of a factor. Facts of runs, which are no
// factors of points, may have.
func (s *Set) several(factor string) bool {
	f := record.LookupFactor(factor)
	if f == nil || len(s.Rows) == 0 {
		return true
	}
	first := f.Text(s.Rows[0].Point)
	return slices.ContainsFunc(s.Rows, func(p Point) bool { return f.Text(p.Point) != first })
}

// Choose sets the options of the comparison and must be called before Compare. If o.By is empty,
// the set chooses the factor. The error reports invalid options.
func (s *Set) Choose(o compare.Options) error {
	s.asked = o
	if o.By == "" {
		return nil
	}
	r, err := compare.Compare(s.Sources, o)
	if err != nil {
		return err
	}
	if len(r.Rows) == 0 {
		s.Warnings = append(s.Warnings, "no two results differ only in "+r.By+", so it cannot be compared")
		return nil
	}
	s.compare.Do(func() { s.result = r })
	return nil
}
