package document

import (
	"fmt"
	"slices"
	"strings"

	"gobench/compare"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/record"
)

// rules returns the twelve rules of Hoefler and Belli, "Scientific Benchmarking of Parallel
// Computing Systems" (SC 2015), with a judgement of whether this report keeps them.
func rules(s *cell.Set) []Block {
	t := Table{Title: "The twelve rules of Hoefler and Belli (SC 2015)", Columns: []string{"rule", "what it asks for", "kept", "why"}}
	for i, r := range []struct {
		asks  string
		judge func(*cell.Set) (kept, why string)
	}{
		{"speedup states its base case and the absolute performance", baseCase},
		{"a subset is shown only for a stated reason", subset},
		{"costs are averaged arithmetically, rates harmonically", averaged},
		{"ratios are not summarised", ratios},
		{"nondeterministic numbers have confidence intervals", intervals},
		{"normality is not assumed unchecked", normality},
		{"differences are tested in a statistically sound way", tested},
		{"where the median says too little, percentiles are shown", percentiles},
		{"all factors and the whole setup are documented", documented},
		{"parallel time: measurement, synchronisation and summary are stated", collective},
		{"upper bounds are shown where they are known", bounds},
		{"figures show enough, and join points only where that makes sense", drawn},
	} {
		kept, why := r.judge(s)
		t.Rows = append(t.Rows, []Field{number(float64(i+1), fmt.Sprint(i+1)), words(r.asks), words(kept), words(why)})
	}
	return []Block{t}
}

const (
	yes   = "yes"
	no    = "no"
	moot  = "does not apply"
	parts = "in part"
)

// averaged judges the use of means, which imported logs and phases over ranks have.
func averaged(s *cell.Set) (kept, why string) {
	imported := cell.Share(s.Points, func(p cell.Point) bool { return p.Imported() != "" })
	phases := cell.Share(s.Points, func(p cell.Point) bool { return len(p.Extra["phases_s"]) > 0 })
	why = fmt.Sprintf("medians: %d of %s", len(s.Points)-imported, human.Count(len(s.Points), "record", "records"))
	if phases > 0 {
		why += "; phases are arithmetic means of times over ranks"
	}
	if imported == 0 {
		return yes, why
	}
	return parts, why + fmt.Sprintf("; imported with the average of their programs: %d (%s)", imported, strings.Join(cell.Imports(s.Rows), "; "))
}

// ratios judges the use of ratios: speedups, efficiencies and overlaps are summarised by the median
// of launches; no ratio is averaged over cells.
func ratios(s *cell.Set) (kept, why string) {
	compared := 0
	if r := s.Compare(); r != nil {
		compared = len(r.Rows)
	}
	summarised := cell.Share(s.Points, func(p cell.Point) bool { return hasAny(p, []string{"efficiency", "speedup", "overlap_ratio"}) })
	scaled := cell.Share(s.Points, application)
	switch {
	case summarised > 0:
		return parts, fmt.Sprintf("ratios (speedup, efficiency, overlap) are medians of launches in %s; no ratio is averaged over cells", human.Count(summarised, "record", "records"))
	case compared == 0 && scaled == 0:
		return moot, "there are no ratios"
	}
	return yes, human.Count(compared, "compared cell", "compared cells") + ", each with its own ratio; none is averaged over cells"
}

// normality judges whether a number assumes a normal distribution. Intervals of speedups do.
func normality(s *cell.Set) (kept, why string) {
	for _, c := range s.Cells() {
		if p := c.Points[0]; application(p) && p.Ranks > 1 && c.Lo > 0 {
			return parts, "order statistics and rank tests, except the intervals of speedups, which assume that the logarithm of the ratio is normal, unchecked"
		}
	}
	return yes, "intervals are order statistics, tests are rank tests"
}

// application reports whether a point is of a kernel or an application.
func application(p cell.Point) bool { return p.IsApplication() }

// drawn judges whether figures show the variation behind a point.
func drawn(s *cell.Set) (kept, why string) {
	bare, single := 0, 0
	for _, c := range s.Cells() {
		switch {
		case c.Lo == 0 && c.Hi == 0:
			bare++
		case c.Launches() == 1:
			single++
		}
	}
	n := len(s.Cells())
	joined := "lines guide the eye between sizes and numbers of ranks; empty messages stand apart"
	switch {
	case bare == n:
		return no, "no point has a band or an interval; " + joined
	case bare > 0:
		return parts, fmt.Sprintf("neither band nor interval: %d of %s; %s", bare, human.Count(n, "point", "points"), joined)
	case single > 0:
		return parts, fmt.Sprintf("bands of a single launch: %d of %s; %s", single, human.Count(n, "point", "points"), joined)
	}
	return yes, "every point has a band over its launches; " + joined
}

func baseCase(s *cell.Set) (kept, why string) {
	scaled := cell.Share(s.Points, func(p cell.Point) bool { return application(p) && p.Ranks > 1 })
	single := cell.Share(s.Points, func(p cell.Point) bool { return application(p) && p.Ranks == 1 })
	switch {
	case scaled == 0:
		return moot, "no speedup is shown"
	case single == 0:
		return no, "no run on one rank is among the records"
	}
	return yes, "speedup refers to one rank, whose rate or time is shown beside it"
}

