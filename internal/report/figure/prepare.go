package figure

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/collect"
	"gobench/internal/report/style"
)

// givenTicks holds the ticks of a panel as its kind chose them, which depend on no size.
type givenTicks struct {
	x, y  plot.Ticker
	sheet *style.Sheet
}

// prepare gives all panels the letters of the figure, and its letters "a", "b" if they are several.
func (f *Figure) prepare() {
	panels := f.panels()
	for i, p := range panels {
		if len(panels) > 1 && i < 26 {
			p.letter = string(rune('a' + i))
		}
		p.adopt(&f.sheet)
		if p.Right != nil {
			p.Right.adopt(&f.sheet)
		}
	}
}

// panels returns all panels in the order of their letters.
func (f *Figure) panels() []*Panel {
	return collect.If(slices.Concat(f.Rows...), func(p *Panel) bool { return p != nil })
}

// adopt sets the letters of the axes of a panel.
func (p *Panel) adopt(sheet *style.Sheet) {
	if p.given == nil {
		p.given = &givenTicks{x: p.X.Tick.Marker, y: p.Y.Tick.Marker}
	}
	p.given.sheet = sheet
	small := sheet.Text(sheet.Small(), false)
	p.X.Tick.Label.Font, p.Y.Tick.Label.Font = small.Font, small.Font
}

// lettersOf returns the text style of small letters in a panel.
func lettersOf(p *plot.Plot) text.Style {
	t := style.Text(style.Small, false)
	t.Font = p.X.Tick.Label.Font
	return t
}

// namesUp reports whether a panel has categories on its y axis.
func (p *Panel) namesUp() bool {
	return p.rows != nil
}

func namesOf(t plot.Ticker) style.Names {
	n, _ := t.(style.Names)
	return n
}

// Shares of a figure that names of categories may take, and the height of a row of names of one
// line that the heights of the kinds stand for.
const (
	maxNames = 0.42
	nameRow  = vg.Length(11)
)

// nameHeight returns the height of a row of names, which may have several lines.
func (p *Panel) nameHeight(sheet *style.Sheet) vg.Length {
	small := sheet.Text(sheet.Small(), false)
	lines := 1
	for _, name := range wrapNames(p.rows, small, sheet.InnerWidth()*maxNames) {
		lines = max(lines, 1+strings.Count(name, "\n"))
	}
	return max(nameRow, vg.Length(lines)*small.Font.Size*1.02+2)
}

// wrapNames breaks names into lines of at most a width.
func wrapNames(names []string, letters text.Style, width vg.Length) []string {
	return collect.Each(names, func(name string) string { return strings.Join(Wrap(name, letters, width), "\n") })
}

// fit adapts labels and ticks of a panel to a canvas of about its final size, and returns the space
// around its data.
func (p *Panel) fit(c draw.Canvas) insets {
	sheet := p.given.sheet
	small, normal := sheet.Text(sheet.Small(), false), sheet.Text(sheet.Normal(), false)
	size := c.Size()
	p.X.Tick.Marker, p.Y.Tick.Marker = p.given.x, p.given.y
	p.xLines, p.yLines = labelLines(p.XLabel, normal, size.X), labelLines(p.YLabel, normal, size.Y)
	if p.rows != nil {
		p.Y.Tick.Marker = style.Names(wrapNames(p.rows, small, size.X*maxNames))
	}
	if p.columns != nil {
		p.nameColumns(small, size)
	}
	data := p.DataCanvas(p.within(c)).Size()
	if t, ok := p.given.x.(style.SizeTicks); ok {
		t.Labels = max(2, int(data.X/(small.Width("64 KiB")+7)))
		p.X.Tick.Marker = t
	}
	if p.X.Tick.Label.Rotation == 0 {
		p.X.Tick.Marker = spaced{p.X.Tick.Marker, &p.X, data.X, small.Width, small.Width("0")}
	}
	if namesOf(p.given.y) == nil {
		p.Y.Tick.Marker = spaced{p.Y.Tick.Marker, &p.Y, data.Y, func(string) vg.Length { return small.Font.Size }, 2}
	}
	if p.Right != nil {
		r := p.Right
		r.Y.Tick.Marker = spaced{r.given.y, &r.Y, data.Y, func(string) vg.Length { return small.Font.Size }, 2}
	}
	return p.insets(c)
}

// labelLines breaks the label of an axis into lines.
func labelLines(label string, letters text.Style, width vg.Length) []string {
	if label == "" {
		return nil
	}
	return Wrap(label, letters, width)
}

// nameColumns writes names below columns upwards if one of them is wider than its column.
func (p *Panel) nameColumns(letters text.Style, size vg.Point) {
	p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = 0, draw.XCenter, draw.YTop
	for _, name := range p.columns {
		if letters.Width(name)+4 > 0.85*size.X/vg.Length(len(p.columns)) {
			p.X.Tick.Label.Rotation = math.Pi / 2
			p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
			p.X.Tick.Marker = style.Names(wrapNames(p.columns, letters, size.Y*maxNames))
			return
		}
	}
}

// spaced drops the labels of ticks that would overlap the one before.
type spaced struct {
	plot.Ticker
	axis   *plot.Axis
	length vg.Length              // of the axis
	extent func(string) vg.Length // of a label along the axis
	gap    vg.Length              // smallest distance of labels
}

// Ticks implements plot.Ticker.
func (s spaced) Ticks(lo, hi float64) []plot.Tick {
	ticks := s.Ticker.Ticks(lo, hi)
	free := vg.Length(math.Inf(-1))
	for i, t := range ticks {
		if t.IsMinor() {
			continue
		}
		at, half := s.length*vg.Length(s.axis.Norm(t.Value)), s.extent(t.Label)/2
		if at-half < free {
			ticks[i].Label = ""
			continue
		}
		free = at + half + s.gap
	}
	return ticks
}
