package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/collect"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
	"gobench/record"
)

// A Chart holds the marks of a figure as numbers, for files that other programs draw.
type Chart struct {
	Name, Title   string
	Caption       []string // caption, method and notes
	Width, Height vg.Length
	Letters       vg.Length // size of labels
	Font          string    // one of style.Fonts
	Legend        bool
	Columns       int
	Panels        []ChartPanel
}

// A ChartPanel is a pair of axes with series.
type ChartPanel struct {
	Number         int    // from 1
	Heading        string // "(a) CG"
	XLabel, YLabel string
	X, Y           ChartAxis
	Metric, Unit   string // of the values; the unit of records
	Series         []ChartSeries
}

// A ChartAxis is the range of an axis with its labels.
type ChartAxis struct {
	Log    bool
	Lo, Hi float64
	Zero   float64 // place of 0 on a logarithmic axis, on which it has a label; 0 = none
	Names  bool    // the labels are names at 0, 1, 2, ..., from above on a y axis
	Labels []ChartLabel
}

// A ChartLabel is a label at a value of an axis.
type ChartLabel struct {
	At   float64
	Text string
}

// A Form is how the values of a series are drawn.
type Form string

// Forms of series.
const (
	Line   Form = "line"   // marks joined by a line, with upright intervals
	Column Form = "column" // upright bars from 0, with intervals
	Row    Form = "row"    // marks in rows, with level intervals
	Part   Form = "part"   // level bars from Lo to Hi in rows
	Cells  Form = "cell"   // fields of a matrix
)

// A ChartSeries is a series with its look.
type ChartSeries struct {
	Curve  int // from 1 in the figure
	Name   string
	Form   Form
	Color  string  // "#0072b2"
	Dash   int     // index of the pattern: 0 = a whole line
	Glyph  int     // index of the mark
	Scale  float64 // from the unit of the values to that of the axis
	Width  float64 // of columns
	Values []Datum
}

// A Datum is one value of a series. Bounds that are not known are NaN.
type Datum struct {
	X              float64 // on the x axis, or the row or column of a name
	Name           string  // of the row or column
	Median, Lo, Hi float64
	Bounds         string // meaning of Lo and Hi
	N              int    // launches; 0 = not known
}

// Chart returns the marks of a figure at its size. A right axis is a panel of its own.
func (f *Figure) Chart() *Chart {
	width, height := f.Size()
	c := &Chart{
		Name: f.Name, Title: f.Title, Width: width, Height: height, Letters: vg.Length(f.sheet.Normal()), Font: f.sheet.Font,
		Legend: f.sheet.Legend != "none" && len(f.Keys) > 0, Columns: len(f.Rows[0]), Caption: f.words(),
	}
	f.prepare()
	f.layout(draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: width, Y: height - f.legendHeight(width)}}})
	curves := 0
	for i, p := range f.allPanels() {
		panel := p.chart(i + 1)
		for j := range panel.Series {
			curves++
			panel.Series[j].Curve = curves
		}
		c.Panels = append(c.Panels, panel)
	}
	return c
}

// Bare reports whether a figure is drawn without its texts.
func (f *Figure) Bare() bool { return f.sheet.Bare }

// Text returns title, caption, method and notes as lines of text.
func (f *Figure) Text() string {
	return strings.Join(append([]string{f.Title}, f.words()...), "\n") + "\n"
}

