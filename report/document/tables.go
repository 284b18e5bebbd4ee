package document

import (
	"cmp"
	"fmt"
	"slices"

	"gobench/bench/compare"
	"gobench/bench/record"
	"gobench/report/cell"
	"gobench/report/figure"
	"gobench/report/style"
)

// mostRows bounds the rows of a table.
const mostRows = 400

// tables returns all cells as a table for each benchmark, and all comparisons.
func tables(s *cell.Set) []Block {
	var blocks []Block
	groups := map[string][]cell.Point{}
	var benches []string
	for _, p := range s.Points {
		if groups[p.Bench] == nil {
			benches = append(benches, p.Bench)
		}
		groups[p.Bench] = append(groups[p.Bench], p)
	}
	for _, b := range benches {
		blocks = append(blocks, results(b, groups[b]))
	}
	if r := s.Compare(); r != nil {
		blocks = append(blocks, comparisons(r))
	}
	return blocks
}

func results(bench string, points []cell.Point) Table {
	timeKey, rateKey := keys(points)
	t := Table{Title: cell.Capital(cell.BenchName(bench)), Columns: []string{"series", "at"}}
	for _, key := range []string{timeKey, rateKey} {
		if key != "" {
			m, _ := record.Lookup(key)
			t.Columns = append(t.Columns, cmp.Or(m.Name, key))
		}
	}
	t.Columns = append(t.Columns, "95 % CI", "p99", "samples", "launches")
	at, along := axis(points)
	main := cmp.Or(timeKey, rateKey)
	for _, series := range cell.Split(points, main, at, along...) {
		for _, c := range series.Cells {
			if len(t.Rows) == mostRows {
				t.Note = fmt.Sprintf("Only the first %d rows are shown; gobench show prints all.", mostRows)
				return t
			}
			last := c.Points[len(c.Points)-1]
			row := []Field{words(series.Name), number(c.X, where(last))}
			row = append(row, number(c.Median, quantity(main, c.Median)))
			if timeKey != "" && rateKey != "" {
				v := c.Middle(rateKey)
				row = append(row, optional(v, quantity(rateKey, v)))
			}
			interval := Field{}
			if in := c.Spread(); in != cell.Bare && !in.Range() {
				interval = number((c.Hi-c.Lo)/c.Median, quantity(main, c.Lo)+" to "+quantity(main, c.Hi))
			}
			n := 0
			for _, p := range c.Points {
				n += p.Metrics[main].N
			}
			p99 := c.P99(main)
			t.Rows = append(t.Rows, append(row, interval, optional(p99, quantity(main, p99)), number(float64(n), fmt.Sprint(n)), number(float64(c.Launches()), fmt.Sprint(c.Launches()))))
		}
	}
	t.Note = "Medians over launches, whose median has a CI from six launches on. p99 is absent where events were timed together. Rates: 1 MB/s = 10^6 B/s."
	if s := figure.ImportRemarks(points); s != "" {
		t.Note += " " + s
	}
	return t
}

func optional(v float64, text string) Field {
	if v == 0 {
		return Field{}
	}
	return number(v, text)
}

func comparisons(r *compare.Result) Table {
	t := Table{Title: "Comparison by " + r.By, Columns: []string{"cell", "metric", "base", "side", "ratio", "95 % CI", "p", "n", "verdict"}, Note: r.Method + "."}
	rows := slices.Clone(r.Rows)
	for i := range rows {
		if i == mostRows {
			t.Note += fmt.Sprintf(" Only the first %d rows are shown; gobench compare prints all.", mostRows)
			break
		}
		row := &rows[i]
		key := row.Metric.Key
		interval := Field{}
		if row.HasInterval() {
			interval = number(row.Ratio.Hi-row.Ratio.Lo, fmt.Sprintf("%.3f to %.3f", row.Ratio.Lo, row.Ratio.Hi))
		}
		verdict := figure.Verdict(row.Verdict)
		if row.Why != "" {
			verdict += ": " + row.Why
		}
		t.Rows = append(t.Rows, []Field{
			words(place(row.Cell)), words(row.Metric.Name), number(row.A.Median, side(row.Base)+" "+quantity(key, row.A.Median)), number(row.B.Median, side(row.Side)+" "+quantity(key, row.B.Median)),
			number(row.Ratio.Median, fmt.Sprintf("%.3f", row.Ratio.Median)), interval, number(row.P, style.Number(row.P)), words(fmt.Sprintf("%d+%d", row.NA, row.NB)), words(verdict),
		})
	}
	return t
}
