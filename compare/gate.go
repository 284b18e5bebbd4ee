package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/remedy"
	"gobench/stats"
)

// A Conclusion is the result of a gate.
type Conclusion string

const (
	Passed Conclusion = "passed"       // no slowdown found; one of Options.Detect would have been found
	Failed Conclusion = "regression"   // a slowdown in at least one cell
	Noisy  Conclusion = "inconclusive" // the sides cannot be compared, or a slowdown would not have been found
)

// A Gate is the verdict over all cells together.
type Gate struct {
	Conclusion Conclusion
	Why        string // one sentence
	Power      string // one sentence: which slowdown would have been found; "" if the sides cannot be compared
	Void       bool   // the sides cannot be compared: no cell has passed
}

// maxBlind is the slowdown that a gate must be able to find in each cell, whatever Options.Detect:
// a factor of 2.
const maxBlind = 1.0

// gate decides the conclusion. It does not pass if a side lacks a cell of the base: otherwise a
// removed benchmark would hide its regression.
func (r *Result) gate() *Gate {
	inconclusive := func(format string, args ...any) *Gate {
		return &Gate{Conclusion: Noisy, Why: fmt.Sprintf(format, args...), Void: true}
	}
	noisy := func(format string, args ...any) *Gate {
		return &Gate{Conclusion: Noisy, Why: fmt.Sprintf(format, args...), Power: r.power()}
	}
	if s := r.differentMachines(); s != "" && !r.Options.AcrossMachines {
		return inconclusive("%s: %v compares them nevertheless", s, remedy.Named("across-machines"))
	}
	if r.foreign != "" {
		return inconclusive("%s", r.foreign)
	}
	if len(r.mixed) > 0 {
		return inconclusive("%s", r.mixed[0])
	}
	if len(r.implied) > 0 {
		return inconclusive("%s, which a gate does not unless %v asks for it", r.implied[0], remedy.Named("by"))
	}
	if n := r.Count(Slower); n > 0 {
		return &Gate{Conclusion: Failed, Why: fmt.Sprintf("%s slower by more than %s %%", plural(n, len(r.Rows), "is", "are"), human.Percent(r.Options.Minimum)), Power: r.power()}
	}
	vanished := len(collect.If(r.Missing, func(m Missing) bool { return m.In == r.Sides[0].Name }))
	selfTest := slices.ContainsFunc(r.Sides, func(s Side) bool { return r.selfTests(s.Name) != "" })
	blind, blindest := r.blindRows(r.Options.Detect), r.blindRows(max(r.Options.Detect, maxBlind))
	switch {
	case selfTest && !r.Options.SelfTests:
		return inconclusive("a side contains results of a self-test")
	case len(r.Rows) == 0:
		return inconclusive("no cell is on both sides")
	case vanished > 0:
		return noisy("%s missing", human.Count(vanished, "cell of the baseline is", "cells of the baseline are"))
	case tooMany(blind, len(r.Rows)), r.Options.Each && blind > 0:
		return noisy("a slowdown of %s %% would not have been found in %s", human.Percent(r.Options.Detect), plural(blind, len(r.Rows), "", ""))
	case blindest > 0:
		return noisy("a slowdown of %s would not have been found in %s", slowdown(max(r.Options.Detect, maxBlind)), plural(blindest, len(r.Rows), "", ""))
	}
	return &Gate{Conclusion: Passed, Why: fmt.Sprintf("none of %s slower by more than %s %%", human.Count(len(r.Rows), "cell is", "cells is"), human.Percent(r.Options.Minimum)), Power: r.power()}
}

// blindRows returns the number of rows in which a slowdown would not have been detected.
func (r *Result) blindRows(slowdown float64) int {
	return len(collect.If(collect.Pointers(r.Rows), func(row *Row) bool { return row.Detectable > slowdown }))
}

// tooMany reports whether a slowdown would not be detected in most of the cells.
func tooMany(blind, of int) bool { return 2*blind > of }

// power returns a sentence about the slowdown that would have been detected.
func (r *Result) power() string {
	order := collect.Pointers(r.Rows)
	slices.SortStableFunc(order, func(a, b *Row) int { return cmp.Compare(a.Detectable, b.Detectable) })
	blind := r.blindRows(r.Options.Detect)
	seen := len(order) - blind
	s := ""
	if seen > 0 {
		byLaunches := func(a, b *Row) int { return cmp.Compare(a.NA+a.NB, b.NA+b.NB) }
		smallest, largest := slices.MinFunc(order[:seen], byLaunches), slices.MaxFunc(order[:seen], byLaunches)
		launches := fmt.Sprintf("%d + %d launches", largest.NA, largest.NB)
		if smallest.NA+smallest.NB < largest.NA+largest.NB {
			launches = fmt.Sprintf("%d + %d to %d + %d launches", smallest.NA, smallest.NB, largest.NA, largest.NB)
		}
		s = fmt.Sprintf("with %s a slowdown of %s would have been found (power %g %%) in %s", launches,
			slowdown(order[seen-1].Detectable), 100*power, plural(seen, len(order), "", ""))
	}
	rest := collect.Each(order[seen:], func(row *Row) string {
		if math.IsInf(row.Detectable, 1) {
			return fmt.Sprintf("none in %s", row.Cell)
		}
		return fmt.Sprintf("one of %s in %s", slowdown(row.Detectable), row.Cell)
	})
	switch {
	case len(rest) == 0:
		return s
	case seen == 0:
		return "slowdown that would have been found: " + enumerate(rest)
	}
	return s + ", " + enumerate(rest)
}

func plural(n, of int, one, many string) string {
	verb := many
	if n == 1 {
		verb = one
	}
	s := fmt.Sprintf("%d of %s", n, human.Count(of, "cell", "cells"))
	if verb != "" {
		s += " " + verb
	}
	return s
}

// blind returns a warning if a gate cannot fail, because the smallest p-value of its few launches
// is not below the significance level divided by the number of cells.
func (r *Result) blind() string {
	if !r.Options.Gate {
		return ""
	}
	launched := collect.If(collect.Pointers(r.Rows), func(row *Row) bool { return row.Level == Launches })
	blind := len(collect.If(launched, func(row *Row) bool { return row.MinP()*float64(len(r.Rows)) >= r.Options.Alpha }))
	if blind == 0 {
		return ""
	}
	need := 4
	for stats.MinP(need, need)*float64(len(r.Rows)) >= r.Options.Alpha {
		need++
	}
	return fmt.Sprintf("with so few launches this gate cannot detect any regression in %s: for %s, %d launches of each side are needed",
		plural(blind, len(launched), "", ""), human.Count(len(r.Rows), "cell", "cells"), need)
}
