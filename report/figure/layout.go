package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/report/style"
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
			n := p.insets(draw.NewCanvas(c, width, height))
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

	places := make([][]draw.Canvas, rows)
	y := c.Max.Y
	for i := range f.Rows {
		places[i] = make([]draw.Canvas, columns)
		x := c.Min.X
		for j := range f.Rows[i] {
			n := needs[i][j]
			if p := f.Rows[i][j]; p != nil {
				p.left = column[j].left
			}
			x += column[j].left
			places[i][j] = draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x - n.left, Y: y - row[i].top - down - n.bottom},
				Max: vg.Point{X: x + across + n.right, Y: y - row[i].top + n.top},
			}}
			x += across + column[j].right + besides
		}
		y -= row[i].top + down + row[i].bottom + under
	}
	return places
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
	room := func(label string) vg.Length {
		if label == "" {
			return 0
		}
		return style.Normal*leading + 2
	}
	return draw.Crop(c, room(p.YLabel), 0, room(p.XLabel), -room(p.Heading))
}

// drawLabels draws the labels of a panel, aligned with those of its row and column.
func (p *Panel) drawLabels(c, inner draw.Canvas) {
	data := p.DataCanvas(inner)
	text := style.Text(style.Normal, false)
	text.XAlign = draw.XCenter
	c.FillText(text, vg.Point{X: data.Center().X, Y: c.Min.Y + text.FontExtents().Descent}, p.XLabel)
	text.Rotation, text.YAlign = math.Pi/2, draw.YTop
	c.FillText(text, vg.Point{X: data.Min.X - p.left, Y: data.Center().Y}, p.YLabel)
	heading := style.Text(style.Normal, true)
	heading.XAlign = draw.XCenter
	c.FillText(heading, vg.Point{X: data.Center().X, Y: data.Max.Y + 6}, p.Heading)
}
