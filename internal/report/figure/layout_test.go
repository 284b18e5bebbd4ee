package figure_test

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/report/figure"
	"gobench/internal/report/published"
	"gobench/internal/report/style"
)

// A box is a rectangle on the paper, in points.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) meets(o box) bool {
	return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1
}

// add extends b by a point.
func (b box) add(x, y float64) box {
	return box{min(b.x0, x), min(b.y0, y), max(b.x1, x), max(b.y1, y)}
}

var nowhere = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}

// measured is a text with the space that its letters take.
type measuredText struct {
	box
	text   string
	size   float64
	backed bool // drawn on paper that was filled for it
}

// A ruler is a canvas that measures what is drawn: texts, marks and lines of axes.
type ruler struct {
	width, height vg.Length
	stack         []matrix
	color         color.Color
	line          vg.Length
	dashed        bool
	texts         []measuredText
	marks         []box // filled or stroked areas of at most the size of a mark
	axes          []box // straight lines in the colour of axes
	backed        bool
}

// A matrix maps x, y to a x + c y + e, b x + d y + f.
type matrix struct{ a, b, c, d, e, f float64 }

func (m matrix) of(x, y float64) (float64, float64) { return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f }

func (m matrix) after(n matrix) matrix { // n first
	e, f := m.of(n.e, n.f)
	return matrix{m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b, m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d, e, f}
}

func (r *ruler) top() *matrix                           { return &r.stack[len(r.stack)-1] }
func (r *ruler) Size() (vg.Length, vg.Length)           { return r.width, r.height }
func (r *ruler) SetLineWidth(w vg.Length)               { r.line = w }
func (r *ruler) SetLineDash(d []vg.Length, _ vg.Length) { r.dashed = len(d) > 0 }
func (r *ruler) SetColor(c color.Color)                 { r.color = c }
func (r *ruler) Push()                                  { r.stack = append(r.stack, *r.top()) }
func (r *ruler) Pop()                                   { r.stack = r.stack[:len(r.stack)-1] }
func (r *ruler) DrawImage(vg.Rectangle, image.Image)    {}

func (r *ruler) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	*r.top() = r.top().after(matrix{cos, sin, -sin, cos, 0, 0})
}

func (r *ruler) Translate(by vg.Point) {
	*r.top() = r.top().after(matrix{1, 0, 0, 1, by.X.Points(), by.Y.Points()})
}

func (r *ruler) Scale(x, y float64) { *r.top() = r.top().after(matrix{x, 0, 0, y, 0, 0}) }

// around returns the box of a path.
func (r *ruler) around(p vg.Path) box {
	b := nowhere
	for _, c := range p {
		if c.Type == vg.CloseComp {
			continue
		}
		x, y := r.top().of(c.Pos.X.Points(), c.Pos.Y.Points())
		d := c.Radius.Points()
		b = b.add(x-d, y-d).add(x+d, y+d)
	}
	return b
}

// sizeOfMark bounds the width and height of marks.
const sizeOfMark = 10

func (r *ruler) Stroke(p vg.Path) {
	b := r.around(p)
	switch {
	case r.color == color.Color(style.Ink) && len(p) == 2 && !r.dashed:
		r.axes = append(r.axes, b)
	case b.x1-b.x0 <= sizeOfMark && b.y1-b.y0 <= sizeOfMark && len(p) > 2:
		r.marks = append(r.marks, b)
	}
}

func (r *ruler) Fill(p vg.Path) {
	b := r.around(p)
	if c, ok := r.color.(color.NRGBA); ok && c.R == 0xff && c.G == 0xff && c.B == 0xff {
		r.backed = true
		return
	}
	if b.x1-b.x0 <= sizeOfMark && b.y1-b.y0 <= sizeOfMark {
		r.marks = append(r.marks, b)
	}
}

func (r *ruler) FillString(f font.Face, at vg.Point, s string) {
	b := nowhere
	x, y, w, size := at.X.Points(), at.Y.Points(), f.Width(s).Points(), f.Font.Size.Points()
	for _, dx := range []float64{0.3, w - 0.3} {
		for _, dy := range []float64{-0.12 * size, 0.7 * size} { // of letters without ascenders of accents
			b = b.add(r.top().of(x+dx, y+dy))
		}
	}
	r.texts = append(r.texts, measuredText{b, s, size, r.backed})
	r.backed = false
}

