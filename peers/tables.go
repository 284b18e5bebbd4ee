package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// printTables prints, for each transport, the median half round trip of every program and its ratio
// to gobench at level device.
func printTables(w io.Writer, programs []program, all *results) {
	for _, group := range []string{"smem", "tcp"} {
		var columns []program
		for _, p := range programs {
			if p.group == group {
				columns = append(columns, p)
			}
		}
		us := find(programs, group, "gobench device")
		fmt.Fprintf(w, "\n%s: half round trip in us, median of the rounds in which the pair was near; (time / time of gobench device)\n", group)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprint(table, "#bytes\t")
		for _, p := range columns {
			fmt.Fprintf(table, "%s\t", p.name)
		}
		fmt.Fprintln(table)
		for _, size := range us.sizes {
			fmt.Fprintf(table, "%d\t", size)
			own := all.series(us, size, halfRTT)
			for _, p := range columns {
				fmt.Fprintf(table, "%s\t", entry(all.series(p, size, halfRTT), own, p.role == subject))
			}
			fmt.Fprintln(table)
		}
		table.Flush()
		fmt.Fprintf(w, "rounds that count, least of a program over its sizes: %s\n", counted(columns, all))
	}
	fmt.Fprintln(w, "\nEach program ran pinned to the pair of cores that was nearest when it started and calibrated the pair"+
		"\naround every size (NetPIPE and gobench over tcp: around the run); far points do not count. NetPIPE reports its best trial.")
}

func entry(times, own map[int]float64, subject bool) string {
	if len(times) == 0 {
		return "-"
	}
	text := microseconds(middle(values(times)))
	if r := ratioOf(times, own); !subject && r.n > 0 {
		text += fmt.Sprintf(" (%.2f)", r.of)
	}
	return text
}

// microseconds formats with at least three digits.
func microseconds(seconds float64) string {
	us := seconds * 1e6
	switch {
	case us < 1:
		return fmt.Sprintf("%.3f", us)
	case us < 100:
		return fmt.Sprintf("%.2f", us)
	}
	return fmt.Sprintf("%.0f", us)
}

func counted(columns []program, all *results) string {
	var parts []string
	for _, p := range columns {
		least := all.rounds
		for _, size := range p.sizes {
			least = min(least, len(all.series(p, size, halfRTT)))
		}
		parts = append(parts, fmt.Sprintf("%s %d", p.name, least))
	}
	return strings.Join(parts, ", ")
}
