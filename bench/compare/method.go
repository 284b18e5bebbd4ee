package compare

import "fmt"

// method says in one sentence how the comparison was made.
func (r *Result) method() string {
	launches, events := 0, 0
	for _, row := range r.Rows {
		if row.Level == Launches {
			launches++
		} else {
			events++
		}
	}
	s := ""
	switch {
	case launches > 0:
		s = fmt.Sprintf("each launch counts as one value, its median; ratio by Hodges and Lehmann with the %g %% interval and p-value of the Mann-Whitney test",
			100*(1-r.Options.Alpha))
		if events > 0 {
			s += fmt.Sprintf(" (%s from the intervals inside of single launches)", count(events, "row", "rows"))
		}
	case events > 0:
		s = "one launch: ratio of medians with the interval inside of launches, which says nothing about the next launch"
	default:
		return "nothing was compared"
	}
	s += fmt.Sprintf("; a difference counts beyond %.3g %%", 100*r.Options.Minimum)
	if r.Options.Floor != nil {
		s += " and beyond the noise floor of this machine"
	}
	if r.Options.Gate {
		s += fmt.Sprintf("; p-values after Holm over %s, chance of any false alarm %g %%", count(len(r.Rows), "cell", "cells"), 100*r.Options.Alpha)
	}
	return s
}
