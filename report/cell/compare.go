package cell

import (
	"gobench/bench/compare"
)

// compared are the factors of which the first that has more than one level is
// what a reader wants compared, after the file.
var compared = []string{"transport", "library", "level", "host", "commit", "algorithm", "memory", "cache", "rank_kind", "threads"}

// Compare compares the files with each other or, where all is in one, the
// levels of the first factor that has several: transports, libraries, levels.
// It returns nil where nothing can be compared. The result is kept.
func (s *Set) Compare() *compare.Result {
	s.compare.Do(func() {
		by := compared
		if len(s.Sources) > 1 {
			by = append([]string{""}, compared...)
		}
		for _, factor := range by {
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

// Choose says what is compared, before anything is: o.By is a factor, or empty
// where the set looks for one itself. An error is a mistake of the person who
// asked.
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
		s.Warnings = append(s.Warnings, "no two results differ in nothing but "+r.By+", so it cannot be compared")
		return nil
	}
	s.compare.Do(func() { s.result = r })
	return nil
}
