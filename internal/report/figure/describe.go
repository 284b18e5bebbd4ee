package figure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/host"
	"gobench/internal/report/style"
	"gobench/record"
)

// A unit converts a metric from the unit of the record to that of an axis.
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

// tooltips returns a function that formats the hover text of a cell: position, value and interval.
func tooltips(series string, where func(cell.Cell) string, u unit) func(cell.Cell) string {
	return func(c cell.Cell) string {
		s := where(c) + ": " + u.write(c.Median)
		if series != "" {
			s = series + ", " + s
		}
		if c.Lo > 0 && c.Hi > 0 {
			what := "95 % CI"
			switch in := c.Spread(); {
			case in.Range():
				what = "launches from"
			case in == cell.Within:
				what = "within the launch CI"
			}
			s += fmt.Sprintf(", %s %s to %s", what, style.Number(c.Lo*u.scale), style.Number(c.Hi*u.scale))
		}
		s += ", " + human.Count(c.Launches(), "launch", "launches")
		if oversubscribed(c) {
			s += ", more ranks than cores"
		}
		return s
	}
}

// bySize formats the message size of a cell.
func bySize(c cell.Cell) string { return style.Size(int64(c.X)) }

// method returns the method sentence of a figure from its records, with the date and the machines
// of the measurement.
func method(points []cell.Point) string {
	how := cell.Method(points)
	if len(points) > 0 && (cell.Records(points) > len(points) || slices.ContainsFunc(points, func(p cell.Point) bool { return p.Point.Run != points[0].Point.Run })) {
		// Clauses on the interval inside a launch do not apply to figures of several launches.
		how = strings.Join(slices.DeleteFunc(strings.Split(how, "; "), func(s string) bool {
			return strings.HasPrefix(s, "nonparametric interval") || strings.HasPrefix(s, "of this one launch")
		}), "; ")
	}
	measured := When(points)
	if m := machines(points); m != "" {
		measured = strings.TrimPrefix(measured+" on "+m, " ")
	}
	if measured != "" {
		how = strings.TrimPrefix(how+"; measured "+measured, "; ")
	}
	if how == "" {
		return ""
	}
	return how + "."
}

// When formats the date of the points, or the first and last date. It returns "" if none has a
// date, as results of logs that do not state it.
func When(points []cell.Point) string {
	dated := collect.If(cell.Every(points), func(p cell.Point) bool { return !p.Time.IsZero() })
	if len(dated) == 0 {
		return ""
	}
	byTime := func(a, b cell.Point) int { return a.Time.Compare(b.Time) }
	first, last := slices.MinFunc(dated, byTime).Time, slices.MaxFunc(dated, byTime).Time
	if a, b := first.Format(time.DateOnly), last.Format(time.DateOnly); a != b {
		return "from " + a + " to " + b
	}
	return "on " + first.Format(time.DateOnly)
}

// machines describes at most three machines of the points and counts the others.
func machines(points []cell.Point) string {
	var names []string
	for _, p := range collect.First(cell.Every(points), func(p cell.Point) *record.Run { return p.Run }) {
		if p.Run != nil {
			names = collect.Union(names, collect.Each(p.Hosts(), host.Facts.String)...)
		}
	}
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("and %d more", len(names)-3))
	}
	return strings.Join(names, "; ")
}

// measured sets the method of a figure of points, adds the number of series that are not drawn,
// what is unequal between programs and the warnings of the points to its notes, and removes the
// legend of a single series without a name.
func (f *Figure) measured(points []cell.Point) {
	f.Method = method(points)
	if left := f.leftOut(); left != "" {
		f.Remarks = append(f.Remarks, left)
	}
	if unequal := Unequal(points); unequal != "" {
		f.Remarks = append(f.Remarks, unequal)
	}
	if i := slices.IndexFunc(f.series, func(name string) bool { return drawable(letters(), name) != name }); i >= 0 {
		f.Remarks = append(f.Remarks, "characters that the font of PNG and PDF lacks are drawn as ?, as in "+f.series[i])
	}
	f.Remarks = append(f.Remarks, remarks(points)...)
	if len(f.series) == 1 {
		f.Keys = slices.DeleteFunc(f.Keys, func(k Key) bool { return k.Name == "" })
	}
}

