package figure

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// dataColumns are the columns of Data. Values are in the unit of the metric in records: seconds,
// bytes per second; of ratios and shares as they are drawn. The bounds say what lo and hi are. A
// curve is a series of a panel. Texts come last.
var dataColumns = []string{"panel", "curve", "x", "median", "lo", "hi", "n", "unit", "metric", "bounds", "figure", "series", "name"}

// Data writes the values of figures as CSV in the long form, with a header and a line for each
// value. Numbers that are not known are nan. No field has quotes, because not all readers know
// them: in texts a semicolon stands for a comma. It returns errors of the writer.
func Data(w io.Writer, figures ...*Figure) error {
	out := csv.NewWriter(w)
	lines := [][]string{dataColumns}
	for _, f := range figures {
		lines = append(lines, f.Chart().lines()...)
	}
	return out.WriteAll(lines)
}

// lines returns a line for each value of a chart.
func (c *Chart) lines() (lines [][]string) {
	for _, p := range c.Panels {
		for _, s := range p.Series {
			for _, d := range s.Values {
				n := unknown
				if d.N > 0 {
					n = strconv.Itoa(d.N)
				}
				lines = append(lines, []string{
					strconv.Itoa(p.Number), strconv.Itoa(s.Curve), strconv.FormatFloat(d.X, 'f', -1, 64), exactly(d.Median), exactly(d.Lo), exactly(d.Hi), n,
					unquoted(p.Unit), p.Metric, d.Bounds, c.Name, unquoted(s.Name), unquoted(d.Name),
				})
			}
		}
	}
	return lines
}

// unknown is a number that is not known.
const unknown = "nan"

// exactly formats a number as records do.
func exactly(x float64) string {
	b, err := json.Marshal(x)
	if err != nil { // NaN
		return unknown
	}
	return string(b)
}

var quotes = strings.NewReplacer(",", ";", "\"", "'", "\n", " ", "\r", " ")

// unquoted returns a text that CSV does not quote.
func unquoted(text string) string { return quotes.Replace(strings.TrimSpace(text)) }