// words returns the texts below a figure.
func (f *Figure) words() []string {
	list := append([]string{f.Caption}, f.Footer()...)
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// Footer returns method and remarks as lines of text.
func (f *Figure) Footer() (list []string) {
	if f.Method != "" {
		list = []string{"Method: " + f.Method}
	}
	return append(list, collect.Each(f.Remarks, func(n string) string { return "Note: " + n })...)
}

func (p *Panel) chart(number int) ChartPanel {
	m, _ := record.Lookup(p.Shows.Metric)
	panel := ChartPanel{Number: number, Heading: p.heading(), XLabel: p.XLabel, YLabel: p.YLabel, X: chartAxis(&p.X), Y: chartAxis(&p.Y), Metric: p.Shows.Metric, Unit: m.Unit}
	for _, l := range p.Layers {
		panel.add(p, l)
	}
	return panel
}

func chartAxis(a *plot.Axis) ChartAxis {
	c := ChartAxis{Lo: a.Min, Hi: a.Max, Names: namesOf(a.Tick.Marker) != nil}
	if s, ok := a.Tick.Marker.(spaced); ok {
		c.Names = namesOf(s.Ticker) != nil
	}
	switch scale := a.Scale.(type) {
	case style.Log:
		c.Log = true
	case style.Sizes:
		c.Log = true
		if scale.Zero {
			c.Zero = scale.Zeroth()
			c.Lo = c.Zero
		}
	}
	for _, t := range a.Tick.Marker.Ticks(a.Min, a.Max) {
		if !t.IsMinor() {
			c.Labels = append(c.Labels, ChartLabel{t.Value, strings.ReplaceAll(t.Label, "\n", " ")})
		}
	}
	return c
}

// boundsText names the meaning of lo and hi.
var boundsText = map[cell.Spread]string{
	cell.Within: "interval within the only launch", cell.Few: "range of launches", cell.Drifting: "range of launches", cell.Between: "95 % interval between launches",
}

// add adds the values of a layer. Layers of one series and form are one series.
func (c *ChartPanel) add(p *Panel, l Layer) {
	switch l := l.(type) {
	case Curve:
		s := c.series(l.Name, Line, l.Look, l.Scale)
		for _, one := range l.Cells {
			s.Values = append(s.Values, Datum{X: one.X, Median: one.Median, Lo: known(one.Lo), Hi: known(one.Hi), Bounds: boundsText[one.Spread()], N: one.Launches()})
		}
	case Bar:
		s := c.series(l.Name, Column, l.Look, 1)
		s.Width = l.Width
		s.Values = append(s.Values, Datum{X: l.At, Name: nameAt(p.columns, l.At), Median: l.High, Lo: known(l.Lo), Hi: known(l.Hi), Bounds: "band"})
	case Box:
		s := c.series("launches", Row, l.Color, 1)
		s.Values = append(s.Values, Datum{X: l.At, Name: nameAt(p.rows, l.At), Median: l.Mid, Lo: l.Low, Hi: l.End, Bounds: "lowest and highest launch", N: len(l.Points)})
	case Ratio:
		s := c.series(Verdict(l.Verdict), Row, looks[l.Verdict], 1)
		s.Values = append(s.Values, Datum{X: l.Row, Name: nameAt(p.rows, l.Row), Median: l.At, Lo: known(l.Lo), Hi: known(l.Hi), Bounds: "95 % interval"})
	case Stack:
		from := 0.0
		for _, part := range l.Parts {
			s := c.series(part.Name, Part, part.Look, 1)
			s.Values = append(s.Values, Datum{X: l.At, Name: nameAt(p.rows, l.At), Median: part.Share, Lo: from, Hi: from + part.Share, Bounds: "from, to"})
			from += part.Share
		}
	case Heat:
		for i, row := range l.Values {
			s := c.series(nameAt(p.rows, float64(i)), Cells, style.Of(0), 1)
			for j, v := range row {
				if !math.IsNaN(v) {
					s.Values = append(s.Values, Datum{X: float64(j), Name: nameAt(p.columns, float64(j)), Median: v, Lo: math.NaN(), Hi: math.NaN()})
				}
			}
		}
	}
}

// series returns the series with a name and a form, which it adds if there is none.
func (c *ChartPanel) series(name string, form Form, look style.Series, scale float64) *ChartSeries {
	for i := range c.Series {
		if s := &c.Series[i]; s.Name == name && s.Form == form {
			return s
		}
	}
	dash, glyph := style.Pattern(look)
	c.Series = append(c.Series, ChartSeries{Name: name, Form: form, Color: hex(look.Color), Dash: dash, Glyph: glyph, Scale: scale})
	return &c.Series[len(c.Series)-1]
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// nameAt returns the category at a position of an axis.
func nameAt(names []string, at float64) string {
	if i := int(math.Round(at)); i >= 0 && i < len(names) {
		return names[i]
	}
	return ""
}

// known returns a bound, which records do not have where it is 0.
func known(bound float64) float64 {
	if bound == 0 {
		return math.NaN()
	}
	return bound
}
