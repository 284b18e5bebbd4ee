package comparison

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"gobench/compare"
	"gobench/internal/collect"
	"gobench/internal/report/export"
	"gobench/stats"
)

// Schema is the schema of the JSON rows of a comparison, described in docs/compare.md.
const Schema = "gobench-compare/1"

// A row is the JSON form of one cell. Unknown values are absent.
type row struct {
	Schema string            `json:"schema"`
	Kind   string            `json:"kind"` // "comparison"
	Cell   map[string]string `json:"cell"` // factors
	By     string            `json:"by"`
	Base   string            `json:"base"`
	Side   string            `json:"side"`
	Metric string            `json:"metric"`
	Better string            `json:"better"` // "lower" or "higher"
	A      *number           `json:"base_value,omitempty"`
	B      *number           `json:"side_value,omitempty"`
	NA     int               `json:"base_n"`
	NB     int               `json:"side_n"`
	Ratio  *number           `json:"ratio,omitempty"`
	P      *float64          `json:"p,omitempty"`
	Holm   *float64          `json:"p_holm,omitempty"`

	Widening   float64  `json:"widening,omitempty"`   // of the interval, because launches did not alternate
	Detectable float64  `json:"detectable,omitempty"` // slowdown that would have been found; absent = none
	Threshold  float64  `json:"threshold"`
	Verdict    string   `json:"verdict"`
	Why        string   `json:"why,omitempty"`
	Remarks    []string `json:"notes,omitempty"`
}

type number struct {
	Median     float64 `json:"median"`              // of launches
	Statistic  string  `json:"statistic,omitempty"` // of a launch: "mean"; absent = its median
	Lo         float64 `json:"lo,omitempty"`
	Hi         float64 `json:"hi,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`
}

// A summary is the last JSON row.
type summary struct {
	Schema   string         `json:"schema"`
	Kind     string         `json:"kind"` // "summary"
	Cells    int            `json:"cells"`
	Verdicts map[string]int `json:"verdicts"`
	Missing  []absentCell   `json:"missing,omitempty"`
	Method   string         `json:"method"`
	Gate     string         `json:"gate,omitempty"`
	Why      string         `json:"why,omitempty"`
	Power    string         `json:"power,omitempty"`        // slowdown that would have been found
	Same     bool           `json:"same_program,omitempty"` // all sides have one digest
	Warnings []string       `json:"warnings,omitempty"`
}

type absentCell struct {
	Cell map[string]string `json:"cell"`
	Side string            `json:"side"`
}

func newRow(r *compare.Result, c *compare.Row) row {
	out := row{
		Schema: Schema, Kind: "comparison", Cell: factors(c.Cell), By: r.By, Base: c.Base, Side: c.Side, Metric: c.Metric.Key, Better: string(c.Metric.Direction),
		NA: c.NA, NB: c.NB, Widening: c.Widening, Threshold: c.Threshold, Verdict: string(c.Verdict), Why: c.Why, Remarks: c.Remarks,
	}
	if c.A.Median > 0 && c.B.Median > 0 {
		out.A, out.B = newNumber(c.A, c.MeanA), newNumber(c.B, c.MeanB)
		out.Ratio = newNumber(c.Ratio, false)
		out.Ratio.Confidence = c.Confidence
	}
	if !math.IsInf(c.Detectable, 1) {
		out.Detectable = c.Detectable
	}
	if c.Confidence > 0 {
		out.P = &c.P
		if r.Gate != nil {
			out.Holm = &c.Adjusted
		}
	}
	return out
}

func newNumber(i stats.Interval, mean bool) *number {
	n := &number{Median: i.Median, Lo: i.Lo, Hi: i.Hi}
	if mean {
		n.Statistic = "mean"
	}
	return n
}

func factors(c compare.Cell) map[string]string {
	m := map[string]string{}
	for _, f := range c.Factors {
		m[f.Name] = f.Value
	}
	return m
}

// JSON writes a row for each cell and a summary at the end, as JSON Lines. It returns errors of the
// writer.
func JSON(w io.Writer, r *compare.Result) error {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	for i := range r.Rows {
		if err := out.Encode(newRow(r, &r.Rows[i])); err != nil {
			return err
		}
	}
	end := summary{Schema: Schema, Kind: "summary", Cells: len(r.Rows), Verdicts: map[string]int{}, Method: r.Method, Same: r.SameProgram, Warnings: r.Explained()}
	for _, row := range r.Rows {
		end.Verdicts[string(row.Verdict)]++
	}
	for _, m := range r.Missing {
		end.Missing = append(end.Missing, absentCell{factors(m.Cell), m.Side})
	}
	if r.Gate != nil {
		end.Gate, end.Why = string(r.Gate.Conclusion), r.Gate.Why
		end.Power = r.Gate.Power
	}
	if err := out.Encode(end); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// CSV writes a header and a row for each cell (RFC 4180), with a column for each factor that
// occurs. It returns errors of the writer.
func CSV(w io.Writer, r *compare.Result) error {
	var names []string
	for _, row := range r.Rows {
		for _, f := range row.Cell.Factors {
			names = collect.Union(names, f.Name)
		}
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	out.Write(append(slices.Clone(names), "base", "side", "metric", "base_median", "side_median", "base_n", "side_n",
		"ratio", "ratio_lo", "ratio_hi", "p", "threshold", "detectable", "verdict", "why"))
	for i := range r.Rows {
		row := &r.Rows[i]
		line := collect.Each(names, func(name string) string { return export.Text(row.Cell.Factor(name)) })
		p, lo, hi := "", "", ""
		if row.Confidence > 0 {
			p = digits(row.Adjusted)
		}
		if row.HasInterval() {
			lo, hi = digits(row.Ratio.Lo), digits(row.Ratio.Hi)
		}
		out.Write(append(line, export.Text(row.Base), export.Text(row.Side), export.Text(row.Metric.Key), digits(row.A.Median), digits(row.B.Median), fmt.Sprint(row.NA), fmt.Sprint(row.NB),
			digits(row.Ratio.Median), lo, hi, p, digits(row.Threshold), digits(row.Detectable), string(row.Verdict), export.Text(row.Why)))
	}
	out.Flush()
	return out.Error()
}

// digits formats a number with full precision, empty if it is absent.
func digits(x float64) string {
	if x == 0 || math.IsInf(x, 0) {
		return ""
	}
	return fmt.Sprint(x)
}
