// Package figure draws records. A kind of figure is a pure function from a set of records to
// figures, which can be written as PNG, SVG and PDF and carry their caption and method. Each kind
// is one file; kinds.go lists them.
package figure

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// A Figure has panels in rows, a legend above them, and their texts.
type Figure struct {
	Name    string // of its file, and for --figure: "pingpong"
	Title   string
	Bench   string   // of figures of one benchmark
	Caption string   // what is drawn, in sentences
	Method  string   // how it was measured, one sentence from the records
	Remarks []string // caveats

	Keys   []Key      // the legend
	Rows   [][]*Panel // all rows have the same length; nil = an empty place
	Height vg.Length  // of one row; 0 = style.Row

	whole  string                   // name of the figure of which this one is a part; "" = it is whole
	series []string                 // names of the series of all panels, in the order of their looks
	left   []string                 // names of those that are left out
	spare  map[string][]cell.Series // those that are left out, by metric
	sheet  style.Sheet              // the choices of the reader
	base   string                   // the sentence of the caption on the base of speedups
}

// A Panel is a pair of axes with layers, optionally with a second y axis on the right that has its
// own layers.
type Panel struct {
	*plot.Plot
	Layers []Layer
	Right  *Panel // layers of the right axis; it shares the x axis of the panel

	// Labels of the axes. They are drawn by Figure, because gonum centres a label on the middle of
	// the values, which is off centre on a logarithmic axis.
	XLabel, YLabel string
	Heading        string // above the panel

	// Benchmark and quantity on the y axis of a panel over message sizes, numbers of ranks or
	// benchmarks, so that an Overlay can add values of other sources.
	Bench   string
	Shows   Quantity
	Columns []string // benchmarks at 0, 1, 2, ... of the x axis, instead of Bench

	finished bool      // finish has added margins, which it must not repeat
	left     vg.Length // space left of the data, common to its column

	columns, rows  []string              // categories of the x and of the y axis
	letter         string                // "a", if the figure has several panels
	given          *givenTicks           // what prepare adapts to a size
	xLines, yLines []string              // the labels of the axes, wrapped
	exact          struct{ x, y limits } // limits chosen by the reader
	gains          *gains                // of a panel of speedups
}

// limits marks the limits of an axis that have no margin.
type limits struct{ lo, hi bool }

// A Quantity is a metric on an axis: that of a record, or one of those below.
type Quantity struct {
	Metric string
	Scale  float64 // from the unit of the metric to that of the axis
}

// Quantities that are ratios of metrics of several records, or to prices.
const (
	Speedup        = "speedup"          // against one rank
	Relative       = "relative"         // rate over that of the reference
	StoragePerCost = "storage_per_cost" // bandwidth to files in MB/s over the price per hour
)

// A Layer is drawn between the axes of a panel. It may be a Marker.
type Layer = plot.Plotter

// A Marker is a layer with hover targets.
type Marker interface {
	// Marks returns the hover targets of the layer when it is drawn at c.
	Marks(c draw.Canvas, p *plot.Plot) []Mark
}

// A Mark is a hover target on the canvas with its text.
type Mark struct {
	At   vg.Point
	Text string // "smem, 8 B: 0.102 µs, 95 % interval 0.101 to 0.103"
}

// NewPanel returns an empty panel in the common style.
func NewPanel(heading string) *Panel {
	return &Panel{Plot: style.Plot(), Heading: heading}
}

// Add adds layers on top. The axes grow to the range of layers that have one.
func (p *Panel) Add(layers ...Layer) {
	p.Layers = append(p.Layers, layers...)
	for _, l := range layers {
		if r, ok := l.(plot.DataRanger); ok {
			x0, x1, y0, y1 := r.DataRange()
			p.X.Min, p.X.Max = min(p.X.Min, x0), max(p.X.Max, x1)
			p.Y.Min, p.Y.Max = min(p.Y.Min, y0), max(p.Y.Max, y1)
		}
	}
}

