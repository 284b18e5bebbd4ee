package figure

import (
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// Letters of lines at the lower border stand within the panel and side by side.
func TestLettersDoNotCollide(t *testing.T) {
	p := NewPanel("")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 10, 0, 1000
	o := Overlay{From: 0, To: 10}
	for i, letter := range []string{"e", "f", "g", "h"} {
		o.Numbers = append(o.Numbers, Number{Y: float64(i) * 0.01, Letter: letter})
	}
	var canvas recorder.Canvas
	size := vg.Point{X: 200, Y: 100}
	o.Plot(draw.Canvas{Canvas: &canvas, Rectangle: vg.Rectangle{Max: size}}, p.Plot)
	var at []vg.Point
	for _, a := range canvas.Actions {
		if text, is := a.(*recorder.FillString); is {
			at = append(at, text.Point)
		}
	}
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
