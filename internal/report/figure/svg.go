package figure

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	face "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/collect"
)

// SVG draws the figure without title and caption, for pages that have them as text. It returns the
// hover targets with coordinates from the upper left corner, in units of the picture.
func (f *Figure) SVG() (string, []Mark) {
	width, height := f.Size()
	canvas := newSVG(width, height)
	marks := f.Draw(draw.New(canvas))
	for i := range marks {
		marks[i].At.Y = height - marks[i].At.Y
	}
	return canvas.String(), marks
}

// An svgCanvas is a canvas that writes SVG 1.1, in points, with groups that have ids and classes,
// so that scripts and style sheets can select series. gonum's own has no groups.
type svgCanvas struct {
	width, height vg.Length
	body          bytes.Buffer
	stack         []svgState
	ids           map[string]int
}

// svgState holds the state that Push keeps.
type svgState struct {
	color  color.Color
	width  vg.Length
	dashes []vg.Length
	offset vg.Length
	groups int // opened by transformations since Push
}

func newSVG(width, height vg.Length) *svgCanvas {
	c := &svgCanvas{width: width, height: height, stack: []svgState{{}}, ids: map[string]int{}}
	vg.Initialize(c)
	return c
}

// String returns the picture. Its y axis points down.
func (c *svgCanvas) String() string {
	return fmt.Sprintf("<svg width=\"%spt\" height=\"%[2]spt\" viewBox=\"0 0 %[1]s %[2]s\" xmlns=\"http://www.w3.org/2000/svg\">\n"+
		"<g transform=\"translate(0,%[2]s) scale(1,-1)\">\n%[3]s</g>\n</svg>\n", short(c.width), short(c.height), c.body.String())
}

// WriteTo implements io.WriterTo.
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"+c.String())
	return int64(n), err
}

// Size implements vg.CanvasSizer.
func (c *svgCanvas) Size() (width, height vg.Length) { return c.width, c.height }

// Begin opens a group. Ids are unique in the picture.
func (c *svgCanvas) Begin(id, class string) {
	c.ids[id]++
	if n := c.ids[id]; n > 1 {
		id += "-" + strconv.Itoa(n)
	}
	fmt.Fprintf(&c.body, "<g id=\"%s\" class=\"%s\">\n", escaped(id), escaped(class))
}

// End closes a group.
func (c *svgCanvas) End() { c.body.WriteString("</g>\n") }

func (c *svgCanvas) state() *svgState { return &c.stack[len(c.stack)-1] }

// SetLineWidth implements vg.Canvas.
func (c *svgCanvas) SetLineWidth(w vg.Length) { c.state().width = w }

// SetLineDash implements vg.Canvas.
func (c *svgCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	c.state().dashes, c.state().offset = dashes, offset
}

// SetColor implements vg.Canvas.
func (c *svgCanvas) SetColor(of color.Color) { c.state().color = of }

// transform opens a group with a transformation, which Pop closes.
func (c *svgCanvas) transform(format string, args ...any) {
	fmt.Fprintf(&c.body, "<g transform=\""+format+"\">\n", args...)
	c.state().groups++
}

// Rotate implements vg.Canvas.
func (c *svgCanvas) Rotate(radians float64) {
	c.transform("rotate(%s)", short(vg.Length(radians*180/math.Pi)))
}

// Translate implements vg.Canvas.
func (c *svgCanvas) Translate(by vg.Point) { c.transform("translate(%s,%s)", short(by.X), short(by.Y)) }

// Scale implements vg.Canvas.
func (c *svgCanvas) Scale(x, y float64) {
	c.transform("scale(%s,%s)", short(vg.Length(x)), short(vg.Length(y)))
}

// Push implements vg.Canvas.
func (c *svgCanvas) Push() {
	top := *c.state()
	top.groups = 0
	c.stack = append(c.stack, top)
}

// Pop implements vg.Canvas.
func (c *svgCanvas) Pop() {
	for range c.state().groups {
		c.End()
	}
	c.stack = c.stack[:len(c.stack)-1]
}

// Stroke implements vg.Canvas.
func (c *svgCanvas) Stroke(p vg.Path) {
	s := c.state()
	if s.width <= 0 {
		return
	}
	paint, opacity := paint(s.color)
	fmt.Fprintf(&c.body, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"", pathData(p), paint, short(s.width))
	if opacity != "" {
		fmt.Fprintf(&c.body, " stroke-opacity=\"%s\"", opacity)
	}
	if len(s.dashes) > 0 {
		fmt.Fprintf(&c.body, " stroke-dasharray=\"%s\"", strings.Join(collect.Each(s.dashes, short), ","))
	}
	c.body.WriteString("/>\n")
}

