package figure

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"gobench/internal/lazyregexp"
	"gobench/report/style"
)

// SVG draws the figure without title and caption, for pages that have them as text. It returns the
// hover targets with coordinates from the upper left corner, in units of the picture.
func (f *Figure) SVG() (string, []Mark) {
	width, height := f.Size()
	canvas := vgsvg.New(width, height)
	marks := f.Draw(draw.New(canvas))
	for i := range marks {
		marks[i].At.Y = height - marks[i].At.Y
	}
	var b bytes.Buffer
	_, _ = canvas.WriteTo(&b) // a buffer never fails
	svg := b.String()
	if i := strings.Index(svg, "<svg"); i > 0 {
		svg = svg[i:]
	}
	return fitted(svg), marks
}

// textElement matches text elements as gonum writes them.
var textElement = lazyregexp.New(`<text ([^>]*?font-weight:(\w+);[^>]*?font-size:([0-9.]+)px[^>]*)>([^<]*)</text>`)

// character returns r, or a replacement if XML does not allow r.
func character(r rune) rune {
	switch {
	case r == '\t', r == '\n', r == '\r', r >= 0x20 && r < 0xd800, r >= 0xe000 && r < 0xfffe, r >= 0x10000:
		return r
	default:
		return utf8.RuneError
	}
}

// fitted makes the picture independent of installed fonts: it names a generic font and fixes the
// width of every text.
func fitted(svg string) string {
	svg = strings.Map(character, svg)
	svg = textElement.ReplaceAllStringFunc(svg, func(element string) string {
		m := textElement.FindStringSubmatch(element)
		size, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return element
		}
		width := style.Text(size, m[2] == "bold").Width(html.UnescapeString(m[4]))
		if m[4] == "" {
			return ""
		}
		return fmt.Sprintf(`<text textLength="%.1f" lengthAdjust="spacingAndGlyphs" %s>%s</text>`, width.Points(), m[1], m[4])
	})
	return strings.ReplaceAll(svg, "font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")
}
