package compare

import (
	"fmt"

	"gobench/internal/human"
)

// method returns the sentence that describes how the comparison was made.
func (r *Result) method() string {
	launches, single := 0, 0
	for _, row := range r.Rows {
		if row.Level == Launches {
			launches++
		} else {
			single++
		}
	}
	if launches+single == 0 {
		return "nothing was compared"
	}
	if launches == 0 {
		return "one launch of a side: the ratio of medians, without a verdict"
	}
	s := fmt.Sprintf("each launch counts as one value, its median; Hodges-Lehmann ratio with the %g %% interval and p-value of the Mann-Whitney test",
		100*(1-r.Options.Alpha))
	if single > 0 {
		s += fmt.Sprintf(" (%s without, because a side has one launch)", human.Count(single, "row", "rows"))
	}
	if r.times != "" {
		s += "; " + r.times + ": " + r.widened()
	}
	s += fmt.Sprintf("; differences up to %.3g %% are ignored", 100*r.Options.Minimum)
	if r.Options.Gate {
		s += fmt.Sprintf("; p-values after Holm's correction over %s, probability of any false alarm %g %%", human.Count(len(r.Rows), "cell", "cells"), 100*r.Options.Alpha)
	} else if launches > 1 {
		s += fmt.Sprintf("; each row is judged separately: %g %% of the rows of an unchanged program would differ", 100*r.Options.Alpha)
	}
	return s
}

// widened returns a clause about the widening of the intervals of sides that did not alternate.
func (r *Result) widened() string {
	smallest, largest := 0.0, 0.0
	for _, row := range r.Rows {
		if w := row.Widening; row.Level == Launches && w > 1 {
			if smallest == 0 || w < smallest {
				smallest = w
			}
			largest = max(largest, w)
		}
	}
	by := fmt.Sprintf("%.2g", largest)
	if smallest < 0.95*largest {
		by = fmt.Sprintf("%.2g to %.2g", smallest, largest)
	}
	why := "sessions are assumed to differ by half as much as launches do"
	if r.Options.Floor != nil && r.foreign == "" {
		why = "from the noise floor of this machine"
	}
	return fmt.Sprintf("intervals are %s times as wide (correlation of successive launches %.2f; %s)", by, r.Correlation, why)
}
