// Package figure draws records. Each kind of figure is a pure function from a
// set of records to figures: values that can be drawn to PNG, SVG and PDF, and
// that carry their caption and the sentence that says how it was measured. One
// file holds one kind; what kinds there are is in kinds.go.
package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/report/style"
)

// Figure is one picture: panels in rows, a legend above them, and text that
// belongs to them wherever they are shown.
type Figure struct {
	Name    string // of its file, and for --figure: "pingpong"
	Title   string
	Bench   string   // of figures of one benchmark
	Caption string   // what is drawn, in sentences
	Method  string   // how it was measured, one sentence from the records
	Notes   []string // what a reader of the numbers should know

	Keys   []Key      // the legend
	Rows   [][]*Panel // all rows are equally long; nil leaves a place empty
	Height vg.Length  // of one row; 0 = style.Row
}

// Panel is one pair of axes with what is drawn between them, and optionally a
// second y axis on the right, which has layers of its own.
type Panel struct {
	*plot.Plot
	Layers []Layer
	Right  *Panel // its X is that of the panel

	// Labels of the axes. They are not gonum's, which makes room for a label at
	// the middle of the values, far from the middle of a logarithmic axis.
	XLabel, YLabel string
	Heading        string // above the panel

	finished bool      // room was made: a figure may be drawn twice
	left     vg.Length // room of its column left of the data
}

// Layer is something drawn between axes.
type Layer interface {
	plot.Plotter
	// Marks returns places where a reader may ask for the value, with the
	// answer. It is drawn at c.
	Marks(c draw.Canvas, p *plot.Plot) []Mark
}

// Mark is a place on the canvas that stands for a value.
type Mark struct {
	At   vg.Point
	Text string // "smem, 8 B: 0.102 µs, 95 % interval 0.101 to 0.103"
}

// NewPanel returns an empty panel in the style of the house.
func NewPanel(heading string) *Panel {
	return &Panel{Plot: style.Plot(), Heading: heading}
}

// Add puts layers on top of those that are there. The axes widen for layers
// that say how far they reach.
func (p *Panel) Add(layers ...Layer) {
	for _, l := range layers {
		p.Plot.Add(l)
		p.Layers = append(p.Layers, l)
	}
}

// Size is what the figure takes on paper, without title and caption.
func (f *Figure) Size() (width, height vg.Length) {
	row := f.Height
	if row == 0 {
		row = style.Row
	}
	return style.Width, f.legendHeight(style.Width) + row*vg.Length(len(f.Rows))
}

// Draw draws legend and panels on all of c and returns the marks. Title and
// caption are for the caller, who knows where the figure stands.
func (f *Figure) Draw(c draw.Canvas) []Mark {
	c.SetColor(style.Paper)
	c.Fill(c.Rectangle.Path())
	legend := f.legendHeight(c.Size().X)
	f.drawLegend(draw.Crop(c, 0, 0, c.Size().Y-legend, 0))
	c = draw.Crop(c, 0, -f.rightMargin(), 0, -legend)

	var marks []Mark
	for i, row := range f.layout(c) {
		for j, place := range row {
			if p := f.Rows[i][j]; p != nil {
				marks = append(marks, p.draw(place)...)
			}
		}
	}
	return marks
}

func (p *Panel) draw(c draw.Canvas) []Mark {
	inner := p.within(c)
	p.Plot.Draw(inner)
	p.drawLabels(c, inner)
	data := p.DataCanvas(inner)
	var marks []Mark
	for _, l := range p.Layers {
		marks = append(marks, l.Marks(data, p.Plot)...)
	}
	if p.Right != nil {
		marks = append(marks, p.Right.drawRight(data)...)
	}
	return marks
}
