package document

import (
	"fmt"
	"strings"

	"gobench/bench/compare"
	"gobench/report/cell"
)

// rules are the twelve of Hoefler and Belli, "Scientific Benchmarking of
// Parallel Computing Systems" (SC 2015), and whether this report keeps them.
func rules(s *cell.Set) []Block {
	t := Table{Title: "The twelve rules of Hoefler and Belli (SC 2015)", Columns: []string{"rule", "what it asks for", "kept", "why"}}
	for i, r := range []struct {
		asks  string
		judge func(*cell.Set) (kept, why string)
	}{
		{"speedup states its base case and the absolute performance", baseCase},
		{"a subset is shown only for a stated reason", subset},
		{"costs are averaged arithmetically, rates harmonically", always("nothing is averaged: medians throughout")},
		{"ratios are not summarised", always("there is no average over sizes and none of ratios")},
		{"nondeterministic numbers have confidence intervals", intervals},
		{"normality is not assumed unchecked", always("all intervals and tests are non-parametric")},
		{"differences are tested in a statistically sound way", tested},
		{"where the median says too little, percentiles are shown", percentiles},
		{"all factors and the whole setup are documented", documented},
		{"parallel time: measurement, synchronisation and summary are stated", collective},
		{"upper bounds are shown where they are known", bounds},
		{"figures show enough, and join points only where that makes sense", always("intervals are drawn; lines over sizes and ranks guide the eye between powers of two, as captions say; empty messages stand apart")},
	} {
		kept, why := r.judge(s)
		t.Rows = append(t.Rows, []Cell{number(float64(i+1), fmt.Sprint(i+1)), words(r.asks), words(kept), words(why)})
	}
	return []Block{t}
}

const (
	yes   = "yes"
	no    = "no"
	moot  = "does not apply"
	parts = "in part"
)

func always(why string) func(*cell.Set) (string, string) {
	return func(*cell.Set) (string, string) { return yes, why }
}

func baseCase(s *cell.Set) (kept, why string) {
	scaled, single := false, false
	for _, p := range s.Points {
		if _, ok := p.Metrics["run_s"]; ok {
			scaled = scaled || p.Ranks > 1
			single = single || p.Ranks == 1
		}
	}
	switch {
	case !scaled:
		return moot, "no speedup is shown"
	case !single:
		return no, "no run on one rank is among the records"
	}
	return yes, "speedup refers to one rank of the same series, whose rate or time stands beside it"
}

func subset(s *cell.Set) (kept, why string) {
	if len(s.Warnings) > 0 {
		return no, s.Warnings[0]
	}
	for _, p := range s.Points {
		if p.Stopped == "interrupted" {
			return parts, "a run was interrupted; all that was measured before is shown"
		}
	}
	return yes, "all records of the files are in the tables"
}

func intervals(s *cell.Set) (kept, why string) {
	without := 0
	for _, p := range s.Points {
		if !sure(p) {
			without++
		}
	}
	switch {
	case without == len(s.Points):
		return no, "no record has an interval"
	case without > 0:
		return parts, fmt.Sprintf("%d of %d records have none: too few independent samples", without, len(s.Points))
	}
	return yes, "every median has its 95 % interval"
}

func tested(s *cell.Set) (kept, why string) {
	r := s.Compare()
	if r == nil {
		return moot, "nothing is compared"
	}
	n := levels(r)
	switch {
	case n[compare.Single] == len(r.Rows):
		return no, "one launch of each side: intervals inside of a launch say nothing of the next"
	case n[compare.Single] > 0:
		return parts, fmt.Sprintf("%d of %d cells have one launch only", n[compare.Single], len(r.Rows))
	}
	return yes, "Mann-Whitney test over launches, with the ratio's interval beside it"
}

func percentiles(s *cell.Set) (kept, why string) {
	with, modes := 0, 0
	for _, p := range s.Points {
		for _, v := range p.Metrics {
			if v.P99 > 0 {
				with++
				break
			}
		}
		for _, w := range p.Warnings {
			if strings.Contains(w, "modes") {
				modes++
				break
			}
		}
	}
	why = fmt.Sprintf("%d of %d records have percentiles", with, len(s.Points))
	if modes > 0 {
		why += fmt.Sprintf("; %d have more than one mode and say so", modes)
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
	orphans := 0
	for _, p := range s.Points {
		if p.Run == nil || len(p.Run.Hosts) == 0 {
			orphans++
		}
	}
	var missing []string
	if orphans > 0 {
		missing = append(missing, fmt.Sprintf("%d of %d records do not say on which machine they were made", orphans, len(s.Points)))
	}
	if len(s.Runs) > 0 && len(commits(s)) == 0 {
		missing = append(missing, "the version of the program is not known")
	}
	if h := hypervisor(s); h != "" {
		missing = append(missing, "a virtual machine ("+h+") hides the governor and the neighbours")
	}
	switch {
	case len(missing) == 0:
		return yes, "machines, program, options and placement stand in the records and above"
	case orphans == len(s.Points):
		return no, strings.Join(missing, "; ")
	}
	return parts, strings.Join(missing, "; ")
}

func collective(s *cell.Set) (kept, why string) {
	collectives, stated := 0, 0
	for _, p := range s.Points {
		if _, ok := p.Metrics["global_s"]; ok {
			collectives++
			if p.ClockSync != "" {
				stated++
			}
		}
	}
	if stated < collectives {
		return no, fmt.Sprintf("%d of %d records of collectives do not say how clocks were compared", collectives-stated, collectives)
	}
	return yes, "methods state start, clock and summary over ranks"
}

func bounds(s *cell.Set) (kept, why string) {
	for _, p := range s.Points {
		if _, ok := p.Metrics["run_s"]; ok {
			return parts, "ideal speedup is drawn; no bound of rates is known to the records"
		}
	}
	return no, "the records know no bound of the links or of the memory"
}
