package figure

import (
	"bytes"
	"image"
	"image/color"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	face "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"gobench/internal/collect"
	"gobench/internal/lazyregexp"
	"gobench/internal/report/style"
)

// PDF is a canvas that writes PDF, with the used characters of its fonts embedded. gonum's own
// embeds one font whole, and has no outline.
type PDF struct {
	doc   *fpdf.Fpdf
	size  vg.Point
	stack []pdfState
	stale bool // the page has another font than doc knows, since a state was restored
}

// pdfState holds the part of a state that Push keeps and doc does not.
type pdfState struct {
	width vg.Length
	alpha float64
}

// NewPDF returns an empty page. Files of equal pages are equal: they bear the date of
// SOURCE_DATE_EPOCH, in seconds since 1970, or none.
//
// Source: reproducible-builds.org, SOURCE_DATE_EPOCH.
func NewPDF(width, height vg.Length) *PDF {
	p := &PDF{size: vg.Point{X: width, Y: height}, doc: fpdf.NewCustom(&fpdf.InitType{
		OrientationStr: "P", UnitStr: "pt", Size: fpdf.SizeType{Wd: width.Points(), Ht: height.Points()},
	})}
	p.doc.SetCatalogSort(true)
	p.doc.SetProducer("gobench", true)
	if date, ok := sourceDate(); ok {
		p.doc.SetCreationDate(date)
		p.doc.SetModificationDate(date)
	}
	p.doc.SetMargins(0, 0, 0)
	p.doc.SetAutoPageBreak(false, 0)
	p.NextPage()
	return p
}

// sourceDate returns the date of SOURCE_DATE_EPOCH.
func sourceDate() (date time.Time, ok bool) {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	return time.Unix(seconds, 0).UTC(), err == nil
}

// NextPage adds a page, on which the canvas draws from now on.
func (p *PDF) NextPage() {
	p.doc.AddPageFormat("P", fpdf.SizeType{Wd: p.size.X.Points(), Ht: p.size.Y.Points()})
	p.stack, p.stale = []pdfState{{alpha: 1}}, true
	vg.Initialize(p)
}

// Title sets the title of the document.
func (p *PDF) Title(title string) { p.doc.SetTitle(title, true) }

// Outline adds an entry for the current page to the outline, at a level from 0.
func (p *PDF) Outline(text string, level int, y vg.Length) {
	f := letters()
	p.setFont(f) // it encodes the entry
	p.doc.Bookmark(drawable(f, text), level, (p.size.Y - y).Points())
}

var dates = lazyregexp.New(`/(CreationDate|ModDate) \(D:[0-9]{14}\)\n`)

// WriteTo implements io.WriterTo.
func (p *PDF) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := p.doc.Output(&b); err != nil {
		return 0, err
	}
	written := b.Bytes()
	if _, dated := sourceDate(); !dated { // the offsets of objects must stay
		head, tail := written, []byte(nil)
		if i := bytes.LastIndex(written, []byte("/Producer")); i >= 0 {
			head, tail = written[:i:i], written[i:]
		}
		tail = []byte(dates.ReplaceAllStringFunc(string(tail), func(s string) string { return strings.Repeat(" ", len(s)-1) + "\n" }))
		written = append(head, tail...)
	}
	n, err := w.Write(written)
	return int64(n), err
}

// Size implements vg.CanvasSizer.
func (p *PDF) Size() (width, height vg.Length) { return p.size.X, p.size.Y }

func (p *PDF) state() *pdfState { return &p.stack[len(p.stack)-1] }

// SetLineWidth implements vg.Canvas.
func (p *PDF) SetLineWidth(w vg.Length) {
	p.state().width = w
	p.doc.SetLineWidth(w.Points())
}

// SetLineDash implements vg.Canvas.
func (p *PDF) SetLineDash(dashes []vg.Length, offset vg.Length) {
	p.doc.SetDashPattern(collect.Each(dashes, vg.Length.Points), offset.Points())
}

// SetColor implements vg.Canvas.
func (p *PDF) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	r, g, b := int(n.R), int(n.G), int(n.B)
	p.doc.SetFillColor(r, g, b)
	p.doc.SetDrawColor(r, g, b)
	p.doc.SetTextColor(r, g, b)
	if alpha := float64(n.A) / 0xff; alpha != p.state().alpha {
		p.state().alpha = alpha
		p.doc.SetAlpha(alpha, "Normal")
	}
}

// Rotate implements vg.Canvas.
func (p *PDF) Rotate(radians float64) {
	p.doc.TransformRotate(radians*180/math.Pi, 0, p.size.Y.Points())
}

// Translate implements vg.Canvas.
func (p *PDF) Translate(by vg.Point) { p.doc.TransformTranslate(by.X.Points(), -by.Y.Points()) }

// Scale implements vg.Canvas.
func (p *PDF) Scale(x, y float64) { p.doc.TransformScale(100*x, 100*y, 0, p.size.Y.Points()) }

// Push implements vg.Canvas.
func (p *PDF) Push() {
	p.stack = append(p.stack, *p.state())
	p.doc.TransformBegin()
}

