package figure

import (
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Distances between panels.
const (
	besides = vg.Length(14)
	under   = vg.Length(8)
)

// insets is the space of a panel around its data: axes, labels, heading.
type insets struct{ left, right, bottom, top vg.Length }

// layout divides c among the panels so that the data areas of a column and of a row are aligned.
func (f *Figure) layout(c draw.Canvas) [][]draw.Canvas {
	rows, columns := len(f.Rows), len(f.Rows[0])
	width := (c.Size().X - besides*vg.Length(columns-1)) / vg.Length(columns)
	height := (c.Size().Y - under*vg.Length(rows-1)) / vg.Length(rows)
	needs := make([][]insets, rows)
	column, row := make([]insets, columns), make([]insets, rows)
	for i := range f.Rows {
		needs[i] = make([]insets, columns)
		for j, p := range f.Rows[i] {
			if p == nil {
				continue
			}
			p.finish()
			n := p.fit(draw.NewCanvas(c, width, height))
			needs[i][j] = n
			column[j].left, column[j].right = max(column[j].left, n.left), max(column[j].right, n.right)
			row[i].bottom, row[i].top = max(row[i].bottom, n.bottom), max(row[i].top, n.top)
		}
	}
	// All data areas have the same size: what remains after the insets.
	across, down := c.Size().X-besides*vg.Length(columns-1), c.Size().Y-under*vg.Length(rows-1)
	for j := range column {
		across -= column[j].left + column[j].right
	}
	for i := range row {
		down -= row[i].bottom + row[i].top
	}
	across, down = across/vg.Length(columns), down/vg.Length(rows)

	canvases := make([][]draw.Canvas, rows)
	y := c.Max.Y
	for i := range f.Rows {
		canvases[i] = make([]draw.Canvas, columns)
		x := c.Min.X
		for j := range f.Rows[i] {
			n := needs[i][j]
			if p := f.Rows[i][j]; p != nil {
				p.left = column[j].left
			}
			x += column[j].left
			canvases[i][j] = draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x - n.left, Y: y - row[i].top - down - n.bottom},
				Max: vg.Point{X: x + across + n.right, Y: y - row[i].top + n.top},
			}}
			x += across + column[j].right + besides
		}
		y -= row[i].top + down + row[i].bottom + under
	}
	return canvases
}

// insets measures a panel on a canvas of about its final size.
func (p *Panel) insets(c draw.Canvas) insets {
	data := p.DataCanvas(p.within(c))
	return insets{
		left: data.Min.X - c.Min.X, right: c.Max.X - data.Max.X,
		bottom: data.Min.Y - c.Min.Y, top: c.Max.Y - data.Max.Y,
	}
}

// within returns the area of a panel without its labels.
func (p *Panel) within(c draw.Canvas) draw.Canvas {
	line := vg.Length(p.given.sheet.Normal()) * leading
	room := func(lines int, gap vg.Length) vg.Length {
		if lines == 0 {
			return 0
		}
		return vg.Length(lines)*line + gap
	}
	heading := 0
	if p.heading() != "" {
		heading = 1
	}
	return draw.Crop(c, room(len(p.yLines), 4), 0, room(len(p.xLines), 2), -room(heading, 2))
}

// heading returns the letter of a panel with its heading: "(a) CG".
func (p *Panel) heading() string {
	if p.letter == "" {
		return p.Heading
	}
	return strings.TrimSpace("(" + p.letter + ") " + p.Heading)
}

// drawLabels draws the labels of a panel, aligned with those of its row and column.
func (p *Panel) drawLabels(c, inner draw.Canvas) {
	data := p.DataCanvas(inner)
	sheet := p.given.sheet
	text := sheet.Text(sheet.Normal(), false)
	text.XAlign = draw.XCenter
	line := text.Font.Size * leading
	for i, s := range p.xLines {
		half := text.Width(s) / 2
		x := max(c.Min.X+half, min(data.Center().X, c.Max.X-half))
		c.FillText(text, vg.Point{X: x, Y: c.Min.Y + text.FontExtents().Descent + vg.Length(len(p.xLines)-1-i)*line}, s)
	}
	text.Rotation, text.YAlign = math.Pi/2, draw.YTop
	for i, s := range p.yLines {
		half := text.Width(s) / 2
		y := max(c.Min.Y+half, min(data.Center().Y, c.Max.Y-half))
		c.FillText(text, vg.Point{X: data.Min.X - p.left + vg.Length(i)*line, Y: y}, s)
	}
	heading := sheet.Text(sheet.Normal(), true)
	heading.XAlign = draw.XCenter
	c.FillText(heading, vg.Point{X: data.Center().X, Y: data.Max.Y + 6}, shortened(p.heading(), heading.Width, data.Size().X))
}