// Fill implements vg.Canvas.
func (c *svgCanvas) Fill(p vg.Path) {
	paint, opacity := paint(c.state().color)
	fmt.Fprintf(&c.body, "<path d=\"%s\" fill=\"%s\"", pathData(p), paint)
	if opacity != "" {
		fmt.Fprintf(&c.body, " fill-opacity=\"%s\"", opacity)
	}
	c.body.WriteString("/>\n")
}

// families names fonts for each of style.Fonts. The first one is the font of the other formats, the
// others have the same widths.
var families = map[font.Variant]string{
	"Sans": "'Liberation Sans',Arial,Helvetica,sans-serif", "Serif": "'Liberation Serif','Times New Roman',Times,serif", "Mono": "'Liberation Mono','Courier New',Courier,monospace",
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(f font.Face, at vg.Point, s string) {
	if s == "" {
		return
	}
	paint, _ := paint(c.state().color)
	weight := ""
	if f.Font.Weight == face.WeightBold {
		weight = " font-weight=\"bold\""
	}
	fmt.Fprintf(&c.body, "<text transform=\"translate(%s,%s) scale(1,-1)\" font-family=\"%s\" font-size=\"%s\"%s fill=\"%s\">%s</text>\n",
		short(at.X), short(at.Y), families[f.Font.Variant], short(f.Font.Size), weight, paint, escaped(s))
}

// DrawImage implements vg.Canvas. Figures have no images.
func (c *svgCanvas) DrawImage(vg.Rectangle, image.Image) {
	panic("figure: images are not drawn as SVG")
}

// short formats a length in points.
func short(l vg.Length) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(float64(l), 'f', 3, 64), "0"), ".")
}

// paint returns a colour and its opacity, which is empty for opaque colours.
func paint(of color.Color) (rgb, opacity string) {
	if of == nil {
		of = color.Black
	}
	n := color.NRGBAModel.Convert(of).(color.NRGBA)
	if n.A < 0xff {
		opacity = short(vg.Length(float64(n.A) / 0xff))
	}
	return hex(n), opacity
}

// pathData returns the path in the language of SVG.
func pathData(p vg.Path) string {
	var b strings.Builder
	point := func(command string, points ...vg.Point) {
		b.WriteString(command)
		for i, at := range points {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(short(at.X) + "," + short(at.Y))
		}
	}
	for i, comp := range p {
		switch comp.Type {
		case vg.MoveComp:
			point("M", comp.Pos)
		case vg.LineComp:
			point("L", comp.Pos)
		case vg.ArcComp:
			arcData(point, &b, comp, i > 0)
		case vg.CurveComp:
			command := "Q"
			if len(comp.Control) == 2 {
				command = "C"
			}
			point(command, append(append([]vg.Point(nil), comp.Control...), comp.Pos)...)
		case vg.CloseComp:
			b.WriteByte('Z')
		}
	}
	return b.String()
}

// arcData adds an arc in pieces of at most half a circle, because an arc of SVG that ends where it
// begins is nothing.
func arcData(point func(string, ...vg.Point), b *strings.Builder, arc vg.PathComp, joined bool) {
	if joined {
		point("L", onCircle(arc, 0))
	} else {
		point("M", onCircle(arc, 0))
	}
	pieces := max(1, int(math.Ceil(math.Abs(arc.Angle)/math.Pi)))
	sweep := 1
	if arc.Angle < 0 {
		sweep = 0
	}
	for i := range pieces {
		fmt.Fprintf(b, "A%s,%[1]s 0 0 %d ", short(arc.Radius), sweep)
		point("", onCircle(arc, float64(i+1)/float64(pieces)))
	}
}

// escaped returns text for XML. Characters that XML does not allow are replaced.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(strings.Map(character, s))) // a builder never fails
	return b.String()
}

// character returns r, or a replacement if XML does not allow r.
func character(r rune) rune {
	switch {
	case r == '\t', r == '\n', r == '\r', r >= 0x20 && r < 0xd800, r >= 0xe000 && r < 0xfffe, r >= 0x10000:
		return r
	default:
		return utf8.RuneError
	}
}
