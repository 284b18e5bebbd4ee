package figure

import (
	"fmt"
	"strings"
	"time"

	"gobench/report/cell"
	"gobench/report/host"
	"gobench/report/style"
)

// unit is how a metric is written: its factor from the unit of the record.
type unit struct {
	scale float64
	name  string
}

var (
	micros = unit{1e6, "µs"}
	giga   = unit{1e-9, "GB/s"}
	second = unit{1, "s"}
	mops   = unit{1, "Mop/s"}
)

func (u unit) write(v float64) string { return style.Number(v*u.scale) + " " + u.name }

// teller returns what a reader is told of a cell of a series: where, how much,
// how sure.
func teller(series string, where func(cell.Cell) string, u unit) func(cell.Cell) string {
	return func(c cell.Cell) string {
		s := where(c) + ": " + u.write(c.Median)
		if series != "" {
			s = series + ", " + s
		}
		if c.Lo > 0 && c.Hi > 0 {
			what := "95 % interval"
			if n := c.Launches(); n > 1 && n < 6 {
				what = "launches from"
			}
			s += fmt.Sprintf(", %s %s to %s", what, style.Number(c.Lo*u.scale), style.Number(c.Hi*u.scale))
		}
		return s + ", " + plural(c.Launches(), "launch", "launches")
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// bySize writes the message size of a cell.
func bySize(c cell.Cell) string { return style.Size(int64(c.X)) }

// method is the method sentence of a figure, written from its records: how it
// was measured, where, and when.
func method(points []cell.Point) string {
	parts := []string{cell.Method(points)}
	if m := machines(points); m != "" {
		parts = append(parts, "measured "+when(points)+" on "+m)
	} else {
		parts = append(parts, "measured "+when(points))
	}
	if parts[0] == "" {
		parts = parts[1:]
	}
	return strings.Join(parts, "; ") + "."
}

func when(points []cell.Point) string {
	first, last := points[0].Time, points[0].Time
	for _, p := range points {
		if p.Time.Before(first) {
			first = p.Time
		}
		if p.Time.After(last) {
			last = p.Time
		}
	}
	if a, b := first.Format(time.DateOnly), last.Format(time.DateOnly); a != b {
		return "from " + a + " to " + b
	}
	return "on " + first.Format(time.DateOnly)
}

// machines names the machines of the points, at most three.
func machines(points []cell.Point) string {
	seen := map[string]bool{}
	var names []string
	known := map[any]bool{}
	for _, p := range points {
		if p.Run == nil || known[p.Run] {
			continue
		}
		known[p.Run] = true
		for _, f := range host.Of(p.Run) {
			if s := f.String(); !seen[s] {
				seen[s] = true
				names = append(names, s)
			}
		}
	}
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("and %d more", len(names)-3))
	}
	return strings.Join(names, "; ")
}

// notes are the warnings of the points, the most frequent first, at most four:
// the tables have them all.
func notes(points []cell.Point) []string {
	all := cell.Warnings(points)
	if len(all) > 4 {
		all = append(all[:4], fmt.Sprintf("%d more kinds of warnings are in the records", len(all)-4))
	}
	return all
}

// replication says what a point and a band stand for.
func replication(all []cell.Series) string {
	most, least := 0, 1<<30
	for _, s := range all {
		for _, c := range s.Cells {
			most, least = max(most, c.Launches()), min(least, c.Launches())
		}
	}
	switch {
	case most <= 1:
		return "Points: median of one launch; bands: its 95 % interval."
	case least == most && most < 6:
		return fmt.Sprintf("Points: median of the medians of %d launches; bands: the least and the greatest of them.", most)
	case least == most:
		return fmt.Sprintf("Points: median of the medians of %d launches; bands: its 95 %% interval.", most)
	default:
		return fmt.Sprintf("Points: median of the medians of %d to %d launches; bands: its 95 %% interval, of fewer than six launches the least and the greatest, of one its own interval.", least, most)
	}
}
