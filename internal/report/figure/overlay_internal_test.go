package figure

import (
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gobench/internal/report/cell"
)

// Letters of lines at the lower border are within the panel and side by side.
func TestLettersDoNotCollide(t *testing.T) {
	p := NewPanel("")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 10, 0, 1000
	o := Overlay{From: 0, To: 10}
	for i, letter := range []string{"e", "f", "g", "h"} {
		o.Numbers = append(o.Numbers, Number{Y: float64(i) * 0.01, Letter: letter})
	}
	size := vg.Point{X: 200, Y: 100}
	at, _ := plotted(o, p, size)
	if len(at) != len(o.Numbers) {
		t.Fatalf("%d letters", len(at))
	}
	for i, p := range at {
		if p.Y < 0 || p.Y > size.Y-4 || p.X < 0 || p.X > size.X {
			t.Errorf("letter %d at %v", i, p)
		}
		if i > 0 && p.X-at[i-1].X < 8 {
			t.Errorf("letters %d and %d at %v and %v", i-1, i, at[i-1], p)
		}
	}
}

// plotted draws an overlay and returns the places of its letters and the number of lines.
func plotted(o Overlay, p *Panel, size vg.Point) (letters []vg.Point, lines int) {
	var canvas recorder.Canvas
	o.Plot(draw.Canvas{Canvas: &canvas, Rectangle: vg.Rectangle{Max: size}}, p.Plot)
	for _, a := range canvas.Actions {
		switch a := a.(type) {
		case *recorder.FillString:
			letters = append(letters, a.Point)
		case *recorder.Stroke:
			lines++
		}
	}
	return letters, lines
}

// Letters of marks close to each other, at either border, are apart and within the panel.
func TestLettersOfMarksDoNotCollide(t *testing.T) {
	p := NewPanel("")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 10, 0, 1000
	size := vg.Point{X: 200, Y: 100}
	for _, x := range []float64{0, 5, 10} {
		o := Overlay{}
		for i, letter := range []string{"a", "b", "c"} {
			o.Numbers = append(o.Numbers, Number{X: x, Y: 500 + float64(i), Marked: true, Letter: letter})
		}
		at, _ := plotted(o, p, size)
		for i, a := range at {
			if a.X < 2 || a.X > size.X-2 {
				t.Errorf("marks at %g: letter %d at %v", x, i, a)
			}
			for _, b := range at[:i] {
				if max(a.X-b.X, b.X-a.X) < 7 {
					t.Errorf("marks at %g: letters at %v and %v", x, a, b)
				}
			}
		}
	}
}

// A bound has an arrow, a value has no arrow.
func TestBoundsHaveArrows(t *testing.T) {
	p := NewPanel("")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 10, 0, 1000
	for _, marked := range []bool{false, true} {
		strokes := map[int]int{}
		for _, bound := range []int{-1, 0, 1} {
			n := Number{X: 5, Y: 500, Marked: marked, Bound: bound, Letter: "a"}
			_, strokes[bound] = plotted(Overlay{From: 0, To: 10, Numbers: []Number{n}}, p, vg.Point{X: 200, Y: 100})
		}
		if strokes[1] != strokes[-1] || strokes[1] <= strokes[0] {
			t.Errorf("marked %v: %v strokes by bound", marked, strokes)
		}
	}
}

// The letter of a line is where no curve is, although a curve runs along most of the line.
func TestLettersAvoidCurves(t *testing.T) {
	p := NewPanel("")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 10, 0, 1000
	size := vg.Point{X: 200, Y: 100}
	// letters are 5 points above their line
	curve := Curve{Scale: 1, Cells: []cell.Cell{{X: 3, Median: 540}, {X: 10, Median: 540}}}
	o := Overlay{From: 0, To: 10, Numbers: []Number{{Y: 500, Letter: "a"}}}
	free, _ := plotted(o, p, size)
	o.Beside = []Layer{curve}
	beside, _ := plotted(o, p, size)
	if free[0].X < 90 || beside[0].X > 58 {
		t.Errorf("the letter is at %v, beside a curve from 60 on at %v", free[0], beside[0])
	}
}

// The arrow of a bound at a border ends at the border.
func TestArrowsStayInThePanel(t *testing.T) {
	p := NewPanel("")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 10, 0, 1000
	for bound, y := range map[int]float64{-1: 10, 1: 990} {
		var canvas recorder.Canvas
		o := Overlay{From: 0, To: 10, Numbers: []Number{{Y: y, Bound: bound, Letter: "a"}}}
		o.Plot(draw.Canvas{Canvas: &canvas, Rectangle: vg.Rectangle{Max: vg.Point{X: 200, Y: 100}}}, p.Plot)
		for _, a := range canvas.Actions {
			if stroke, ok := a.(*recorder.Stroke); ok {
				for _, c := range stroke.Path {
					if c.Type != vg.CloseComp && (c.Pos.Y < 0 || c.Pos.Y > 100) {
						t.Errorf("bound %d: a line reaches %v", bound, c.Pos)
					}
				}
			}
		}
	}
}
