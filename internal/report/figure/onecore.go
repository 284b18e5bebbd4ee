package figure

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// A Bar is a vertical bar from 0, with its interval.
type Bar struct {
	Name         string  // of the series
	At, Width    float64 // on the x axis
	High, Lo, Hi float64
	Look         style.Series
	Text         string
}

// Plot implements plot.Plotter.
func (b Bar) Plot(c draw.Canvas, p *plot.Plot) {
	x0, x, x1 := c.X(p.X.Norm(b.At-b.Width/2)), c.X(p.X.Norm(b.At)), c.X(p.X.Norm(b.At+b.Width/2))
	y0, y1 := c.Y(p.Y.Norm(0)), c.Y(p.Y.Norm(b.High))
	y0, y1 = max(c.Min.Y, min(y0, c.Max.Y)), max(c.Min.Y, min(y1, c.Max.Y)) // the axis may have limits
	fill(c, b.Look, vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}})
	if b.Lo > 0 {
		c.StrokeLines(draw.LineStyle{Color: style.Ink, Width: 0.8}, c.ClipLinesXY([]vg.Point{{X: x, Y: c.Y(p.Y.Norm(b.Lo))}, {X: x, Y: c.Y(p.Y.Norm(b.Hi))}})...)
	}
	number := lettersOf(p)
	number.XAlign = draw.XCenter
	digits := 2
	if b.High >= 100 { // a rate and no ratio
		digits = 0
	}
	if s := fmt.Sprintf("%.*f", digits, b.High); number.Width(s) < (x1-x0)*1.4 {
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

// Marks implements Marker.
func (b Bar) Marks(c draw.Canvas, p *plot.Plot) []Mark {
	return []Mark{{At: vg.Point{X: c.X(p.X.Norm(b.At)), Y: c.Y(p.Y.Norm(b.High))}, Text: b.Text}}
}

// oneCorePoints returns the points of kernels on one rank with one thread.
func oneCorePoints(s *cell.Set) []cell.Point {
	return s.Where(func(p cell.Point) bool {
		return application(p) && p.Ranks == 1 && p.Threads <= 1 && p.Metrics.Median("mops") > 0
	})
}

// oneCoreRates holds the rates of kernels on one core.
type oneCoreRates struct {
	points  []cell.Point
	benches []string
	series  []string                // names
	cells   map[[2]string]cell.Cell // by benchmark and series
	left    []string                // reasons why rates are left out
}

func ratesOf(points []cell.Point) *oneCoreRates {
	r := &oneCoreRates{cells: map[[2]string]cell.Cell{}}
	r.points, r.left = exact(points)
	// The transport is no factor, because nothing is communicated.
	factors := cell.DistinguishingFactors(r.points, ranks, cell.Ranks, cell.Bench, cell.Transport)
	for _, b := range by(r.points, cell.Bench) {
		r.benches = append(r.benches, b.name)
		for _, one := range cell.SplitBy(b.points, "mops", ranks, factors) {
			r.cells[[2]string{b.name, one.Name}] = one.Cells[0]
			r.series = collect.Union(r.series, one.Name)
		}
	}
	slices.Sort(r.benches)
	slices.Sort(r.series)
	return r
}

// of returns the cells of a series in the order of benchmarks; each has the position of its
// benchmark.
func (r *oneCoreRates) of(name string) cell.Series {
	s := cell.Series{Name: name}
	for i, bench := range r.benches {
		if c, ok := r.cells[[2]string{bench, name}]; ok {
			c.X = float64(i)
			s.Cells = append(s.Cells, c)
		}
	}
	return s
}

func (r *oneCoreRates) all() []cell.Series { return collect.Each(r.series, r.of) }

// Serial draws the rates of kernels on one rank with one thread as bars, one for each series
// (thesis, figures 7.5 and 7.10).
func Serial(s *cell.Set) []*Figure {
	return eachPart(by(oneCorePoints(s), cell.Class), serialFigure)
}

func serialFigure(class part) *Figure {
	r := ratesOf(class.points)
	if len(r.benches) == 0 {
		return nil
	}
	f := &Figure{Name: file("serial", class.name), Title: "Kernels on one core, " + class.name}
	all := f.limited("mops", r.all())
	p := r.panel(r.benches)
	p.YLabel, p.Shows = "Mop/s", Quantity{"mops", 1}
	p.Add(Grid{NoX: true})
	for i, one := range all {
		f.Keys[i].Area = true
		for _, c := range one.Cells {
			b := barOf(i, len(all), int(c.X))
			b.Name, b.High, b.Lo, b.Hi = one.Name, c.Median, c.Lo, c.Hi
			b.Text = strings.TrimPrefix(fmt.Sprintf("%s, %s: %s", one.Name, cell.BenchName(r.benches[int(c.X)]), mops.write(c.Median)), ", ")
			p.Add(b)
		}
	}
	f.Rows = [][]*Panel{{p}}
	f.Caption = join("One rank, one thread: nothing is communicated. Bars: rate; upright lines: band.", replication(all), sentence("", cell.Common(r.points)), r.leftOut(), caveats(r.points))
	f.measured(r.points)
	return f
}

// panel returns a panel with a column for each of some benchmarks.
func (r *oneCoreRates) panel(benches []string) *Panel {
	p := NewPanel("")
	p.NameX(collect.Each(benches, cell.BenchName))
	p.Columns = benches
	return p
}

func (r *oneCoreRates) leftOut() string {
	if len(r.left) == 0 {
		return ""
	}
	return "Left out: " + strings.Join(r.left, "; ") + "."
}

// barOf returns the place and the look of a bar of series i of n in a column.
func barOf(i, n, column int) Bar {
	width := 0.8 / float64(n)
	return Bar{At: float64(column) + (float64(i)-float64(n-1)/2)*width, Width: width * 0.92, Look: style.Of(i)}
}

// OneCore draws the rates of kernels on one rank with one thread relative to those of the fastest
// other program. The figure shows the cost of a language without communication, and needs at least
// two libraries.
func OneCore(s *cell.Set) []*Figure {
	points := oneCorePoints(s)
	if len(by(points, cell.Library)) < 2 {
		return nil // transports do not differ without communication
	}
	return eachPart(by(points, cell.Class), oneCore)
}

func oneCore(class part) *Figure {
	r := ratesOf(class.points)
	if len(r.series) < 2 {
		return nil
	}
	series, left := r.ranked()
	base := series[0]
	if left > 0 {
		r.left = append(r.left, fmt.Sprintf("%d of the slowest series, because more than %d cannot be distinguished", left, style.MaxSeries))
	}
	var names []string // benchmarks with bars of at least two series
	for _, bench := range r.benches {
		name := cell.BenchName(bench)
		_, has := r.cells[[2]string{bench, base}]
		others := slices.ContainsFunc(series[1:], func(s string) bool { _, ok := r.cells[[2]string{bench, s}]; return ok })
		switch {
		case slices.ContainsFunc(r.left, func(s string) bool { return strings.HasPrefix(s, name+" ") }):
			// left has the reason
		case !has:
			r.left = append(r.left, name+" has no rate of "+base+" on one rank")
		case !others:
			r.left = append(r.left, name+" has a rate of "+base+" only")
		default:
			names = append(names, bench)
		}
	}
	if len(names) == 0 {
		return nil
	}
	p := r.panel(names)
	p.YLabel, p.Shows = "rate / rate of "+base, Quantity{Relative, 1}
	p.Add(Grid{NoX: true}, Rule{At: 1, Color: style.Grey, Dashes: dotted})
	f := &Figure{Name: file("onecore", class.name), Title: "Kernels on one core, " + class.name + ": " + human.Enumerate(series, "and"), Rows: [][]*Panel{{p}}}
	var drawn []cell.Series
	for i, name := range series {
		f.Keys = append(f.Keys, Key{Name: name, Look: style.Of(i), Area: true})
		one := cell.Series{Name: name}
		for j, bench := range names {
			c, measured := r.cells[[2]string{bench, name}]
			if !measured {
				r.left = append(r.left, cell.BenchName(bench)+" has no rate of "+name)
				continue
			}
			native := r.cells[[2]string{bench, base}]
			one.Cells = append(one.Cells, c)
			ratio := c.Over(native)
			if name == base {
				ratio.Lo, ratio.Hi = 0, 0
			}
			b := barOf(i, len(series), j)
			b.Name, b.High, b.Lo, b.Hi = name, ratio.Median, ratio.Lo, ratio.Hi
			b.Text = fmt.Sprintf("%s, %s: %s, %s times %s of %s", cell.BenchName(bench), name, mops.write(c.Median), style.Number(ratio.Median), mops.write(native.Median), base)
			p.Add(b)
		}
		drawn = append(drawn, one)
	}
	f.Caption = join("One rank, one thread: nothing is communicated. Bars: rate relative to "+base+"; upright lines: band, with that of "+base+".", replication(drawn), sentence("", cell.Common(r.points)), r.leftOut(), caveats(r.points))
	f.measured(r.points)
	return f
}

// ranked returns the names of at most style.MaxSeries series, the reference first, which is the
// best one of another program than gobench, and the others by rank. left is the number of others.
func (r *oneCoreRates) ranked() (series []string, left int) {
	series = cell.Rank(cell.Contest{Metric: "mops", Series: r.all()})
	foreign := slices.IndexFunc(series, func(name string) bool { return r.of(name).Cells[0].Points[0].Library != "" })
	if foreign > 0 {
		series = slices.Insert(slices.Delete(slices.Clone(series), foreign, foreign+1), 0, series[foreign])
	}
	left = max(0, len(series)-style.MaxSeries)
	return series[:len(series)-left], left
}

// minPrinted is the run time from which on the two decimals that NPB prints are sufficient.
const minPrinted = 0.1

// exact drops imported rates of runs whose printed time is too short to be precise, and returns the
// reason.
func exact(points []cell.Point) (some []cell.Point, left []string) {
	for _, p := range cell.Every(points) {
		if t := p.Metrics.Median("run_s"); p.Imported() != "" && t < minPrinted {
			left = append(left, fmt.Sprintf("%s of %s ran for %.2f s, of which the log prints two decimals", cell.BenchName(p.Bench), cell.Library.Of(p), t))
			continue
		}
		some = append(some, p)
	}
	return some, slices.Compact(left)
}
