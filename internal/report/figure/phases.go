package figure

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// A breakdown divides the time of runs of applications into parts.
type breakdown struct {
	name    string   // of the figure
	title   string   // of the figure, after the benchmark
	parts   []string // in the order in which they are stacked; others are not drawn
	of      func(cell.Point) map[string]phase
	caption string
}

var byPhase = breakdown{
	name: "phases", title: "time breakdown",
	parts:   []string{"compute", "exchange", "transpose", "allreduce", "alltoall", "barrier", "storage"},
	of:      func(p cell.Point) map[string]phase { return phasesOf(p, "phases_s") },
	caption: "Mean over the ranks, of the run of median time of the last launch. Waiting for a slower rank counts as communication.",
}

// waitParts are the parts of byWait: the rest of a run, and its waits inside a host and between
// hosts.
var waitParts = []string{"no waits", "waits for ranks of the host", "waits for other hosts"}

var byWait = breakdown{
	name: "waits", title: "waiting for ranks inside a host and on other hosts",
	parts:   waitParts,
	of:      waitsOf,
	caption: "Mean over the ranks, of the run of median time of the last launch. A wait begins when a rank finds nothing to do and ends with the message it waits for.",
}

// A phase is the time of a phase in a record, over the ranks. Max is 0 if only the mean is known.
type phase struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// A Stack is a bar of stacked shares.
type Stack struct {
	At, Width float64
	Parts     []Slice
}

// minSeen is the share in percent from which a part of a bar can be seen. The legend has no
// others.
const minSeen = 0.5

// A Slice is one part of a stack.
type Slice struct {
	Name  string // of the part
	Share float64
	Look  style.Series
	Text  string
}

// Plot implements plot.Plotter.
func (s Stack) Plot(c draw.Canvas, p *plot.Plot) {
	y0, y1 := c.Y(p.Y.Norm(s.At-s.Width/2)), c.Y(p.Y.Norm(s.At+s.Width/2))
	sum := 0.0
	for _, part := range s.Parts {
		x0, x1 := c.X(p.X.Norm(sum)), c.X(p.X.Norm(sum+part.Share))
		fill(c, part.Look, vg.Rectangle{Min: vg.Point{X: x0, Y: min(y0, y1)}, Max: vg.Point{X: x1, Y: max(y0, y1)}})
		c.StrokeLine2(draw.LineStyle{Color: style.Paper, Width: 0.6}, x1, y0, x1, y1)
		sum += part.Share
	}
}

// DataRange implements plot.DataRanger.
func (s Stack) DataRange() (x0, x1, y0, y1 float64) {
	sum := 0.0
	for _, part := range s.Parts {
		sum += part.Share
	}
	return 0, sum, s.At, s.At
}

// Marks implements Marker.
func (s Stack) Marks(c draw.Canvas, p *plot.Plot) (marks []Mark) {
	sum := 0.0
	for _, part := range s.Parts {
		marks = append(marks, Mark{At: vg.Point{X: c.X(p.X.Norm(sum + part.Share/2)), Y: c.Y(p.Y.Norm(s.At))}, Text: part.Text})
		sum += part.Share
	}
	return marks
}

// phasesOf returns the times in the field of a record with this name, nil if it has no such field.
func phasesOf(p cell.Point, name string) (split map[string]phase) {
	if json.Unmarshal(p.Extra[name], &split) != nil {
		return nil
	}
	return split
}

// waitsOf returns the waits of a record, and the rest of the run.
func waitsOf(p cell.Point) map[string]phase {
	waited := phasesOf(p, "waited_s")
	if waited == nil {
		return nil
	}
	inside, between := waited["inside"], waited["between"]
	rest := -inside.Mean - between.Mean
	for _, phase := range phasesOf(p, "phases_s") {
		rest += phase.Mean
	}
	return map[string]phase{waitParts[0]: {Mean: max(0, rest)}, waitParts[1]: inside, waitParts[2]: between}
}

