package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"gobench/report/style"
)

// Formats lists the image formats of Write.
var Formats = []string{"png", "svg", "pdf"}

// dpi is the resolution of bitmaps, sufficient for slides and paper.
const dpi = 200

// margin is the space around a figure that is written alone.
const margin = 10 * vg.Length(1)

// Write writes the figure as an image with title, caption, method and notes. The format is one of
// Formats. It returns errors of the writer.
func (f *Figure) Write(w io.Writer, format string) error {
	width, height := f.Size()
	title, caption := f.text()
	above := title.height() + 4
	below := caption.height() + 6
	width, height = width+2*margin, height+2*margin+above+below

	var canvas vg.CanvasWriterTo
	switch format {
	case "png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))}
	case "svg":
		canvas = vgsvg.New(width, height)
	case "pdf":
		canvas = NewPDF(width, height)
	default:
		return fmt.Errorf("figures are written as %s, not as %q", strings.Join(Formats, ", "), format)
	}
	c := draw.New(canvas)
	c.SetColor(style.Paper)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	title.draw(c)
	caption.draw(draw.Crop(c, 0, 0, 0, below-6-c.Size().Y))
	f.Draw(draw.Crop(c, 0, 0, below, -above))
	if format == "svg" {
		var b bytes.Buffer
		if _, err := canvas.WriteTo(&b); err != nil {
			return err
		}
		_, err := io.WriteString(w, fitted(b.String()))
		return err
	}
	_, err := canvas.WriteTo(w)
	return err
}

// A paragraph holds wrapped lines of several styles.
type paragraph []struct {
	lines []string
	style text.Style
}

func (p *paragraph) add(s string, sty text.Style) {
	if s == "" {
		return
	}
	*p = append(*p, struct {
		lines []string
		style text.Style
	}{Wrap(s, sty, style.Width), sty})
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
	title.add(f.Title, style.Text(style.Large, true))
	caption.add(f.Caption, style.Text(style.Normal, false))
	note := style.Text(style.Small, false)
	note.Color = style.Grey
	if f.Method != "" {
		caption.add("Method: "+f.Method, note)
	}
	for _, n := range f.Notes {
		caption.add("Note: "+n, note)
	}
	return title, caption
}
