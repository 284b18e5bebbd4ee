package document

import (
	"fmt"
	"slices"

	"gobench/compare"
	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
	"gobench/internal/report/host"
	"gobench/record"
)

// caveats returns the caveats of a set, the most severe first.
func caveats(s *cell.Set, r *compare.Result) []string {
	list := slices.Clone(s.Warnings) // what failed, and what files lack
	add := func(sentence string) {
		if sentence != "" {
			list = append(list, sentence)
		}
	}
	add(sameProgram(s, r))
	add(figure.Oversubscription(s.Rows))
	add(figure.Preemption(s.Rows))
	add(farCores(s))
	add(slowEvents(s))
	single, few, drifting := 0, 0, 0
	for _, c := range s.Cells() {
		switch in := c.Spread(); {
		case c.Launches() == 1:
			single++
		case in == cell.Few:
			few++
		case in == cell.Drifting:
			drifting++
		}
	}
	all := human.Count(len(s.Cells()), "configuration", "configurations")
	for _, kind := range []struct {
		n    int
		text string
	}{
		{single, "Launched once: %d of %s. An interval within a launch does not predict the next one."},
		{few, "Launched two to five times: %d of %s. These have a range, but no CI, which needs 6 launches."},
		{drifting, "Launches drift, or depend on each other: %d of %s. These have a range, but no CI."},
	} {
		if kind.n > 0 {
			add(fmt.Sprintf(kind.text, kind.n, all))
		}
	}
	add(figure.ImportRemarks(s.Rows))
	if unequal := figure.Unequal(s.Rows); unequal != "" {
		add(cell.Capital(unequal) + ".")
	}
	if names := hosts(s); len(names) > 1 {
		add(fmt.Sprintf("The records are of %d machines. Differences between them include those of the machines.", len(names)))
	}
	if h := hypervisor(s); h != "" {
		add("At least one machine is virtual (" + h + "): the host may move its cores during a measurement.")
	}
	if n := len(commits(s)); n > 1 {
		add(fmt.Sprintf("%d versions of the program made these records.", n))
	}
	// Launches of a series have a fixed time each; the precision covers all of them.
	wide := cell.Share(s.Points, func(p cell.Point) bool {
		return p.Stopped == "budget" && (p.Run == nil || p.Run.Series == "") || p.Stopped == "interrupted"
	})
	if wide > 0 {
		add(fmt.Sprintf("Precision goal missed: %d of %s.", wide, human.Count(len(s.Points), "record", "records")))
	}
	if without := cell.Share(s.Points, func(p cell.Point) bool {
		return !anyValue(p, func(v record.Value) bool { return v.Lo > 0 || v.Hi > 0 })
	}); without > 0 {
		add(fmt.Sprintf("No interval, because of too few independent samples: %d of %s.", without, human.Count(len(s.Points), "record", "records")))
	}
	warnings := cell.Warnings(s.Rows)
	left := ""
	if n := len(warnings) - 6; n > 0 {
		warnings = warnings[:6]
		left = fmt.Sprintf("%d further kinds of warnings: see the records.", n)
		if n == 1 {
			left = "One further kind of warning: see the records."
		}
	}
	for _, w := range warnings {
		add("Warning in the records: " + w + ".")
	}
	add(left)
	return list
}

// sameProgram returns a caveat if all sides of a comparison of files are the same program.
func sameProgram(s *cell.Set, r *compare.Result) string {
	if r == nil || r.By != "file" && r.By != "" {
		return ""
	}
	runs := map[*record.Point]*record.Run{}
	for _, p := range s.Points {
		runs[p.Point] = p.Run
	}
	launchOf := record.LaunchOf(s.Launches)
	all := map[string]bool{}
	for _, side := range r.Sides {
		known := false
		for _, p := range r.Points(side.Name) {
			if id := identity(runs[p], launchOf); id != "" {
				known, all[id] = true, true
			}
		}
		if !known {
			return ""
		}
	}
	if len(all) > 1 {
		return ""
	}
	return "Both sides are the same program: differences come from the machine and the time of measurement, not from the program."
}

