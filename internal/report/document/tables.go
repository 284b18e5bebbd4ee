package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gobench/compare"
	"gobench/internal/collect"
	"gobench/internal/report/cell"
	"gobench/internal/report/claims"
	"gobench/internal/report/figure"
	"gobench/internal/report/published"
	"gobench/internal/report/style"
	"gobench/record"
)

// maxRows bounds the rows of a table.
const maxRows = 400

// tables returns all cells as a table for each benchmark and time metric, and all comparisons.
func tables(s *cell.Set) []Block {
	var blocks []Block
	for _, points := range benches(s) {
		at, along := axis(points)
		by := cell.DistinguishingFactors(points, at, along...)
		for _, of := range cell.ByTime(points) {
			blocks = append(blocks, results(points[0].Bench, of, at, by)...)
		}
	}
	if r := s.Compare(); r != nil {
		blocks = append(blocks, comparisons(r)...)
	}
	return blocks
}

// benches returns the points of each benchmark, in the order of their first appearance.
func benches(s *cell.Set) [][]cell.Point { return collect.By(s.Rows, cell.Bench.Of) }

// results returns the tables of points of one time metric: one for each main metric, the first that
// the points have of columns. Each cell has a row, and each column one unit.
func results(bench string, of cell.Timed, at func(cell.Point) float64, by []cell.Factor) (tables []Block) {
	metrics := columns(of)
	for i, main := range metrics {
		points := slices.DeleteFunc(slices.Clone(of.Points), func(p cell.Point) bool { return hasAny(p, metrics[:i]) })
		series := cell.SplitBy(points, main, at, by)
		if len(series) == 0 {
			continue
		}
		rare := slices.ContainsFunc(cell.Every(points), func(p cell.Point) bool { return slowMean(p.Metrics.Get(main)) })
		t := resultsTable(bench, series, metrics[i:], rare)
		t.Remark = strings.TrimSpace(t.Remark + " " + figure.ImportRemarks(points))
		tables = append(tables, t)
	}
	return tables
}

// resultsTable returns a table of series, without the column of intervals if no cell has launches
// enough for one. Interval and percentile belong to the first metric.
func resultsTable(bench string, series []cell.Series, metrics []string, rare bool) Table {
	t := Table{Title: cell.Capital(cell.BenchName(bench)), Columns: []string{"series", "at"}, Facts: [][2]string{{"benchmark", bench}}}
	var cells []cell.Cell
	var names []string // of the series of each cell
	for _, s := range series {
		for _, c := range s.Cells {
			cells, names = append(cells, c), append(names, s.Name)
		}
	}
	units := make([]unit, len(metrics))
	for i, key := range metrics {
		units[i] = unitOf(key, collect.Each(cells, func(c cell.Cell) float64 { return c.Middle(key) })...)
		m, _ := record.Lookup(key)
		t.Columns = append(t.Columns, units[i].in(cmp.Or(m.Name, key)))
	}
	main, u := metrics[0], units[0]
	spread := slices.ContainsFunc(cells, func(c cell.Cell) bool { return c.Spread() == cell.Between })
	if spread {
		t.Columns = append(t.Columns, u.in("95 % CI"))
	}
	t.Columns = append(t.Columns, u.in("p99"))
	if rare {
		t.Columns = append(t.Columns, u.in("mean"), u.in("slowest"))
	}
	t.Columns = append(t.Columns, "samples", "launches")
	for i, c := range cells {
		if i == maxRows {
			t.Remark = fmt.Sprintf("Only the first %d rows are shown; gobench show prints all. ", maxRows)
			break
		}
		row := []Field{words(names[i]), number(c.X, where(c.Points[len(c.Points)-1]))}
		for j, key := range metrics {
			row = append(row, units[j].of(c.Middle(key)))
		}
		interval := Field{}
		if c.Spread() == cell.Between {
			interval = number((c.Hi-c.Lo)/c.Median, u.text(c.Lo)+" to "+u.text(c.Hi))
		}
		if spread {
			row = append(row, interval)
		}
		n := 0
		for _, p := range c.Points {
			n += p.Metrics.Get(main).N
		}
		row = append(row, u.of(c.P99(main)))
		if rare {
			mean, slowest := meanAndSlowest(c, main)
			row = append(row, u.of(mean), u.of(slowest))
		}
		t.Rows = append(t.Rows, append(row, number(float64(n), fmt.Sprint(n)), number(float64(c.Launches()), fmt.Sprint(c.Launches()))))
	}
	t.Remark += "Medians over launches, whose median has a CI from six launches on. p99 is absent where events were timed together. Rates: 1 MB/s = 10^6 B/s."
	if rare {
		t.Remark += " Mean: the largest of the launches; slowest: the slowest event of all. They differ from the median where few events are very slow."
	}
	return t
}

// slowMean reports whether rare slow events make the mean of a time much larger than its median, as
// packets do that are lost and sent again.
func slowMean(v record.Value) bool { return v.Median > 0 && v.Mean > 1.5*v.Median }