// Pop implements vg.Canvas.
func (p *PDF) Pop() {
	p.doc.TransformEnd()
	p.stack = p.stack[:len(p.stack)-1]
	p.stale = true
}

// Stroke implements vg.Canvas.
func (p *PDF) Stroke(path vg.Path) {
	if p.state().width > 0 {
		p.path(path, "D")
	}
}

// Fill implements vg.Canvas.
func (p *PDF) Fill(path vg.Path) { p.path(path, "F") }

// path draws a path. The y axis of doc points down.
func (p *PDF) path(path vg.Path, mode string) {
	at := func(q vg.Point) (x, y float64) { return q.X.Points(), (p.size.Y - q.Y).Points() }
	var begin vg.Point
	for i, comp := range path {
		x, y := at(comp.Pos)
		switch comp.Type {
		case vg.MoveComp:
			begin = comp.Pos
			p.doc.MoveTo(x, y)
		case vg.LineComp:
			p.doc.LineTo(x, y)
		case vg.CurveComp:
			cx, cy := at(comp.Control[0])
			if len(comp.Control) == 1 {
				p.doc.CurveTo(cx, cy, x, y)
			} else {
				dx, dy := at(comp.Control[1])
				p.doc.CurveBezierCubicTo(cx, cy, dx, dy, x, y)
			}
		case vg.ArcComp:
			if from := onCircle(comp, 0); i == 0 || path[i-1].Type == vg.CloseComp {
				p.doc.MoveTo(at(from))
			} else {
				p.doc.LineTo(at(from))
			}
			p.arc(comp, at)
		case vg.CloseComp:
			p.doc.LineTo(at(begin))
			p.doc.ClosePath()
		}
	}
	p.doc.DrawPath(mode)
}

// onCircle returns the point of an arc at a share of its angle.
func onCircle(arc vg.PathComp, share float64) vg.Point {
	sin, cos := math.Sincos(arc.Start + share*arc.Angle)
	return vg.Point{X: arc.Pos.X + arc.Radius*vg.Length(cos), Y: arc.Pos.Y + arc.Radius*vg.Length(sin)}
}

// arc draws an arc as cubic curves of at most a quarter of a circle.
//
// Source: A. Riskus, "Approximation of a cubic Bezier curve by circular arcs and vice versa", 2006.
func (p *PDF) arc(arc vg.PathComp, at func(vg.Point) (x, y float64)) {
	pieces := max(1, int(math.Ceil(math.Abs(arc.Angle)/(math.Pi/2)-1e-9)))
	step := arc.Angle / float64(pieces)
	pull := arc.Radius * vg.Length(4.0/3*math.Tan(step/4))
	for i := range pieces {
		from, to := arc.Start+float64(i)*step, arc.Start+float64(i+1)*step
		a, b := onCircle(arc, float64(i)/float64(pieces)), onCircle(arc, float64(i+1)/float64(pieces))
		c := vg.Point{X: a.X - pull*vg.Length(math.Sin(from)), Y: a.Y + pull*vg.Length(math.Cos(from))}
		d := vg.Point{X: b.X + pull*vg.Length(math.Sin(to)), Y: b.Y - pull*vg.Length(math.Cos(to))}
		cx, cy := at(c)
		dx, dy := at(d)
		x, y := at(b)
		p.doc.CurveBezierCubicTo(cx, cy, dx, dy, x, y)
	}
}

// FillString implements vg.Canvas.
func (p *PDF) FillString(f font.Face, at vg.Point, s string) {
	if s == "" || f.Font.Size == 0 {
		return
	}
	p.setFont(f)
	p.doc.Text(at.X.Points(), (p.size.Y - at.Y).Points(), drawable(f, s))
}

// setFont sets the font of text, and embeds it when it is used for the first time.
func (p *PDF) setFont(f font.Face) {
	bold := ""
	if f.Font.Weight == face.WeightBold {
		bold = "B"
	}
	family := "Liberation" + string(f.Font.Variant)
	if p.doc.GetFontDesc(family, bold).Ascent == 0 {
		var source bytes.Buffer
		if _, err := f.Face.WriteSourceTo(nil, &source); err != nil {
			p.doc.SetError(err)
			return
		}
		p.doc.AddUTF8FontFromBytes(family, bold, source.Bytes())
	}
	size := f.Font.Size.Points()
	if p.stale { // a font of the same size would not be written
		p.doc.SetFont(family, bold, size+1)
		p.stale = false
	}
	p.doc.SetFont(family, bold, size)
}

// letters returns the font of small text.
func letters() font.Face {
	sans := style.Text(style.Small, false)
	return sans.Handler.Cache().Lookup(sans.Font, sans.Font.Size)
}

// drawable replaces the characters that a font lacks, and those that fonts of PDF cannot have.
func drawable(f font.Face, s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xffff || unicode.IsControl(r) {
			return '?'
		}
		if glyph, err := f.Face.GlyphIndex(nil, r); err == nil && glyph == 0 {
			return '?'
		}
		return r
	}, s)
}

// DrawImage implements vg.Canvas. Figures have no images.
func (p *PDF) DrawImage(vg.Rectangle, image.Image) { panic("figure: images are not drawn as PDF") }