func subset(s *cell.Set) (kept, why string) {
	if len(s.Warnings) > 0 {
		return no, s.Warnings[0]
	}
	if slices.ContainsFunc(s.Points, func(p cell.Point) bool { return p.Stopped == "interrupted" }) {
		return parts, "a run was interrupted; all that was measured before is shown"
	}
	rows := map[string]int{}
	for _, c := range s.Cells() {
		if rows[c.Points[0].Bench]++; rows[c.Points[0].Bench] > maxRows {
			return parts, fmt.Sprintf("tables end after %d rows, and say so; gobench show prints all", maxRows)
		}
	}
	return yes, "all records of the files are in the tables; the first page and figures choose what fits by rank, and notes count the rest"
}

func intervals(s *cell.Set) (kept, why string) {
	var by [cell.Between + 1]int
	for _, c := range s.Cells() {
		by[c.Spread()]++
	}
	n := len(s.Cells())
	var lacking []string
	for _, l := range []struct {
		n    int
		what string
	}{{by[cell.Bare], "without any interval"}, {by[cell.Within], "with that of a single launch, which does not predict the next"},
		{by[cell.Few], "with the range of two to five launches instead"}, {by[cell.Drifting], "with the range of launches that drift instead"}} {
		if l.n > 0 {
			lacking = append(lacking, fmt.Sprintf("%d %s", l.n, l.what))
		}
	}
	switch {
	case by[cell.Bare] == n:
		return no, "no cell has an interval"
	case len(lacking) > 0:
		return parts, fmt.Sprintf("of %s: %s", human.Count(n, "cell", "cells"), strings.Join(lacking, ", "))
	}
	return yes, "the median of every cell has its 95 % interval over launches"
}

func tested(s *cell.Set) (kept, why string) {
	r := s.Compare()
	if r == nil {
		return moot, "nothing is compared"
	}
	n := levels(r)
	switch {
	case n[compare.Single] == len(r.Rows):
		return no, "one launch of each side: intervals inside a launch do not predict the next one"
	case n[compare.Single] > 0:
		return parts, fmt.Sprintf("one launch only: %d of %s", n[compare.Single], human.Count(len(r.Rows), "cell", "cells"))
	}
	few := len(collect.If(collect.Pointers(r.Rows), func(row *compare.Row) bool { return row.MinP() >= r.Options.Alpha }))
	switch {
	case few == len(r.Rows):
		return no, "too few launches in all cells: at least 4 of each side are needed"
	case few > 0:
		return parts, fmt.Sprintf("too few launches in %d of %s: at least 4 of each side are needed", few, human.Count(len(r.Rows), "cell", "cells"))
	}
	return yes, "Mann-Whitney test over launches, with the ratio's interval beside it"
}

func percentiles(s *cell.Set) (kept, why string) {
	with := cell.Share(s.Points, func(p cell.Point) bool { return anyValue(p, func(v record.Value) bool { return v.P99 > 0 }) })
	modes := cell.Share(s.Points, func(p cell.Point) bool {
		return slices.ContainsFunc(p.Warnings, func(w string) bool { return strings.Contains(w, "modes") })
	})
	why = fmt.Sprintf("percentiles: %d of %s", with, human.Count(len(s.Points), "record", "records"))
	if modes > 0 {
		why += fmt.Sprintf("; %d have a warning of several modes", modes)
	}
	if with == 0 {
		return no, why
	}
	if with < len(s.Points) {
		return parts, why
	}
	return yes, why
}

func documented(s *cell.Set) (kept, why string) {
	orphans := cell.Share(s.Points, func(p cell.Point) bool { return p.Run == nil || len(p.Run.Hosts) == 0 })
	var missing []string
	if orphans > 0 {
		missing = append(missing, fmt.Sprintf("machine unknown: %d of %s", orphans, human.Count(len(s.Points), "record", "records")))
	}
	if len(s.Runs) > 0 && len(commits(s)) == 0 {
		missing = append(missing, "program version unknown")
	}
	if h := hypervisor(s); h != "" {
		missing = append(missing, "a virtual machine ("+h+") hides the frequency governor and the load of other guests")
	}
	switch {
	case len(missing) == 0:
		return yes, "machines, program, options and placement are in the records and above"
	case orphans == len(s.Points):
		return no, strings.Join(missing, "; ")
	}
	return parts, strings.Join(missing, "; ")
}

func collective(s *cell.Set) (kept, why string) {
	collectives := cell.Share(s.Points, func(p cell.Point) bool { return p.Has("global_s") })
	stated := cell.Share(s.Points, func(p cell.Point) bool { return p.Has("global_s") && p.ClockSync != "" })
	if collectives == 0 {
		return moot, "no collective was measured"
	}
	if stated < collectives {
		return no, fmt.Sprintf("clock synchronisation unknown: %d of %s of collectives", collectives-stated, human.Count(collectives, "record", "records"))
	}
	return yes, "methods state start, clock and summary over ranks"
}

func bounds(s *cell.Set) (kept, why string) {
	if slices.ContainsFunc(s.Points, application) {
		return parts, "ideal speedup is drawn; the records have no bound of rates"
	}
	return no, "the records have no bound of the links or of the memory"
}