// remarks returns the four most frequent warnings of the points, and the number of further ones.
func remarks(points []cell.Point) []string {
	all := cell.Warnings(points)
	if len(all) > 4 {
		all = append(all[:4], human.Count(len(all)-4, "further kind of warning", "further kinds of warnings")+": see the records")
	}
	return all
}

// coresOf returns a sentence with the known states of the cores, the most frequent first. states
// holds the number of cells in each state.
func coresOf(states map[string]int) string {
	known := func(name string) bool { return name != state.Unknown.String() }
	names := collect.If(slices.Collect(maps.Keys(states)), known)
	if len(names) == 0 {
		return ""
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(states[b]-states[a], strings.Compare(a, b)) })
	s := " Cores: " + names[0]
	for _, name := range names[1:] {
		s += fmt.Sprintf(", at %s %s", human.Count(states[name], "point", "points"), name)
	}
	return s + "."
}

// replication explains the points and the bands or whiskers of the series of each panel.
func replication(panels ...[]cell.Series) string {
	all := slices.Concat(panels...)
	banded, lined := 0, 0 // panels
	for _, panel := range panels {
		if whiskered(collect.Each(panel, func(s cell.Series) []cell.Cell { return s.Cells })) {
			lined++
		} else {
			banded++
		}
	}
	largest, smallest := 0, 1<<30
	var by [cell.Between + 1]int
	states := map[string]int{}
	for _, s := range all {
		for _, c := range s.Cells {
			states[c.Points[0].State().String()]++
			n := c.Launches()
			largest, smallest = max(largest, n), min(smallest, n)
			by[c.Spread()]++
		}
	}
	points := fmt.Sprintf("Points: median over %d to %d launches.", smallest, largest)
	switch {
	case largest <= 1:
		points = "Points: median of one launch."
	case smallest == largest:
		points = fmt.Sprintf("Points: median over %d launches.", largest)
	}
	points += coresOf(states)
	var bands []string
	last := ""
	for _, b := range []struct {
		n           int
		what, where string
	}{{by[cell.Between], "95 % CI", " (6 or more launches)"}, {by[cell.Drifting], "range of launches that drift", ""},
		{by[cell.Few], "range", " (2 to 5)"}, {by[cell.Within], "CI within the launch", " (1)"}} {
		if b.n > 0 {
			bands, last = append(bands, b.what+b.where), b.what
		}
	}
	switch {
	case len(bands) == 0:
		return points + " No bands: the samples are too small for an interval."
	case len(bands) == 1 && by[cell.Within] > 0:
		bands[0] = "CI within this launch, which does not predict the next"
	case len(bands) == 1:
		bands[0] = last
	}
	word := "Bands: "
	switch {
	case banded == 0:
		word = "Whiskers: "
	case lined > 0:
		word = "Bands or whiskers: "
	}
	s := points + " " + word + strings.Join(bands, ", ")
	if by[cell.Bare] > 0 {
		s += "; without one: too few values"
	}
	return s + "."
}

// runsOf formats the number of runs behind the median of a launch.
func runsOf(points []cell.Point) string {
	smallest, largest := points[0].Iterations, points[0].Iterations
	for _, p := range cell.Every(points) {
		smallest, largest = min(smallest, p.Iterations), max(largest, p.Iterations)
	}
	if smallest == largest {
		return "Each launch: median of " + human.Count(int(largest), "run", "runs") + "."
	}
	return fmt.Sprintf("Each launch: median of %d to %d runs.", smallest, largest)
}
