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

// A Bar is a vertical bar from 0, with its interval.
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
		at := vg.Point{X: x, Y: c.Y(p.Y.Norm(max(b.High, b.Hi))) + 1.5}
		half := number.Width(s)/2 + 0.5 // the line of the reference may be there
		c.FillPolygon(style.Transparent(style.Paper, 0.8), []vg.Point{{X: x - half, Y: at.Y - 0.5}, {X: x + half, Y: at.Y - 0.5}, {X: x + half, Y: at.Y + 6}, {X: x - half, Y: at.Y + 6}})
		c.FillText(number, at, s)
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

// OneCore draws the rates of kernels on one rank with one thread relative to the first series by
// name, which should be the native library. The figure shows the cost of a language without
// communication, and needs at least two libraries.
func OneCore(s *cell.Set) []*Figure {
	points := s.Where(func(p cell.Point) bool {
		return application(p) && p.Ranks == 1 && p.Threads <= 1 && p.Metrics["mops"].Median > 0
	})
	if len(by(points, cell.Library)) < 2 {
		return nil // transports do not differ without communication
	}
	return eachPart(by(points, cell.Class), oneCore)
}

func oneCore(class part) *Figure {
	points, left := exact(class.points)
	// The transport is no factor, because nothing is communicated.
	factors := cell.DistinguishingFactors(points, ranks, cell.Ranks, cell.Bench, cell.Transport)
	benches := by(points, cell.Bench)
	slices.SortFunc(benches, func(a, b part) int { return strings.Compare(a.name, b.name) })
	var series []string
	rates := map[[2]string]cell.Cell{}
	for _, b := range benches {
		for _, one := range cell.SplitBy(b.points, "mops", ranks, factors) {
			rates[[2]string{b.name, one.Name}] = one.Cells[0]
			if !slices.Contains(series, one.Name) {
				series = append(series, one.Name)
			}
		}
	}
	slices.Sort(series)
	if len(series) < 2 || len(series) > style.Most {
		return nil
	}
	base := series[0]
	var names []string // benchmarks with bars of at least two series
	for _, b := range benches {
		_, has := rates[[2]string{b.name, base}]
		others := slices.ContainsFunc(series[1:], func(name string) bool { _, ok := rates[[2]string{b.name, name}]; return ok })
		switch {
		case slices.ContainsFunc(left, func(s string) bool { return strings.HasPrefix(s, cell.BenchName(b.name)+" ") }):
			// left has the reason
		case !has:
			left = append(left, cell.BenchName(b.name)+" has no rate of "+base+" on one rank")
		case !others:
			left = append(left, cell.BenchName(b.name)+" has a rate of "+base+" only")
		default:
			names = append(names, b.name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	p := NewPanel("")
	var titles []string
	for _, name := range names {
		titles = append(titles, cell.BenchName(name))
	}
	p.NameX(titles)
	p.YLabel = "rate / rate of " + base
	p.Shows, p.Columns = Quantity{Relative, 1}, names
	p.Add(Grid{NoX: true}, Rule{At: 1, Color: style.Grey, Dashes: dotted})
	width := 0.8 / float64(len(series))
	f := &Figure{Name: file("onecore", class.name), Title: "Kernels on one core, " + class.name + ": " + Enumerate(series), Rows: [][]*Panel{{p}}}
	var drawn []cell.Series
	for i, name := range series {
		f.Keys = append(f.Keys, Key{Name: name, Look: style.Of(i), Area: true})
		one := cell.Series{Name: name}
		for j, bench := range names {
			c, measured := rates[[2]string{bench, name}]
			if !measured {
				left = append(left, cell.BenchName(bench)+" has no rate of "+name)
				continue
			}
			native := rates[[2]string{bench, base}]
			one.Cells = append(one.Cells, c)
			ratio := c.Over(native)
			if name == base {
				ratio.Lo, ratio.Hi = 0, 0
			}
			p.Add(Bar{
				At: float64(j) + (float64(i)-float64(len(series)-1)/2)*width, Width: width * 0.92,
				High: ratio.Median, Lo: ratio.Lo, Hi: ratio.Hi, Look: style.Of(i),
				Text: fmt.Sprintf("%s, %s: %s, %s times %s of %s", cell.BenchName(bench), name, mops.write(c.Median), style.Number(ratio.Median), mops.write(native.Median), base),
			})
		}
		drawn = append(drawn, one)
	}
	p.X.Min, p.X.Max = -0.6, float64(len(names))-0.4
	why := ""
	if len(left) > 0 {
		why = "Left out: " + strings.Join(left, "; ") + "."
	}
	f.Caption = join("One rank, one thread: nothing is communicated. Bars: rate relative to "+base+"; upright lines: band, with that of "+base+".", replication(drawn), sentence("", cell.Common(points)), why, caveats(points))
	f.measured(points)
	return f
}

// leastPrinted is the run time from which on the two decimals that NPB prints are sufficient.
const leastPrinted = 0.1

// exact drops imported rates of runs whose printed time is too short to be precise, and returns the
// reason.
func exact(points []cell.Point) (some []cell.Point, left []string) {
	for _, p := range points {
		if t := p.Metrics["run_s"].Median; p.Imported() != "" && t < leastPrinted {
			left = append(left, fmt.Sprintf("%s of %s ran for %.2f s, of which the log prints two decimals", cell.BenchName(p.Bench), cell.Library.Of(p), t))
			continue
		}
		some = append(some, p)
	}
	return some, slices.Compact(left)
}
