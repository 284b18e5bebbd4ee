package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// printColl prints, for one transport, each cell with its fastest rival and the times of all
// rivals. It prints nothing if nothing has run.
func printColl(w io.Writer, programs []collProgram, all *collResults, group string) {
	if len(all.runs[group]) == 0 {
		return
	}
	list, s := comparisons(programs, all, group, searched), all.state(group)
	count := all.states(group)
	fmt.Fprintf(w, "\n%s, %d ranks: time of one collective in us, first begin to last end, median of the rounds with %s cores"+
		" (runs near %d, far %d, changed meanwhile %d)\n", group, len(all.cores.all), s, count[near], count[far], count[mixed])
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "operation\t#bytes\tgobench\talgorithm\tbest MPI\twhich\tratio\tinterval\trounds\t|\t")
	var rivals []collProgram
	for _, p := range programs {
		if p.group == group && !p.subject {
			rivals = append(rivals, p)
			fmt.Fprintf(table, "%s\t", p.name)
		}
	}
	fmt.Fprintln(table)
	for _, d := range list {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%d\t|\t", d.op, d.size, timeOrDash(d.own), orDash(d.algorithm),
			timeOrDash(d.best), orDash(d.rival), ratioCells(d), d.n)
		for _, p := range rivals {
			time, _ := interval(all.series(p, d.cell, s))
			fmt.Fprintf(table, "%s\t", timeOrDash(time.Median))
		}
		fmt.Fprintln(table)
	}
	table.Flush()
	for e := asItComes; e <= searched; e++ {
		list := comparisons(programs, all, group, e)
		if mean, ok := geometricMean(list); ok {
			fmt.Fprintf(w, "geometric mean of the ratios to the best MPI: %.3f (%s)\n", mean, e)
		}
	}
}

// ratioCells formats a ratio and its interval as two columns.
func ratioCells(d comparison) string {
	switch {
	case d.n == 0:
		return "-\t-"
	case d.ratio.Lo == 0:
		return fmt.Sprintf("%.2f\t-", d.ratio.Median)
	}
	return fmt.Sprintf("%.2f\t%.2f-%.2f", d.ratio.Median, d.ratio.Lo, d.ratio.Hi)
}

func timeOrDash(seconds float64) string {
	if seconds == 0 {
		return "-"
	}
	return microseconds(seconds)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
