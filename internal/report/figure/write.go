package figure

import (
	"fmt"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"gobench/internal/report/style"
)

// Formats lists the image formats of Write.
var Formats = []string{"png", "svg", "pdf"}

// dpi is the resolution of bitmaps, sufficient for slides and paper.
const dpi = 200

// Write writes the figure as an image with title, caption, method and notes. The format is one of
// Formats. It returns errors of the writer.
func (f *Figure) Write(w io.Writer, format string) error {
	width, height := f.Size()
	title, caption := f.text()
	above, below, margin := vg.Length(0), vg.Length(0), f.sheet.Margin()
	if len(title) > 0 {
		above = title.height() + 4
	}
	if len(caption) > 0 {
		below = caption.height() + 6
	}
	width, height = width+2*margin, height+2*margin+above+below

	var canvas vg.CanvasWriterTo
	switch format {
	case "png":
		canvas = pngCanvas{vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))}}
	case "svg":
		canvas = newSVG(width, height)
	case "pdf":
		page := NewPDF(width, height)
		page.Title(f.Title)
		page.Outline(f.Title, 0, height)
		canvas = page
	default:
		return fmt.Errorf("figures are written as %s, not as %q", strings.Join(Formats, ", "), format)
	}
	c := draw.New(canvas)
	c.SetColor(style.Paper)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	title.draw(c)
	if len(caption) > 0 {
		caption.draw(draw.Crop(c, 0, 0, 0, below-6-c.Size().Y))
	}
	f.Draw(draw.Crop(c, 0, 0, below, -above))
	_, err := canvas.WriteTo(w)
	return err
}

// A pngCanvas draws characters that the font lacks as PDF does.
type pngCanvas struct{ vgimg.PngCanvas }

// FillString implements vg.Canvas.
func (c pngCanvas) FillString(f font.Face, at vg.Point, s string) {
	c.PngCanvas.FillString(f, at, drawable(f, s))
}

// A paragraph holds wrapped lines of several styles.
type paragraph []struct {
	lines []string
	style text.Style
}

func (p *paragraph) add(s string, sty text.Style, width vg.Length) {
	if s == "" {
		return
	}
	*p = append(*p, struct {
		lines []string
		style text.Style
	}{Wrap(s, sty, width), sty})
}

func (p paragraph) height() (h vg.Length) {
	for _, part := range p {
		h += TextHeight(len(part.lines), part.style)
	}
	return h
}

func (p paragraph) draw(c draw.Canvas) {
	for _, part := range p {
		c = DrawText(c, part.lines, part.style)
	}
}

func (f *Figure) text() (title, caption paragraph) {
	if f.sheet.Bare {
		return nil, nil
	}
	sheet, width := &f.sheet, f.sheet.InnerWidth()
	title.add(f.Title, sheet.Text(sheet.Large(), true), width)
	caption.add(f.Caption, sheet.Text(sheet.Normal(), false), width)
	remark := sheet.Text(sheet.Small(), false)
	remark.Color = style.Grey
	for _, n := range f.Footer() {
		caption.add(n, remark, width)
	}
	return title, caption
}