// Phases draws the time breakdown of applications: computation and each pattern of communication as
// shares of a run, one figure for each application.
func Phases(s *cell.Set) []*Figure { return byPhase.draw(s, "phases_s") }

// Waits draws how long the ranks of applications have waited for ranks of their host and for those
// of other hosts, as shares of a run, one figure for each application. Runs on one host have no
// waits.
func Waits(s *cell.Set) []*Figure { return byWait.draw(s, "waited_s") }

// draw draws the records that have the field times.
func (b breakdown) draw(s *cell.Set, times string) []*Figure {
	points := s.Where(func(p cell.Point) bool { return application(p) && len(p.Extra[times]) > 0 })
	return eachPart(by(points, cell.Bench), func(bench part) *Figure { return b.figure(bench.name, bench.points) })
}

func (b breakdown) figure(bench string, points []cell.Point) *Figure {
	var names []string
	var bars []Layer
	used := map[string]bool{}
	var drawn []cell.Point
	left := 0
	metric := cell.Main(points[0])
	series := cell.Split(points, metric, ranks, cell.Ranks)
	ranked := cell.Rank(cell.Contest{Metric: metric, Series: series})
	slices.SortStableFunc(series, func(a, b cell.Series) int {
		return cmp.Compare(slices.Index(ranked, a.Name), slices.Index(ranked, b.Name))
	})
	for _, one := range series {
		for _, c := range one.Cells {
			last := c.Points[len(c.Points)-1]
			split := b.of(last)
			if split == nil {
				continue
			}
			if len(names) == maxBoxes {
				left++
				continue
			}
			name := strings.TrimPrefix(one.Name+", "+human.Count(int(c.X), "rank", "ranks"), ", ")
			if oversubscribed(c) {
				name += " (oversubscribed)"
			}
			bar := b.stack(name, split)
			bar.At, bar.Width = float64(len(names)), 0.7
			for _, n := range b.parts {
				used[n] = used[n] || slices.ContainsFunc(bar.Parts, func(s Slice) bool { return s.Name == n && s.Share >= minSeen })
			}
			names, bars, drawn = append(names, name), append(bars, bar), append(drawn, last)
		}
	}
	if len(bars) == 0 {
		return nil
	}
	p := NewPanel("")
	p.NameY(names)
	p.XLabel = "share of the run, %"
	p.Add(bars...)
	p.X.Min, p.X.Max = 0, 100
	f := &Figure{
		Name: file(bench, b.name), Title: headline(bench) + ": " + b.title + ", " + surroundings(drawn),
		Rows: [][]*Panel{{p}}, Height: vg.Length(len(names))*16 + 50,
	}
	for i, n := range b.parts {
		if used[n] {
			f.Keys = append(f.Keys, Key{Name: n, Look: style.Of(i), Area: true})
		}
	}
	f.Caption = join(sentence("", cell.Common(drawn)), b.caption, caveats(drawn))
	f.measured(drawn)
	if left > 0 {
		f.Remarks = append(f.Remarks, fmt.Sprintf("%d more are not drawn, because %d fit; the best series come first", left, maxBoxes))
	}
	return f
}

func (b breakdown) stack(name string, phases map[string]phase) Stack {
	sum := 0.0
	for _, p := range phases {
		sum += max(p.Mean, 0) // a file may have any number
	}
	var s Stack
	for i, n := range b.parts {
		p, ok := phases[n]
		if !ok || !(p.Mean > 0) {
			continue
		}
		over := ""
		if p.Max > 0 {
			over = fmt.Sprintf(" (%s to %s s over the ranks)", style.Number(p.Min), style.Number(p.Max))
		}
		s.Parts = append(s.Parts, Slice{
			Name: n, Share: 100 * p.Mean / sum, Look: style.Of(i),
			Text: fmt.Sprintf("%s, %s: %s s on average%s, %s %% of the run", name, n, style.Number(p.Mean), over, style.Number(100*p.Mean/sum)),
		})
	}
	return s
}
