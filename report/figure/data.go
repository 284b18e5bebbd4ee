package figure

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"gobench/report/cell"
)

// dataColumns are the columns of Data. Values are in the unit of the metric in records: seconds, bytes
// per second. The bounds say what lo and hi are.
var dataColumns = []string{"figure", "panel", "metric", "series", "x", "median", "lo", "hi", "bounds", "launches"}

// boundsText names the meaning of lo and hi in Data.
var boundsText = map[cell.Spread]string{
	cell.Within: "95 % interval within the only launch", cell.Few: "range of launches", cell.Drifting: "range of launches", cell.Between: "95 % interval between launches",
}

// HasData reports whether a figure has curves, whose values Data writes.
func (f *Figure) HasData() bool { return len(f.data()) > 0 }

// Data writes the values of the curves of figures as CSV, with a header and a line for each mark. It
// returns errors of the writer.
func Data(w io.Writer, figures ...*Figure) error {
	out := csv.NewWriter(w)
	lines := [][]string{dataColumns}
	for _, f := range figures {
		lines = append(lines, f.data()...)
	}
	return out.WriteAll(lines)
}

func (f *Figure) data() (lines [][]string) {
	for i, p := range slices.Concat(f.Rows...) {
		if p == nil {
			continue
		}
		for _, l := range p.Layers {
			curve, ok := l.(Curve)
			if !ok {
				continue
			}
			for _, c := range curve.Cells {
				lines = append(lines, []string{
					f.Name, strconv.Itoa(i + 1), p.Shows.Metric, curve.Name, strconv.FormatFloat(c.X, 'f', -1, 64), exactly(c.Median), exactly(c.Lo), exactly(c.Hi),
					boundsText[c.Spread()], strconv.Itoa(c.Launches()),
				})
			}
		}
	}
	return lines
}

// exactly formats a number as records do. Bounds that are not known are 0 and stay empty.
func exactly(x float64) string {
	b, err := json.Marshal(x)
	if err != nil || x == 0 {
		return ""
	}
	return string(b)
}
