package figure

import (
	"encoding/json"
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/report/cell"
	"gobench/report/style"
)

// phaseNames is the stacking order of phases. Others follow.
var phaseNames = []string{"compute", "exchange", "transpose", "allreduce", "alltoall", "barrier", "storage"}

// A phase is the time of a phase in a record, over the ranks.
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

// A Slice is one part of a stack.
type Slice struct {
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
		c.FillPolygon(part.Look.Color, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
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

// Marks implements Layer.
func (s Stack) Marks(c draw.Canvas, p *plot.Plot) []Mark {
	var marks []Mark
	sum := 0.0
	for _, part := range s.Parts {
		marks = append(marks, Mark{At: vg.Point{X: c.X(p.X.Norm(sum + part.Share/2)), Y: c.Y(p.Y.Norm(s.At))}, Text: part.Text})
		sum += part.Share
	}
	return marks
}

// Phases draws the time breakdown of applications: computation and each pattern of communication as
// shares of a run, one figure for each application.
func Phases(s *cell.Set) []*Figure {
	points := s.Where(func(p cell.Point) bool { return application(p) && len(p.Extra["phases_s"]) > 0 })
	var all []*Figure
	for _, bench := range by(points, cell.Bench) {
		if f := phases(bench.name, bench.points); f != nil {
			all = append(all, f)
		}
	}
	return all
}

func phases(bench string, points []cell.Point) *Figure {
	var names []string
	var bars []Layer
	used := map[string]bool{}
	var drawn []cell.Point
	left := 0
	for _, one := range cell.Split(points, cell.Main(points[0]), ranks, cell.Ranks) {
		for _, c := range one.Cells {
			last := c.Points[len(c.Points)-1]
			var split map[string]phase
			if json.Unmarshal(last.Extra["phases_s"], &split) != nil {
				continue
			}
			if len(names) == mostBoxes {
				left++
				continue
			}
			name := strings.TrimPrefix(one.Name+", "+cell.Plural(int(c.X), "rank", "ranks"), ", ")
			if oversubscribed(c) {
				name += " (oversubscribed)"
			}
			bar := stack(name, split)
			bar.At, bar.Width = float64(len(names)), 0.7
			for _, n := range phaseNames {
				used[n] = used[n] || split[n].Mean > 0
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
	p.Y.Min, p.Y.Max = -0.6, float64(len(names))-0.4
	f := &Figure{
		Name: file(bench, "phases"), Title: headline(bench) + ": time breakdown, " + surroundings(drawn),
		Rows: [][]*Panel{{p}}, Height: vg.Length(len(names))*16 + 50,
	}
	for i, n := range phaseNames {
		if used[n] {
			f.Keys = append(f.Keys, Key{Name: n, Look: style.Of(i), Area: true})
		}
	}
	f.Caption = join(sentence("", cell.Common(drawn)), "Mean over the ranks, of the run of median time of the last launch. Waiting for a slower rank counts as communication.", caveats(drawn))
	f.Method, f.Notes = method(drawn), notes(drawn)
	if left > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%d more are not drawn", left))
	}
	return f
}

func stack(name string, phases map[string]phase) Stack {
	sum := 0.0
	for _, p := range phases {
		sum += p.Mean
	}
	var s Stack
	for i, n := range phaseNames {
		p, ok := phases[n]
		if !ok || p.Mean == 0 {
			continue
		}
		s.Parts = append(s.Parts, Slice{
			Share: 100 * p.Mean / sum, Look: style.Of(i),
			Text: fmt.Sprintf("%s, %s: %s s on average (%s to %s s over the ranks), %s %% of the run", name, n, style.Number(p.Mean), style.Number(p.Min), style.Number(p.Max), style.Number(100*p.Mean/sum)),
		})
	}
	return s
}