// faults returns what is wrong with a layout: small letters, texts beyond the edge, over each
// other, over marks or over axes.
func (r *ruler) faults() (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for i, t := range r.texts {
		if t.size < style.MinLetters {
			add("%q has letters of %g pt", t.text, t.size)
		}
		if t.x0 < -0.5 || t.y0 < -0.5 || t.x1 > r.width.Points()+0.5 || t.y1 > r.height.Points()+0.5 {
			add("%q is beyond the edge: %.1f of %.1f x %.1f", t.text, t.box, r.width.Points(), r.height.Points())
		}
		for _, o := range r.texts[:i] {
			if t.meets(o.box) {
				add("%q is over %q: %.1f and %.1f", t.text, o.text, t.box, o.box)
			}
		}
		for _, m := range r.marks {
			if !t.backed && t.meets(m) {
				add("%q is over a mark: %.1f and %.1f", t.text, t.box, m)
			}
		}
		for _, a := range r.axes {
			if !t.backed && t.meets(box{a.x0, a.y0, a.x1 + 0.01, a.y1 + 0.01}) {
				add("%q is over an axis: %.1f and %.1f", t.text, t.box, a)
			}
		}
	}
	return list
}

// rule measures a figure.
func rule(f *figure.Figure) *ruler {
	width, height := f.Size()
	r := &ruler{width: width, height: height, stack: []matrix{{a: 1, d: 1}}}
	f.Draw(draw.New(r))
	return r
}

// In figures of all kinds and of three widths nothing lies over something else, and letters are at
// least as large as print needs.
func TestLayout(t *testing.T) {
	for _, width := range []string{"column", "page", "slide"} {
		t.Run(width, func(t *testing.T) {
			each(t, func(t *testing.T, f *figure.Figure) {
				sheet := &style.Sheet{Bare: true}
				if err := sheet.Set("width", width); err != nil {
					t.Fatal(err)
				}
				sheet.Height = 0
				if err := figure.Restyle([]*figure.Figure{f}, sheet); err != nil {
					t.Fatal(err)
				}
				for _, fault := range rule(f).faults() {
					t.Error(fault)
				}
			})
		})
	}
}

// So it is in figures with the values of publications.
func TestLayoutOfPublished(t *testing.T) {
	for _, width := range []string{"column", "page", "slide"} {
		for _, name := range []string{"launches", "kernels", "pairs"} {
			figures, err := published.Named(drawn[name], "thesis")
			if err != nil {
				t.Fatal(err)
			}
			sheet := &style.Sheet{Bare: true}
			if err := sheet.Set("width", width); err != nil {
				t.Fatal(err)
			}
			sheet.Height = 0
			if err := figure.Restyle(figures, sheet); err != nil {
				t.Fatal(err)
			}
			for _, f := range figures {
				for _, fault := range rule(f).faults() {
					t.Errorf("%s %s %s: %s", width, name, f.Name, fault)
				}
			}
		}
	}
}

// The measure of a layout sees texts over each other, over marks and axes, small ones and those
// beyond the edge.
func TestRulerSeesFaults(t *testing.T) {
	draws := map[string]func(c draw.Canvas){
		"over a text":     func(c draw.Canvas) { c.FillText(style.Text(8, false), vg.Point{X: 12, Y: 51}, "other") },
		"over a mark":     func(c draw.Canvas) { c.DrawGlyph(style.Of(0).Glyph, vg.Point{X: 15, Y: 52}) },
		"over an axis":    func(c draw.Canvas) { c.StrokeLine2(draw.LineStyle{Color: style.Ink, Width: 1}, 0, 52, 90, 52) },
		"small":           func(c draw.Canvas) { c.FillText(style.Text(6.9, false), vg.Point{X: 10, Y: 20}, "small") },
		"beyond the edge": func(c draw.Canvas) { c.FillText(style.Text(8, false), vg.Point{X: 95, Y: 20}, "edge") },
		"":                func(draw.Canvas) {},
	}
	for what, more := range draws {
		r := &ruler{width: 100, height: 100, stack: []matrix{{a: 1, d: 1}}}
		c := draw.New(r)
		c.FillText(style.Text(8, false), vg.Point{X: 10, Y: 50}, "text")
		more(c)
		if faults := r.faults(); (len(faults) > 0) != (what != "") {
			t.Errorf("%q: faults %q", what, faults)
		}
	}
}
