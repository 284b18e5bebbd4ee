package capsule

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gobench/compare"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/record/series"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
	"gobench/internal/terminal"
	"gobench/record"
	"gobench/stats"
)

// A Claim is the value of a cell that a repetition should find again.
type Claim struct {
	Name     string // of the cell: "pingpong smem device 8 B"
	Metric   record.Metric
	Value    stats.Interval // median of the launches in one state of the cores
	Launches int            // in all states

	// Tolerance is the relative difference that a repetition may have: 2 + 2/(n-1) times the
	// greatest distance of one of n launches from their median, and at least 5 %. These n launches
	// were in the most frequent state of the cores; 0 = unknown, because there is only one.
	Tolerance float64
}

// minTolerance is the tolerance of launches that hardly vary: sessions differ more than launches.
const minTolerance = 0.05

// tolerance returns that of launches in one state of the cores.
func tolerance(points []*record.Point, key string) float64 {
	var medians []float64
	for _, p := range points {
		if p.Metrics.Has(key) {
			medians = append(medians, p.Metrics.Median(key))
		}
	}
	n, median, farthest := float64(len(medians)), stats.Median(medians), 0.0
	if n < 2 || median == 0 {
		return 0
	}
	for _, m := range medians {
		farthest = max(farthest, math.Abs(m/median-1))
	}
	return max(minTolerance, (2+2/(n-1))*farthest)
}

// usual returns the points of a cell in the state of the cores with most launches.
func usual(c *series.Cell) (points []*record.Point) {
	for _, some := range c.States {
		if len(some) > len(points) {
			points = some
		}
	}
	return points
}

// A Verdict is the outcome of a claim.
type Verdict string

const (
	Holds   Verdict = "holds"
	Fails   Verdict = "fails"
	Missing Verdict = "not measured"
)

// A Result is what a repetition says about a claim.
type Result struct {
	Claim
	Now     stats.Interval // zero = not measured
	Ratio   float64        // of the medians, now over then
	Verdict Verdict
	Why     string // reason of Missing, a clause
}

// Absent is the Why of a claim whose cell was not repeated.
const Absent = "the repetition lacks it"

// Claims returns a claim for each cell of records.
func Claims(then []compare.Source) ([]Claim, error) {
	results, err := Judge(then, then, 0)
	return collect.Each(results, func(r Result) Claim { return r.Claim }), err
}

// Judge tests the claims of records against their repetition. A positive tolerance replaces those
// of the claims.
func Judge(then, now []compare.Source, tolerated float64) ([]Result, error) {
	join := func(of []compare.Source, name string) compare.Source {
		all := &record.File{}
		for _, source := range of {
			all.Append(source.File)
		}
		return compare.Source{Name: name, File: all}
	}
	sources := []compare.Source{join(then, "then"), join(now, "now")}
	r, err := compare.Compare(sources, compare.Options{By: "file"})
	if err != nil {
		return nil, err
	}
	var scales series.Scales // of both sides, as in package compare, so that cells have the same points
	series.CellsOf([]*record.File{sources[1].File}, &scales)
	cells := map[*record.Point]*series.Cell{}
	for _, c := range series.CellsOf([]*record.File{sources[0].File}, &scales) {
		for _, points := range c.States {
			for _, p := range points {
				cells[p] = c
			}
		}
	}
	claim := func(c compare.Cell, metric record.Metric) Claim {
		of := cells[c.Sample]
		if metric.Key == "" {
			metric, _ = record.Lookup(series.Main(c.Sample.Metrics))
		}
		points := usual(of)
		v, _ := series.Value(points, metric.Key)
		return Claim{
			Name: c.String(), Metric: metric, Value: stats.Interval{Median: v.Median, Lo: v.Lo, Hi: v.Hi},
			Launches: of.Launches, Tolerance: cmp.Or(tolerated, tolerance(points, metric.Key)),
		}
	}
	var results []Result
	for i := range r.Rows {
		row := &r.Rows[i]
		one := Result{Claim: claim(row.Cell, row.Metric), Verdict: Missing, Why: row.Why}
		switch {
		case row.NB == 0 || row.Ratio.Median == 0 || row.Apart:
		case one.Tolerance == 0:
			one.Why = "one launch states no variation"
		default:
			one.Value, one.Now, one.Ratio, one.Why, one.Verdict = row.A, row.B, row.Ratio.Median, "", Fails
			if math.Abs(math.Log(one.Ratio)) <= math.Log(1+one.Tolerance) {
				one.Verdict = Holds
			}
		}
		results = append(results, one)
	}
	for _, m := range r.Missing {
		if m.Side == "now" {
			results = append(results, Result{Claim: claim(m.Cell, record.Metric{}), Verdict: Missing, Why: Absent})
		}
	}
	return results, nil
}

// Quantity formats a value of a metric for people.
func Quantity(m record.Metric, v float64) string {
	switch {
	case m.Time() && v < 1:
		return style.Number(v*1e6) + " us"
	case m.Unit == "B/s":
		return style.Number(v/1e6) + " MB/s"
	case m.Unit == "1" || m.Unit == "times":
		return style.Number(v)
	}
	return fmt.Sprintf("%s %s", style.Number(v), m.Unit)
}

// where returns the versions of gobench and the machines of records.
func where(set *cell.Set) string {
	if len(set.Points) == 0 {
		return "nothing was measured"
	}
	var versions []string
	for _, r := range set.Runs {
		if v := r.Fact("version"); v != "" && !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
	}
	list := hosts(set)
	if len(versions) > 0 {
		list = append([]string{"gobench " + strings.Join(versions, ", ")}, list...)
	}
	return cmp.Or(strings.Join(list, "; "), "an unknown machine")
}

// Count returns the number of results with each verdict.
func Count(results []Result) map[Verdict]int {
	counts := map[Verdict]int{}
	for _, r := range results {
		counts[r.Verdict]++
	}
	return counts
}

// defaultWidth is the width of lines that go to no terminal, in columns.
const defaultWidth = 110

// Print prints the versions and machines of records and of their repetition, the results, and how
// many have each verdict, at most width columns wide; 0 = defaultWidth.
func Print(w io.Writer, then, now []compare.Source, results []Result, width int) error {
	var b strings.Builder
	width = cmp.Or(width, defaultWidth)
	line := func(head, body string) { b.WriteString(terminal.Hang(head, terminal.Plain(body), width)) }
	line("# then ", where(cell.SetOf(then)))
	line("# here ", where(cell.SetOf(now)))
	for _, r := range results {
		body := fmt.Sprintf("%s, %s: %s", r.Name, r.Metric.Name, Quantity(r.Metric, r.Value.Median))
		if r.Tolerance > 0 {
			body += fmt.Sprintf(" within %s %%", human.Percent(r.Tolerance))
		}
		if r.Why == "" {
			body += fmt.Sprintf("; here %s, %s times", Quantity(r.Metric, r.Now.Median), style.Number(r.Ratio))
		} else {
			body += "; " + r.Why
		}
		line(fmt.Sprintf("%-13s", r.Verdict), body)
	}
	counts := Count(results)
	fmt.Fprintf(&b, "# %s: %d, %s: %d, %s: %d\n", Holds, counts[Holds], Fails, counts[Fails], Missing, counts[Missing])
	_, err := io.WriteString(w, b.String())
	return err
}