// Keep removes the rows without a panel that shows one of the metrics, and reports whether any rows
// are left. Without metrics it keeps all rows.
func (f *Figure) Keep(metrics ...string) bool {
	if len(metrics) == 0 {
		return true
	}
	label := "" // of the x axis, which only the lowest panel has
	for _, p := range slices.Concat(f.Rows...) {
		if p != nil && p.XLabel != "" {
			label = p.XLabel
		}
	}
	f.Rows = slices.DeleteFunc(f.Rows, func(row []*Panel) bool {
		return !slices.ContainsFunc(row, func(p *Panel) bool { return p != nil && slices.Contains(metrics, p.Shows.Metric) })
	})
	if len(f.Rows) == 0 {
		return false
	}
	for _, p := range f.Rows[len(f.Rows)-1] {
		if p != nil {
			p.XLabel = label
		}
	}
	return true
}

// Size returns the size of the figure on paper, without title and caption.
func (f *Figure) Size() (width, height vg.Length) {
	width = f.sheet.InnerWidth()
	if f.sheet.Height > 0 {
		return width, f.sheet.Height
	}
	return width, f.legendHeight(width) + f.rowHeight()*vg.Length(len(f.Rows))
}

// rowHeight returns the height of a row of panels: that of the kind, larger for larger letters, and
// lower in narrow figures, except for rows of names, which need it.
func (f *Figure) rowHeight() vg.Length {
	row := cmp.Or(f.Height, style.Row)
	scale := f.sheet.Scale()
	for _, p := range slices.Concat(f.Rows...) {
		if p != nil && p.namesUp() {
			return row * p.nameHeight(&f.sheet) / nameRow
		}
	}
	narrow := f.sheet.InnerWidth() / (style.Width * scale)
	return row * scale * min(1, max(0.7, narrow+0.25))
}

// Draw draws legend and panels on all of c and returns the hover targets. The caller draws title
// and caption.
func (f *Figure) Draw(c draw.Canvas) []Mark {
	c.SetColor(style.Paper)
	c.Fill(c.Rectangle.Path())
	legend := f.legendHeight(c.Size().X)
	begin(c, "legend", "legend")
	if f.sheet.Legend == "bottom" {
		f.drawLegend(draw.Crop(c, 0, 0, 0, legend-4-c.Size().Y))
		c = draw.Crop(c, 0, 0, legend, 0)
	} else {
		f.drawLegend(draw.Crop(c, 0, 0, c.Size().Y-legend, 0))
		c = draw.Crop(c, 0, 0, 0, -legend)
	}
	end(c)
	f.prepare()
	c = draw.Crop(c, 0, -f.rightMargin(), 0, 0)

	var marks []Mark
	for i, row := range f.layout(c) {
		for j, canvas := range row {
			if p := f.Rows[i][j]; p != nil {
				marks = append(marks, p.draw(canvas)...)
			}
		}
	}
	return marks
}

func (p *Panel) draw(c draw.Canvas) []Mark {
	id := "panel-" + cmp.Or(p.letter, "a")
	begin(c, id, "panel")
	defer end(c)
	inner := p.within(c)
	p.Plot.Draw(inner)
	p.drawLabels(c, inner)
	data := p.DataCanvas(inner)
	marks := p.drawLayers(data, id)
	if p.Right != nil {
		marks = append(marks, p.Right.drawRight(data, id+"-right")...)
	}
	return marks
}

// drawLayers draws the layers of a panel, each series as a group with an id and classes.
func (p *Panel) drawLayers(data draw.Canvas, id string) (marks []Mark) {
	for _, l := range p.Layers {
		if name, class := seriesOf(l); class != "" {
			begin(data, id+"-"+class+"-"+file(name), "series "+class+" "+file(name))
			l.Plot(data, p.Plot)
			end(data)
		} else {
			l.Plot(data, p.Plot)
		}
		if m, ok := l.(Marker); ok {
			marks = append(marks, m.Marks(data, p.Plot)...)
		}
	}
	return marks
}