// identity returns a string that differs between programs, empty if the run has too few facts.
func identity(r *record.Run, launchOf func(*record.Run) *record.Launch) string {
	if r == nil {
		return ""
	}
	if l := launchOf(r); l != nil && l.Build != "" {
		return l.Build
	}
	facts, _ := r.Program.(map[string]any)
	commit, _ := facts["commit"].(string)
	if commit == "" || facts["modified"] == true {
		return ""
	}
	id := commit
	for _, key := range []string{"go", "build_tags", "cgo", "goamd64"} { // others are settings of a run
		id += fmt.Sprintf("\x00%v", facts[key])
	}
	return id
}

// farCores returns a caveat if points were measured on cores far apart while other cores of the
// machine were near each other. It ignores distances without a known state, which include the
// scheduler.
func farCores(s *cell.Set) string {
	far, known, farthest := 0, 0, 0.0
	possible := 0.0
	for _, p := range s.Points {
		scale, greatest := p.Scale(), 0.0
		for _, d := range []float64{p.DistanceBefore, p.DistanceAfter, p.DistanceMax} {
			if scale.Of(d) != state.Unknown {
				greatest = max(greatest, d)
			}
		}
		if greatest == 0 {
			continue
		}
		known++
		if scale.Of(greatest) == state.Far {
			far++
			if greatest > farthest {
				farthest, possible = greatest, scale.Distance
			}
		}
	}
	if far == 0 {
		return ""
	}
	return fmt.Sprintf("Cores far apart before or after %d of %s: core-to-core latency up to %.0f ns, while %.0f ns is possible on this machine.", far, human.Count(known, "record", "records"), farthest*1e9, possible*1e9)
}

// slowEvents returns a caveat if rare slow events make the mean of cells much larger than their
// median, with the cell in which it is the most.
func slowEvents(s *cell.Set) string {
	n, all := 0, 0
	worst, at := 0.0, ""
	for _, c := range s.Cells() {
		key := record.TimeKey(c.Points[0].Metrics)
		if key == "" {
			continue
		}
		all++
		mean, slowest := meanAndSlowest(c, key)
		median := c.Middle(key)
		if !slowMean(record.Value{Median: median, Mean: mean}) {
			continue
		}
		n++
		if mean/median > worst {
			worst = mean / median
			at = fmt.Sprintf("%s, %s, %s: mean %s, ", cell.BenchName(c.Points[0].Bench), c.Points[0].Transport, caseOf(c), quantity(key, mean))
			if slowest > 0 { // batches have no events
				at += "slowest event " + quantity(key, slowest) + ", "
			}
			at += "median " + quantity(key, median)
			if names := cell.Host.Of(c.Points[0]); names != "" {
				at = names + ", " + at
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Few events are very slow in %d of %s, as with lost packets or interruptions: the median does not show them. The most on %s.", n, human.Count(all, "configuration", "configurations"), at)
}

func anyValue(p cell.Point, is func(record.Value) bool) bool {
	for _, v := range p.Metrics.All() {
		if is(v) {
			return true
		}
	}
	return false
}

// hosts returns the names of all machines, sorted; "" is the name of those without one.
func hosts(s *cell.Set) (names []string) {
	for _, r := range s.Runs {
		names = collect.Union(names, collect.Each(s.Hosts(r), func(f host.Facts) string { return f.Hostname })...)
	}
	slices.Sort(names)
	return names
}

// commits returns the versions of the program in the records.
func commits(s *cell.Set) (all []string) {
	for _, r := range s.Runs {
		if c := r.Fact("commit"); c != "" {
			all = collect.Union(all, c)
		}
	}
	return all
}

// hypervisor returns the hypervisor of the first virtual machine, empty without one.
func hypervisor(s *cell.Set) string {
	for _, r := range s.Runs {
		for _, f := range s.Hosts(r) {
			if f.Virtual() {
				return f.Hypervisor
			}
		}
	}
	return ""
}