// meanAndSlowest returns the largest mean and the slowest event of the launches of a cell, 0 if
// the records lack them.
func meanAndSlowest(c cell.Cell, metric string) (mean, slowest float64) {
	for _, p := range c.Points {
		mean, slowest = max(mean, p.Metrics.Get(metric).Mean), max(slowest, p.Metrics.Get(metric).Max)
	}
	return mean, slowest
}

// columns returns the metrics of a table: the time, the first rate, and the main metrics of points
// that have neither.
func columns(of cell.Timed) []string {
	var metrics []string
	if of.Key != "" {
		metrics = []string{of.Key}
	}
	for _, p := range of.Points { // empty messages have no rate
		if rate := cell.Rate(p); rate != "" {
			metrics = append(metrics, rate)
			break
		}
	}
	for _, p := range of.Points {
		if key := cell.Main(p); key != "" && !hasAny(p, metrics) {
			metrics = append(metrics, key)
		}
	}
	return metrics
}

// hasAny reports whether a point has one of the metrics.
func hasAny(p cell.Point, metrics []string) bool {
	return slices.ContainsFunc(metrics, func(key string) bool { return p.Has(key) })
}

// cellNames returns a name for the cell of each row: its place, and the factors that tell it apart
// from the other rows with that place, such as the algorithm.
func cellNames(rows []compare.Row) []string {
	at := map[string][]int{}
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = positionOf(rows[i].Cell)
		key := names[i] + "\x00" + rows[i].Side
		at[key] = append(at[key], i)
	}
	for _, same := range at {
		var factors []string // of any row
		for _, i := range same {
			factors = collect.Union(factors, collect.Each(rows[i].Cell.Factors, func(f compare.Factor) string { return f.Name })...)
		}
		for _, name := range factors {
			first := rows[same[0]].Cell.Factor(name)
			if !slices.ContainsFunc(same, func(i int) bool { return rows[i].Cell.Factor(name) != first }) {
				continue
			}
			for _, i := range same {
				names[i] += ", " + figure.Word(name, rows[i].Cell)
			}
		}
	}
	return names
}

// comparisons returns the tables of a comparison: one for each metric and pair of sides, so that
// each column has one unit.
func comparisons(r *compare.Result) (tables []Block) {
	names := cellNames(r.Rows)
	type key struct{ metric, base, side string }
	keyOf := func(i int) key { return key{r.Rows[i].Metric.Key, r.Rows[i].Base, r.Rows[i].Side} }
	shown := 0
	for _, rows := range collect.By(collect.Range(len(r.Rows)), keyOf) {
		first, k := r.Rows[rows[0]], keyOf(rows[0])
		var values []float64
		for _, i := range rows {
			values = append(values, r.Rows[i].A.Median, r.Rows[i].B.Median)
		}
		u := unitOf(k.metric, values...)
		t := Table{Title: fmt.Sprintf("Comparison by %s: %s of %s against %s", r.By, first.Metric.Name, side(k.side), side(k.base)),
			Columns: []string{"cell", u.in(side(k.base)), u.in(side(k.side)), "ratio", figure.Confidence(r.Options.Alpha), "p", "n", "verdict"}, Remark: r.Method + "."}
		for _, i := range rows {
			if shown == maxRows {
				t.Remark += fmt.Sprintf(" Only the first %d rows of all tables are shown; gobench compare prints all.", maxRows)
				return append(tables, t)
			}
			t.Rows = append(t.Rows, comparisonRow(&r.Rows[i], names[i], u))
			shown++
		}
		tables = append(tables, t)
	}
	return tables
}

func comparisonRow(row *compare.Row, name string, u unit) []Field {
	interval, chance := Field{}, Field{}
	if row.HasInterval() {
		interval = number(row.Ratio.Hi-row.Ratio.Lo, fmt.Sprintf("%.3f to %.3f", row.Ratio.Lo, row.Ratio.Hi))
	}
	if row.Confidence > 0 {
		chance = number(row.P, style.Number(row.P))
	}
	verdict := figure.Verdict(row.Verdict)
	if row.Why != "" {
		verdict += ": " + row.Why
	}
	return []Field{words(name), u.of(row.A.Median), u.of(row.B.Median), number(row.Ratio.Median, fmt.Sprintf("%.3f", row.Ratio.Median)),
		interval, chance, words(fmt.Sprintf("%d+%d", row.NA, row.NB)), words(verdict)}
}

// claimed returns the section about the claims of a publication.
func claimed(work string, results []claims.Result) Section {
	t := Table{Title: claims.Count(results), Columns: []string{"source", "claim", "claimed", "ours", "verdict"}}
	for _, r := range results {
		t.Rows = append(t.Rows, []Field{words(r.Where), words(r.Text), words(r.Want()), words(r.Ours()), words(string(r.Verdict))})
	}
	return Section{"Claims of " + published.Name(work), []Block{t, Text("Claims speak of the machines and programs of their source. Intervals are those of 95 % between launches, or the range of fewer than six.")}}
}
