package document

import (
	"cmp"
	"fmt"
	"slices"

	"gobench/compare"
	"gobench/record"
	"gobench/report/cell"
	"gobench/report/figure"
	"gobench/report/style"
)

// maxRows bounds the rows of a table.
const maxRows = 400

// tables returns all cells as a table for each benchmark and time metric, and all comparisons.
func tables(s *cell.Set) []Block {
	var blocks []Block
	groups := map[string][]cell.Point{}
	var benches []string
	for _, p := range s.Rows {
		if groups[p.Bench] == nil {
			benches = append(benches, p.Bench)
		}
		groups[p.Bench] = append(groups[p.Bench], p)
	}
	for _, b := range benches {
		at, along := axis(groups[b])
		by := cell.DistinguishingFactors(groups[b], at, along...)
		for _, t := range cell.ByTime(groups[b]) {
			blocks = append(blocks, results(b, t, at, by))
		}
	}
	if r := s.Compare(); r != nil {
		blocks = append(blocks, comparisons(r))
	}
	return blocks
}

// results returns the table of points of one time metric, without the column of intervals if no
// cell has launches enough for one.
func results(bench string, of cell.Timed, at func(cell.Point) float64, by []cell.Factor) Table {
	t := resultsWithIntervals(bench, of, at, by)
	column := slices.Index(t.Columns, intervalColumn)
	if slices.ContainsFunc(t.Rows, func(row []Field) bool { return row[column].Text != "" }) {
		return t
	}
	t.Columns = slices.Delete(t.Columns, column, column+1)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], column, column+1)
	}
	return t
}

const intervalColumn = "95 % CI"

// resultsWithIntervals returns the table of points of one time metric. Each cell has a row, whose
// interval and percentile belong to the first of the metrics that its records have.
func resultsWithIntervals(bench string, of cell.Timed, at func(cell.Point) float64, by []cell.Factor) Table {
	metrics := columns(of)
	t := Table{Title: cell.Capital(cell.BenchName(bench)), Columns: []string{"series", "at"}}
	for _, key := range metrics {
		m, _ := record.Lookup(key)
		t.Columns = append(t.Columns, cmp.Or(m.Name, key))
	}
	rare := slices.ContainsFunc(cell.Every(of.Points), func(p cell.Point) bool { return slowMean(p.Metrics.Get(of.Key)) })
	t.Columns = append(t.Columns, intervalColumn, "p99")
	if rare {
		t.Columns = append(t.Columns, "mean", "slowest")
	}
	t.Columns = append(t.Columns, "samples", "launches")
	for i, main := range metrics {
		points := slices.DeleteFunc(slices.Clone(of.Points), func(p cell.Point) bool { return hasAny(p, metrics[:i]) })
		for _, series := range cell.SplitBy(points, main, at, by) {
			for _, c := range series.Cells {
				if len(t.Rows) == maxRows {
					t.Remark = fmt.Sprintf("Only the first %d rows are shown; gobench show prints all.", maxRows)
					return t
				}
				row := []Field{words(series.Name), number(c.X, where(c.Points[len(c.Points)-1]))}
				for _, key := range metrics {
					v := c.Middle(key)
					row = append(row, optional(v, quantity(key, v)))
				}
				interval := Field{}
				if c.Spread() == cell.Between {
					interval = number((c.Hi-c.Lo)/c.Median, quantity(main, c.Lo)+" to "+quantity(main, c.Hi))
				}
				n := 0
				for _, p := range c.Points {
					n += p.Metrics.Get(main).N
				}
				p99 := c.P99(main)
				row = append(row, interval, optional(p99, quantity(main, p99)))
				if rare {
					mean, slowest := meanAndSlowest(c, main)
					row = append(row, optional(mean, quantity(main, mean)), optional(slowest, quantity(main, slowest)))
				}
				t.Rows = append(t.Rows, append(row, number(float64(n), fmt.Sprint(n)), number(float64(c.Launches()), fmt.Sprint(c.Launches()))))
			}
		}
	}
	t.Remark = "Medians over launches, whose median has a CI from six launches on. p99 is absent where events were timed together. Rates: 1 MB/s = 10^6 B/s."
	if rare {
		t.Remark += " Mean: the largest of the launches; slowest: the slowest event of all. They differ from the median where few events are very slow."
	}
	if s := figure.ImportRemarks(of.Points); s != "" {
		t.Remark += " " + s
	}
	return t
}

// slowMean reports whether rare slow events make the mean of a time much larger than its median, as
// packets do that are lost and sent again.
func slowMean(v record.Value) bool { return v.Median > 0 && v.Mean > 1.5*v.Median }

// meanAndSlowest returns the largest mean and the slowest event of the launches of a cell, 0 where
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
	return slices.ContainsFunc(metrics, func(key string) bool { ok := p.Has(key); return ok })
}

func optional(v float64, text string) Field {
	if v == 0 {
		return Field{}
	}
	return number(v, text)
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
			for _, f := range rows[i].Cell.Factors {
				if !slices.Contains(factors, f.Name) {
					factors = append(factors, f.Name)
				}
			}
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

func comparisons(r *compare.Result) Table {
	t := Table{Title: "Comparison by " + r.By, Columns: []string{"cell", "metric", "base", "side", "ratio", figure.Confidence(r.Options.Alpha), "p", "n", "verdict"}, Remark: r.Method + "."}
	rows := slices.Clone(r.Rows)
	names := cellNames(rows)
	for i := range rows {
		if i == maxRows {
			t.Remark += fmt.Sprintf(" Only the first %d rows are shown; gobench compare prints all.", maxRows)
			break
		}
		row := &rows[i]
		key := row.Metric.Key
		interval := Field{}
		if row.HasInterval() {
			interval = number(row.Ratio.Hi-row.Ratio.Lo, fmt.Sprintf("%.3f to %.3f", row.Ratio.Lo, row.Ratio.Hi))
		}
		chance := Field{}
		if row.Confidence > 0 {
			chance = number(row.P, style.Number(row.P))
		}
		verdict := figure.Verdict(row.Verdict)
		if row.Why != "" {
			verdict += ": " + row.Why
		}
		t.Rows = append(t.Rows, []Field{
			words(names[i]), words(row.Metric.Name), number(row.A.Median, side(row.Base)+" "+quantity(key, row.A.Median)), number(row.B.Median, side(row.Side)+" "+quantity(key, row.B.Median)),
			number(row.Ratio.Median, fmt.Sprintf("%.3f", row.Ratio.Median)), interval, chance, words(fmt.Sprintf("%d+%d", row.NA, row.NB)), words(verdict),
		})
	}
	return t
}
