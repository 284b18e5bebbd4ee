package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// times returns a clause with the times of both sides, "" if the launches of all rows alternate.
func (c *collection) times(r *Result) string {
	apart, many := 0, 0
	for i := range r.Rows {
		if r.Rows[i].Level != Launches {
			continue
		}
		many++
		if !alternate(r.Rows[i].a, r.Rows[i].b) {
			apart++
		}
	}
	switch {
	case apart == 0:
		return ""
	case slices.ContainsFunc(c.counts, func(s sideCount) bool { return s.undated }):
		return "the logs of some launches do not state when they were measured"
	case len(c.sides) != 2 || !c.counts[1].first.After(c.counts[0].last) && !c.counts[0].first.After(c.counts[1].last):
		return fmt.Sprintf("the launches of the sides were not interleaved in %s", plural(apart, many, "", ""))
	}
	a, b := &c.counts[0], &c.counts[1]
	day := a.first.Format(time.DateOnly) != b.last.Format(time.DateOnly) || b.first.Format(time.DateOnly) != a.last.Format(time.DateOnly)
	return fmt.Sprintf("measured at different times (%s %s, %s %s)", named(c.sides[0]), a.span(day), named(c.sides[1]), b.span(day))
}

// span returns the time from the first to the last point of a side.
func (s *sideCount) span(day bool) string {
	first, last := s.first.UTC(), s.last.UTC()
	text := first.Format("15:04")
	if day {
		text = first.Format("2006-01-02 15:04")
	}
	if last.Sub(first) < time.Minute {
		return text
	}
	if first.Format(time.DateOnly) != last.Format(time.DateOnly) {
		return text + " to " + last.Format("2006-01-02 15:04")
	}
	return text + "-" + last.Format("15:04")
}

// sameProgram reports whether the programs of all launches have the same digest. It returns false
// if the sides differ in a factor of points, such as the transport.
func (c *collection) sameProgram() bool {
	if c.options.byPoints() {
		return false
	}
	digest := ""
	for i := range c.counts {
		for run := range c.counts[i].runs {
			d := cmp.Or(c.runs[run][programDigest], c.runs[run][programBuild])
			if d == "" || digest != "" && !strings.HasPrefix(d, digest) && !strings.HasPrefix(digest, d) {
				return false
			}
			digest = d
		}
	}
	return len(c.sides) > 1 && digest != ""
}
