package document

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
	"gobench/internal/report/style"
)

// methods returns a paragraph on how the records were measured: programs and machines, launches and
// their order, placement, clock, statistics, comparison, and what was left out. Every clause comes
// from the records; what they do not state is not said.
func methods(s *cell.Set) Text {
	return Text(strings.Join(slices.DeleteFunc(slices.Concat([]string{
		measuredOn(s), launched(s), pinnedTo(s), clocked(s), statistics(s), compared(s),
	}, leftOut(s)), func(sentence string) bool { return sentence == "" }), " "))
}

// measuredOn returns a sentence with benchmarks, dates, machines, programs and libraries.
func measuredOn(s *cell.Set) string {
	names := collect.Each(benches(s), func(points []cell.Point) string { return cell.BenchName(points[0].Bench) })
	text := cell.Capital(human.Enumerate(names, "and")) + " were measured"
	if len(names) == 1 {
		text = cell.Capital(names[0]) + " was measured"
	}
	if when := figure.When(s.Rows); when != "" {
		text += " " + when
	}
	var hosts, programs, libraries []string
	for _, m := range allMachines(s) {
		hosts = append(hosts, m.String())
		programs, libraries = append(programs, m.programs...), append(libraries, m.libraries...)
	}
	for _, of := range []struct {
		word string
		list []string
	}{{" on ", hosts}, {" by gobench ", programs}, {" over ", libraries}} {
		slices.Sort(of.list)
		if list := slices.Compact(of.list); len(list) > 0 {
			text += of.word + strings.Join(list, "; ")
		}
	}
	return text + "."
}

// launched returns a sentence with the number of launches, their order and its seed.
func launched(s *cell.Set) string {
	fewest, largest := math.MaxInt, 0
	for _, c := range s.Cells() {
		fewest, largest = min(fewest, c.Launches()), max(largest, c.Launches())
	}
	text := "Each configuration was measured in " + human.Count(largest, "launch", "launches")
	if fewest < largest {
		text = fmt.Sprintf("Configurations were measured in %d to %d launches", fewest, largest)
	}
	text += ", each of new processes"
	blocks := map[int64]int{} // of a seed
	for _, l := range s.Launches {
		blocks[l.Seed] = max(blocks[l.Seed], l.Block)
	}
	var seeds []string
	for seed, n := range blocks {
		seeds = append(seeds, fmt.Sprintf("%s of random order (seed %d)", human.Count(n, "block", "blocks"), seed))
	}
	slices.Sort(seeds)
	if len(seeds) > 0 {
		text += ", in " + human.Enumerate(seeds, "and")
	}
	return text + "."
}

// pinnedTo returns a sentence with the cores of the ranks.
func pinnedTo(s *cell.Set) string {
	return distinct("Ranks", s, func(i int) string {
		if where := pinned(s.Runs[i].Job); where != "not pinned" {
			return "pinned to " + where
		} else if len(s.Runs[i].Job.Cores) > 0 {
			return where
		}
		return ""
	})
}

// clocked returns a sentence with the clock and the cost of a reading.
func clocked(s *cell.Set) string {
	lowest, highest := math.Inf(1), 0.0
	for _, r := range s.Runs {
		for _, c := range r.Clocks {
			lowest, highest = min(lowest, c.Cost*1e9), max(highest, c.Cost*1e9)
		}
	}
	text := distinct("Clock", s, func(i int) string {
		if len(s.Runs[i].Clocks) == 0 {
			return ""
		}
		return s.Runs[i].Clocks[0].Source
	})
	if text == "" || highest == 0 {
		return text
	}
	return fmt.Sprintf("%s, whose reading costs %s to %s ns.", strings.TrimSuffix(text, "."), style.Number(math.Round(lowest)), style.Number(math.Round(highest)))
}

// distinct returns a sentence with the distinct texts of runs and the number of runs of each, the
// most frequent first; empty if no run has one.
func distinct(what string, s *cell.Set, of func(run int) string) string {
	known := collect.If(collect.Range(len(s.Runs)), func(i int) bool { return of(i) != "" })
	alike := collect.By(known, of)
	if len(alike) == 0 {
		return ""
	}
	slices.SortStableFunc(alike, func(a, b []int) int { return len(b) - len(a) })
	texts := collect.Each(alike, func(runs []int) string {
		if len(alike) == 1 {
			return of(runs[0])
		}
		return fmt.Sprintf("%s (%s)", of(runs[0]), human.Count(len(runs), "launch", "launches"))
	})
	return what + ": " + strings.Join(texts, "; ") + "."
}

// statistics returns sentences with the methods of launches and the summary over launches.
func statistics(s *cell.Set) string {
	text := ""
	for _, alike := range collect.By(benches(s), cell.Method) {
		if how := cell.Method(alike[0]); how != "" {
			names := collect.Each(alike, func(points []cell.Point) string { return cell.BenchName(points[0].Bench) })
			text += "In each launch of " + human.Enumerate(names, "and") + ": " + how + ". "
		}
	}
	return text + "Values are medians over launches of the medians of launches; intervals are nonparametric 95 % intervals of order statistics of launches, from six launches on."
}

func compared(s *cell.Set) string {
	if r := s.Compare(); r != nil {
		return "Comparison by " + r.By + ": " + r.Method + "."
	}
	return ""
}

// leftOut returns sentences with the warnings about missing records, and with the time that other
// programs took.
func leftOut(s *cell.Set) (sentences []string) {
	sentences = collect.Each(s.Warnings, func(w string) string { return "Left out or incomplete: " + strings.TrimSuffix(w, ".") + "." })
	lost, disturbed := 0.0, 0
	for _, r := range s.Runs {
		disturbance := r.WorstNoise().Lost
		if disturbance > cell.MaxLost {
			disturbed++
		}
		lost = max(lost, disturbance)
	}
	if disturbed > 0 {
		sentences = append(sentences, fmt.Sprintf("Before %d of %s a core lost up to %s %% of its time to others.", disturbed, human.Count(len(s.Runs), "launch", "launches"), style.Number(math.Round(100*lost))))
	}
	return sentences
}
