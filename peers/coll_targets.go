package main

import (
	"fmt"
	"strings"
)

// collVerdicts compares the results with gobench's targets for collectives.
func collVerdicts(programs []collProgram, all *collResults, scale *scaling) []verdict {
	var list []verdict
	for _, e := range []effort{usual, searched} {
		smem, tcp := comparisons(programs, all, "smem", e), comparisons(programs, all, "tcp", e)
		list = append(list,
			nowhereSlower(fmt.Sprintf("smem, collectives: no cell slower than the best MPI (%s)", e), smem),
			meanAtMost(fmt.Sprintf("smem, collectives: geometric mean of the ratios at most 0.7 (%s)", e), smem, 0.7),
			meanAtMost(fmt.Sprintf("tcp, collectives: geometric mean of the ratios at most 0.9 (%s)", e), tcp, 0.9))
	}
	if scale != nil {
		list = append(list, scale.verdicts()...)
	}
	return list
}

// rounds returns the lowest number of rounds of any comparison.
func rounds(list []comparison) int {
	least := list[0].n
	for _, d := range list {
		least = min(least, d.n)
	}
	return least
}

func nowhereSlower(what string, list []comparison) verdict {
	var slower []string
	for _, d := range list {
		if d.n > 0 && d.ratio.Median > 1 {
			slower = append(slower, fmt.Sprintf("%v (%.2f)", d.cell, d.ratio.Median))
		}
	}
	v := verdict{what: what, decided: rounds(list) >= fewest, met: len(slower) == 0}
	v.measured = fmt.Sprintf("%d of %d cells are slower", len(slower), len(list))
	if !v.met {
		v.measured += ": " + strings.Join(slower, ", ")
	}
	return v
}

func meanAtMost(what string, list []comparison, limit float64) verdict {
	mean, ok := geometricMean(list)
	if !ok {
		return verdict{what: what, measured: "some cells have nothing to compare"}
	}
	return verdict{what, fmt.Sprintf("%.3f over %d cells", mean, len(list)), mean <= limit, rounds(list) >= fewest}
}
