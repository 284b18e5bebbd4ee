package document

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/collect"
	"gobench/internal/report/figure"
	"gobench/internal/report/style"
)

// gap is the space between columns.
const gap = vg.Length(7)

// table writes a table and repeats its head on every page.
func (p *pages) table(t Table) {
	head, body := style.Text(7.5, true), style.Text(7.5, false)
	widths := t.widths(head, body)
	top := wrapRow(t.Columns, widths, head)
	p.keep(t.minHeight(widths, head, body)) // title, head and first row are on one page
	p.paragraph(t.Title, style.Text(9, true), 2)
	p.row(top, widths, head, t.Numbers)
	p.rule()
	for _, row := range t.Rows {
		next := func() {
			p.begin()
			p.row(top, widths, head, t.Numbers)
			p.rule()
		}
		lines := wrapRow(texts(row), widths, body)
		if p.y-p.page.Min.Y < rowHeight(lines, body) {
			next()
		}
		// A row that is higher than a page continues on the next one.
		for lines != nil {
			room := p.y - p.page.Min.Y
			part, left := lines, [][]string(nil)
			if room < rowHeight(lines, body) {
				part, left = divide(lines, max(1, int(room/figure.TextHeight(1, body))-1))
			}
			p.row(part, widths, body, t.Numbers)
			lines = left
			if lines != nil {
				next()
			}
		}
	}
	p.y -= 2
	if t.Remark != "" {
		remark := style.Text(7.5, false)
		remark.Color = style.Grey
		p.paragraph(t.Remark, remark, 0)
	}
	p.y -= 8
}

// least returns the height of the title, the head and the first row, which stay on one page if they
// fit on one.
func (t Table) minHeight(widths []vg.Length, head, body text.Style) vg.Length {
	height := 20 + rowHeight(wrapRow(t.Columns, widths, head), head)
	if len(t.Rows) > 0 {
		height += rowHeight(wrapRow(texts(t.Rows[0]), widths, body), body)
	}
	return min(max(height, 60), paperHeight/2)
}

// texts returns the texts of the cells of a row.
func texts(row []Field) []string {
	return collect.Each(row, func(f Field) string { return f.Text })
}

// widths distributes the page width: each column gets the width of its content, and the widest ones
// shrink if the sum is too large.
func (t Table) widths(head, body text.Style) []vg.Length {
	widths := collect.Each(t.Columns, head.Width)
	for _, row := range t.Rows {
		for i, c := range row {
			widths[i] = max(widths[i], body.Width(c.Text))
		}
	}
	room := style.Width - gap*vg.Length(len(widths)-1)
	for range 20 {
		sum, widest := vg.Length(0), 0
		for i, w := range widths {
			sum += w
			if w > widths[widest] {
				widest = i
			}
		}
		if sum <= room {
			break
		}
		// The widest column shrinks, but by at most 30 % in one step.
		widths[widest] = max(widths[widest]-(sum-room), widths[widest]*0.7)
	}
	return widths
}

func wrapRow(texts []string, widths []vg.Length, sty text.Style) [][]string {
	lines := make([][]string, len(texts))
	for i, s := range texts {
		lines[i] = figure.Wrap(s, sty, widths[i]+0.1)
	}
	return lines
}

// divide splits the first n lines of all cells of a row from the rest, which is nil if nothing is
// left.
func divide(lines [][]string, n int) (first, left [][]string) {
	first = make([][]string, len(lines))
	over := make([][]string, len(lines))
	for i, l := range lines {
		k := min(n, len(l))
		first[i], over[i] = l[:k], l[k:]
		if len(over[i]) > 0 {
			left = over
		}
	}
	return first, left
}

func rowHeight(lines [][]string, sty text.Style) vg.Length {
	height := 1
	for _, l := range lines {
		height = max(height, len(l))
	}
	return figure.TextHeight(height, sty) + 1.5
}

func (p *pages) row(lines [][]string, widths []vg.Length, sty text.Style, right func(column int) bool) {
	x := p.page.Min.X
	for i, cell := range lines {
		for j, line := range cell {
			at := vg.Point{X: x, Y: p.y - figure.TextHeight(j, sty)}
			s := sty
			s.YAlign = draw.YTop
			if right(i) {
				at.X += widths[i]
				s.XAlign = draw.XRight
			}
			p.page.FillText(s, at, line)
		}
		x += widths[i] + gap
	}
	p.y -= rowHeight(lines, sty)
}

func (p *pages) rule() {
	p.page.StrokeLine2(draw.LineStyle{Color: style.Ink, Width: 0.5}, p.page.Min.X, p.y+1, p.page.Max.X, p.y+1)
	p.y -= 2
}
