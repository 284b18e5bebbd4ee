package figure

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/report/cell"
	"gobench/report/style"
)

// Bar is one upright bar from 0, with its interval.
type Bar struct {
	At, Width    float64 // on the x axis
	High, Lo, Hi float64
	Look         style.Series
	Text         string
}

// Plot implements plot.Plotter.
func (b Bar) Plot(c draw.Canvas, p *plot.Plot) {
	x0, x, x1 := c.X(p.X.Norm(b.At-b.Width/2)), c.X(p.X.Norm(b.At)), c.X(p.X.Norm(b.At+b.Width/2))
	y0, y1 := c.Y(p.Y.Norm(0)), c.Y(p.Y.Norm(b.High))
	c.FillPolygon(b.Look.Color, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
	if b.Lo > 0 {
		c.StrokeLine2(draw.LineStyle{Color: style.Ink, Width: 0.8}, x, c.Y(p.Y.Norm(b.Lo)), x, c.Y(p.Y.Norm(b.Hi)))
	}
	number := style.Text(style.Small, false)
	number.XAlign = draw.XCenter
	if s := fmt.Sprintf("%.2f", b.High); number.Width(s) < (x1-x0)*1.4 {
		c.FillText(number, vg.Point{X: x, Y: c.Y(p.Y.Norm(max(b.High, b.Hi))) + 1.5}, s)
	}
}

// DataRange implements plot.DataRanger.
func (b Bar) DataRange() (x0, x1, y0, y1 float64) {
	x0, x1, _, _ = nothing()
	return x0, x1, 0, max(b.High, b.Hi) * 1.06
}

// Marks implements Layer.
func (b Bar) Marks(c draw.Canvas, p *plot.Plot) []Mark {
	return []Mark{{At: vg.Point{X: c.X(p.X.Norm(b.At)), Y: c.Y(p.Y.Norm(b.High))}, Text: b.Text}}
}

// OneCore draws kernels on one rank with one thread relative to the first
// series, which should be the native one: what a language and its loops cost
// before anything is communicated. It takes two libraries at least.
func OneCore(s *cell.Set) []*Figure {
	points := s.Where(func(p cell.Point) bool {
		return application(p) && p.Ranks == 1 && p.Threads <= 1 && p.Metrics["mops"].Median > 0
	})
	var all []*Figure
	if len(by(points, cell.Library)) < 2 {
		return nil // without communication transports do not differ
	}
	for _, class := range by(points, cell.Class) {
		if f := oneCore(class); f != nil {
			all = append(all, f)
		}
	}
	return all
}

func oneCore(class part) *Figure {
	telling := cell.Telling(class.points, ranks, cell.Ranks, cell.Bench)
	benches := by(class.points, cell.Bench)
	slices.SortFunc(benches, func(a, b part) int { return strings.Compare(a.name, b.name) })
	var names, series []string
	rates := map[[2]string]cell.Cell{}
	for _, b := range benches {
		names = append(names, b.name)
		for _, one := range cell.SplitBy(b.points, "mops", ranks, telling) {
			rates[[2]string{b.name, one.Name}] = one.Cells[0]
			if !slices.Contains(series, one.Name) {
				series = append(series, one.Name)
			}
		}
	}
	if len(series) < 2 || len(series) > style.Most {
		return nil
	}
	p := NewPanel("")
	p.NameX(names)
	p.YLabel = "rate / rate of " + series[0]
	p.Add(Grid{NoX: true}, Rule{At: 1, Color: style.Grey, Dashes: dotted})
	width := 0.8 / float64(len(series))
	f := &Figure{Name: file("onecore", class.name), Title: "On one core, " + class.name, Rows: [][]*Panel{{p}}}
	for i, name := range series {
		f.Keys = append(f.Keys, Key{Name: name, Look: style.Of(i), Area: true})
		for j, bench := range names {
			base, ok := rates[[2]string{bench, series[0]}]
			c, measured := rates[[2]string{bench, name}]
			if !ok || !measured {
				continue
			}
			p.Add(Bar{
				At: float64(j) + (float64(i)-float64(len(series)-1)/2)*width, Width: width * 0.92,
				High: c.Median / base.Median, Lo: c.Lo / base.Median, Hi: c.Hi / base.Median, Look: style.Of(i),
				Text: fmt.Sprintf("%s, %s: %s, %s times %s of %s", bench, name, mops.write(c.Median), style.Number(c.Median/base.Median), mops.write(base.Median), series[0]),
			})
		}
	}
	p.X.Min, p.X.Max = -0.6, float64(len(names))-0.4
	f.Caption = join("One rank, one thread: nothing is communicated. Bars: median, relative to "+series[0]+"; lines: interval, where there is one.", sentence("", cell.Common(class.points)))
	f.Method, f.Notes = method(class.points), notes(class.points)
	return f
}
