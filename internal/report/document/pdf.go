package document

import (
	"fmt"
	"io"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/report/figure"
	"gobench/internal/report/style"
)

// A4, with the text as wide as a figure.
const (
	paperWidth  = 21 * vg.Centimeter
	paperHeight = 29.7 * vg.Centimeter
	topMargin   = 2 * vg.Centimeter
	footMargin  = 2 * vg.Centimeter
	sideMargin  = (paperWidth - style.Width) / 2
)

// pages lays blocks out from top to bottom, on as many pages as needed.
type pages struct {
	pdf  *figure.PDF
	page draw.Canvas // the text area
	y    vg.Length   // where the next block begins
	n    int
}

// PDF writes the document as PDF.
func (d *Document) PDF(w io.Writer) error {
	p := &pages{pdf: figure.NewPDF(paperWidth, paperHeight)}
	p.begin()
	p.pdf.Title(d.Title)
	p.paragraph(d.Title, style.Text(15, true), 4)
	for _, s := range d.Sections {
		blocks := flat(s.Blocks)
		p.keep(p.minHeight(blocks)) // a heading and its first block are on one page
		p.y -= 8
		p.pdf.Outline(s.Title, 0, p.y)
		p.paragraph(s.Title, style.Text(12, true), 4)
		for _, b := range blocks {
			p.block(b)
		}
	}
	_, err := p.pdf.WriteTo(w)
	return err
}

// least returns the height of a heading together with the first block of its section, which stay on
// one page.
func (p *pages) minHeight(blocks []Block) vg.Length {
	if len(blocks) > 0 {
		if picture, is := blocks[0].(Picture); is {
			return min(p.lay(picture.Figure).height()+40, p.page.Size().Y)
		}
	}
	return 90
}

func (p *pages) begin() {
	if p.n > 0 {
		p.pdf.NextPage()
	}
	p.n++
	whole := draw.New(p.pdf)
	foot := style.Text(style.Small, false)
	foot.Color = style.Grey
	foot.XAlign = draw.XCenter
	whole.FillText(foot, vg.Point{X: paperWidth / 2, Y: footMargin / 2}, fmt.Sprint(p.n))
	p.page = draw.Crop(whole, sideMargin, -sideMargin, footMargin, -topMargin)
	p.y = p.page.Max.Y
}

// keep starts a new page if less than height is left on the current one.
func (p *pages) keep(height vg.Length) {
	if p.y-p.page.Min.Y < height && p.y < p.page.Max.Y {
		p.begin()
	}
}

func (p *pages) block(b Block) {
	normal := style.Text(9, false)
	switch b := b.(type) {
	case Lead:
		p.paragraph(string(b), style.Text(10.5, true), 6)
	case Folded:
		p.keep(40)
		p.paragraph(b.Title, style.Text(10, true), 3)
	case Text:
		p.paragraph(string(b), normal, 5)
	case List:
		for _, item := range b {
			p.item(item, normal)
		}
		p.y -= 4
	case Code:
		for _, line := range b {
			p.paragraph(line, style.Text(7.5, false), 1)
		}
		p.y -= 5
	case Table:
		p.table(b)
	case Picture:
		p.picture(b.Figure)
	}
}

// paragraph writes text with space below. It may continue on the next page.
func (p *pages) paragraph(s string, sty text.Style, below vg.Length) {
	p.lines(figure.Wrap(s, sty, style.Width), sty, 0)
	p.y -= below
}

func (p *pages) lines(lines []string, sty text.Style, indent vg.Length) {
	height := figure.TextHeight(1, sty)
	for _, line := range lines {
		p.keep(height)
		sty.YAlign = draw.YTop
		p.page.FillText(sty, vg.Point{X: p.page.Min.X + indent, Y: p.y}, line)
		p.y -= height
	}
}

func (p *pages) item(s string, sty text.Style) {
	lines := figure.Wrap(s, sty, style.Width-10)
	p.keep(figure.TextHeight(1, sty))
	sty.YAlign = draw.YTop
	p.page.FillText(sty, vg.Point{X: p.page.Min.X + 1, Y: p.y}, "-")
	p.lines(lines, sty, 10)
	p.y -= 2
}

// laid is a figure with its wrapped texts.
type laid struct {
	title, caption, small []string
	words, drawing        vg.Length // heights
}

func (l laid) height() vg.Length { return l.drawing + l.words }

// styles returns the text styles of a figure.
func (laid) styles() (title, caption, remark text.Style) {
	title, caption, remark = style.Text(10, true), style.Text(8.5, false), style.Text(7.5, false)
	remark.Color = style.Grey
	return title, caption, remark
}

// lay wraps the texts of a figure and shrinks its drawing to the height of a page.
func (p *pages) lay(f *figure.Figure) laid {
	var l laid
	title, caption, remark := l.styles()
	l.title, l.caption = figure.Wrap(f.Title, title, style.Width), figure.Wrap(f.Caption, caption, style.Width)
	for _, n := range f.Footer() {
		l.small = append(l.small, figure.Wrap(n, remark, style.Width)...)
	}
	page := p.page.Size().Y
	l.words = min(figure.TextHeight(len(l.title), title)+figure.TextHeight(len(l.caption), caption)+figure.TextHeight(len(l.small), remark)+12, page/2)
	_, height := f.Size()
	l.drawing = min(height, page-l.words)
	return l
}

// minDrawing is the part of its height to which a drawing is shrunk to fit on a page.
const minDrawing = 0.6

// picture draws a figure on the same page as its caption.
func (p *pages) picture(f *figure.Figure) {
	l := p.lay(f)
	title, caption, remark := l.styles()
	if left := p.y - p.page.Min.Y - l.words; left < l.drawing && left > l.drawing*minDrawing {
		l.drawing = left // rather than leave the page empty
	}
	p.keep(l.height())
	p.pdf.Outline(f.Title, 1, p.y)
	p.lines(l.title, title, 0)
	p.y -= 2
	area := draw.Crop(p.page, 0, 0, p.y-l.drawing-p.page.Min.Y, p.y-p.page.Max.Y)
	width, _ := f.Size()
	area.Max.X = min(area.Max.X, area.Min.X+width)
	f.Draw(area)
	p.y -= l.drawing + 4
	p.lines(l.caption, caption, 0)
	p.lines(l.small, remark, 0)
	p.y -= 12
}
