package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"gobench/internal/collect"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
	"gobench/record"
)

// boxSizes bounds the message sizes of each series.
const boxSizes = 6

// minBox and minViolin are the numbers of launches needed for a box and for a density.
const (
	minBox    = 5
	minViolin = 20
)

// unitOf returns the unit of a metric on an axis.
func unitOf(key string) unit {
	m, _ := record.Lookup(key)
	switch {
	case key == "run_s":
		return second
	case m.Unit == "s":
		return micros
	}
	switch m.Unit {
	case "B/s":
		return giga
	case "1/s", "op/s":
		return unit{1e-6, "million/s"}
	case "Mop/s":
		return mops
	default:
		return unit{1, m.Unit}
	}
}

// Variability draws the variation between launches: a box for each cell with enough launches,
// relative to its median.
func Variability(s *cell.Set) []*Figure {
	var all []*Figure
	for _, bench := range byInterest(by(s.Rows, cell.Bench)) {
		factors := cell.DistinguishingFactors(bench.points, size)
		for _, of := range by(bench.points, cell.Factor{Name: "metric", Of: cell.Main}) {
			var boxes [][]Layer // and densities, of each row
			var names []string
			var drawn [][]cell.Point // of each box
			launched := cell.SplitBy(of.points, of.name, size, factors)
			for i := range launched {
				launched[i].Cells = slices.DeleteFunc(launched[i].Cells, func(c cell.Cell) bool { return c.Launches() < minBox })
			}
			sizes := values(launched)
			chosen := few(shared(launched), boxSizes)
			for _, series := range launched {
				for _, c := range series.Cells {
					if !chosen[c.X] {
						continue
					}
					name := strings.TrimPrefix(series.Name+", "+bySize(c), ", ")
					if application(c.Points[0]) { // which has no message size
						name = cmp.Or(series.Name, cell.RanksName(c.Points[0].Ranks))
					}
					boxes = append(boxes, spread(c, of.name, name, len(names)%maxBoxes))
					names = append(names, name)
					drawn = append(drawn, c.Rows())
				}
			}
			for i := 0; i < len(names); i += maxBoxes {
				end := min(i+maxBoxes, len(names))
				number := ""
				if len(names) > maxBoxes {
					number = fmt.Sprint(i/maxBoxes + 1)
				}
				f := boxFigure(bench.name, number, slices.Concat(boxes[i:end]...), names[i:end], slices.Concat(drawn[i:end]...))
				if len(sizes) > len(chosen) {
					f.Remarks = append(f.Remarks, fmt.Sprintf("%d of %d sizes are drawn: the smallest, the largest, and sizes between them", len(chosen), len(sizes)))
				}
				all = append(all, f)
			}
		}
	}
	return all
}

// maxBoxes bounds the boxes of a figure.
const maxBoxes = 24

// spread returns the box of a cell, with a density if there are enough launches.
func spread(c cell.Cell, key, name string, at int) []Layer {
	medians := c.Medians(key)
	mid := c.Median
	relative := collect.Each(medians, func(m float64) float64 { return m / mid })
	b := boxOf(relative)
	b.At, b.Width, b.Color = float64(at), 0.5, style.Of(0)
	b.Text = fmt.Sprintf("%s: median of %d launches %s, from %s to %s", name, len(medians),
		unitOf(key).write(mid), style.Number(medians[0]*unitOf(key).scale), style.Number(medians[len(medians)-1]*unitOf(key).scale))
	layers := []Layer{b}
	if len(medians) >= minViolin {
		layers = []Layer{Violin{At: b.At, Width: 0.9, Values: relative, Color: b.Color}, b}
	}
	return layers
}

func boxFigure(bench, number string, layers []Layer, names []string, points []cell.Point) *Figure {
	p := NewPanel("")
	p.NameY(names)
	p.XLabel = metricLabel(cell.Main(points[0])) + ", relative to the median over launches"
	p.Add(Grid{NoY: true}, Rule{At: 1, Vertical: true, Color: style.Grey, Dashes: dotted})
	p.Add(layers...)
	p.X.Scale, p.X.Tick.Marker = style.Log{}, style.Decades{} // one slow launch does not flatten all rows
	room := max(math.Pow(p.X.Max/p.X.Min, 0.02), 1.002)
	p.X.Min, p.X.Max = p.X.Min/room, p.X.Max*room
	return &Figure{
		Name: file(bench, "variability", number), Title: headline(bench) + ": launch-to-launch variability, " + surroundings(points), Height: vg.Length(len(names))*19 + 50,
		Rows: [][]*Panel{{p}},
		Caption: join("Each dot is the median of one launch, relative to the median over all launches of its row. Box: quartiles; line: median; whiskers: lowest and highest, nothing is left out. Logarithmic axis.",
			fmt.Sprintf("Rows need %d launches; from %d on the density is shown behind the box.", minBox, minViolin), caveats(points)),
		Method: method(points), Remarks: remarks(points),
	}
}

// metricLabel returns the axis label of a metric.
func metricLabel(key string) string {
	m, _ := record.Lookup(key)
	if m.Unit == "s" {
		return timeLabel(key)
	}
	if key == "mops" {
		return "rate"
	}
	if m.Name == "" {
		return key
	}
	return strings.ReplaceAll(m.Name, "_", " ")
}
