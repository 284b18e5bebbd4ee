package figure_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gobench/bench/price"
	"gobench/bench/record"
	"gobench/internal/nearest"
	"gobench/report/cell"
	"gobench/report/figure"
	"gobench/report/figure/figuretest"
)

var update = flag.Bool("update", false, "write what is drawn to testdata; look at it before it is committed")

func set(files ...*record.File) *cell.Set {
	s := cell.NewSet()
	for i, f := range files {
		s.Add(string(rune('a'+i))+".jsonl", f)
	}
	return s
}

// drawn are the sets that figures are tested with.
var drawn = map[string]*cell.Set{
	"pingpong":    set(figuretest.PingPong(1)),
	"launches":    set(figuretest.PingPong(8)),
	"many":        set(figuretest.PingPong(24)),
	"collectives": set(figuretest.Collectives()),
	"kernels":     priced(figuretest.Kernels()),
	"pairs":       set(figuretest.Pairs()),
	"files":       set(figuretest.PingPong(4), figuretest.PingPong(5)),
}

// priced is a set with prices.
func priced(f *record.File) *cell.Set {
	s := set(f)
	s.Cost = &cell.Cost{
		Book:    &price.Book{Name: "test", Currency: "USD", Prices: []price.Price{{Type: "a", Option: "on-demand", PerHour: 2}, {Type: "a", Option: "spot", PerHour: 0.7}}},
		Cluster: &price.Cluster{Name: "two", Nodes: []price.Node{{Type: "a", Cores: 8, Count: 2}}},
	}
	return s
}

// each tests every figure of every set; with -short, as under the race detector, those of
// one set, which have all that is drawn by several at once.
func each(t *testing.T, test func(t *testing.T, f *figure.Figure)) {
	for name, s := range drawn {
		if testing.Short() && name != "pairs" {
			continue
		}
		figures := figure.All(s)
		if name == "many" {
			figures = figure.Variability(s) // the rest looks as that of fewer launches
		}
		for _, k := range figure.Kinds {
			if k.Optional && name != "many" {
				figures = append(figures, k.Draw(s)...)
			}
		}
		seen := map[string]bool{}
		for _, f := range figures {
			t.Run(name+"/"+f.Name, func(t *testing.T) {
				if seen[f.Name] {
					t.Errorf("there are two figures %s", f.Name)
				}
				seen[f.Name] = true
				test(t, f)
			})
		}
	}
}

// Every kind draws something of these records: none is untested.
func TestEveryKindIsDrawn(t *testing.T) {
	for _, k := range figure.Kinds {
		n := 0
		for _, s := range drawn {
			n += len(k.Draw(s))
		}
		if n == 0 {
			t.Errorf("no figure of kind %s", k.Name)
		}
	}
}

func TestEveryFigureSaysWhatItShows(t *testing.T) {
	each(t, func(t *testing.T, f *figure.Figure) {
		if f.Title == "" || f.Caption == "" || f.Method == "" {
			t.Errorf("title %q, caption %q, method %q", f.Title, f.Caption, f.Method)
		}
	})
}

// picture is a figure as a bitmap.
func picture(t *testing.T, f *figure.Figure) *image.NRGBA {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, "png"); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewNRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), img, image.Point{}, draw.Src)
	return out
}

// ink is how dark a pixel is, 0 to 1.
func ink(img *image.NRGBA, x, y int) float64 {
	p := img.Pix[img.PixOffset(x, y):]
	return 1 - float64(int(p[0])+int(p[1])+int(p[2]))/(3*0xff)
}

// edge reports that something reaches the edge of a picture, where it would be
// cut off.
func edge(img *image.NRGBA) bool {
	b := img.Bounds()
	for x := range b.Max.X {
		for y := range b.Max.Y {
			if (x < 6 || y < 6 || x >= b.Max.X-6 || y >= b.Max.Y-6) && ink(img, x, y) > 0.02 {
				return true
			}
		}
	}
	return false
}

// grain is a picture in squares, each with the mean darkness of what is there:
// a difference of fonts does not change it much, a lost line does.
func grain(img *image.NRGBA) *image.Gray {
	const across = 48
	b := img.Bounds()
	side := float64(b.Dx()) / across
	down := int(math.Ceil(float64(b.Dy()) / side))
	out := image.NewGray(image.Rect(0, 0, across, down))
	for j := range down {
		for i := range across {
			sum, n := 0.0, 0
			for y := int(float64(j) * side); y < min(b.Dy(), int(float64(j+1)*side)); y++ {
				for x := int(float64(i) * side); x < min(b.Dx(), int(float64(i+1)*side)); x++ {
					sum += ink(img, x, y)
					n++
				}
			}
			if n > 0 {
				out.SetGray(i, j, color.Gray{Y: uint8(255 * (1 - math.Sqrt(sum/float64(n))))})
			}
		}
	}
	return out
}

// Pictures look as they did when somebody looked at them, and nothing is cut off.
func TestFiguresLookAsTheyDid(t *testing.T) {
	each(t, func(t *testing.T, f *figure.Figure) {
		t.Parallel()
		img := picture(t, f)
		if edge(img) {
			t.Error("something reaches the edge of the picture")
		}
		got := grain(img)
		path := filepath.Join("testdata", strings.ReplaceAll(strings.TrimPrefix(t.Name(), "TestFiguresLookAsTheyDid/"), "/", "-")+".png")
		if *update {
			var b bytes.Buffer
			if err := png.Encode(&b, got); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatalf("%v; look at the figure, then run with -update", err)
		}
		defer file.Close()
		want, err := png.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(got, want); d > 0.02 {
			t.Errorf("it differs by %.3f from %s; look at the figure, then run with -update", d, path)
		}
	})
}

// difference is the mean difference of two grains, 1 where their sizes differ.
func difference(a, b image.Image) float64 {
	dark := func(c color.Color) float64 { return 1 - float64(color.GrayModel.Convert(c).(color.Gray).Y)/0xff }
	if a.Bounds() != b.Bounds() {
		return 1
	}
	sum := 0.0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			sum += math.Abs(dark(a.At(x, y)) - dark(b.At(x, y)))
		}
	}
	return sum / float64(a.Bounds().Dx()*a.Bounds().Dy())
}

// The comparison would see a figure without its lines.
func TestDifferenceSeesLostLines(t *testing.T) {
	f := figure.PointToPoint(drawn["pingpong"])[0]
	whole := grain(picture(t, f))
	f = figure.PointToPoint(drawn["pingpong"])[0]
	for _, row := range f.Rows {
		axes := figure.NewPanel("")
		axes.X, axes.Y, axes.XLabel, axes.YLabel = row[0].X, row[0].Y, row[0].XLabel, row[0].YLabel
		row[0] = axes
	}
	if d := difference(whole, grain(picture(t, f))); d <= 0.02 {
		t.Errorf("without lines it differs by %.3f only", d)
	}
}

func TestSVGIsWellFormedAndHasItsNumbers(t *testing.T) {
	each(t, func(t *testing.T, f *figure.Figure) {
		svg, marks := f.SVG()
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Error("the figure has coordinates that are no numbers")
		}
		if len(marks) == 0 {
			t.Error("no value can be asked for")
		}
		if texts := strings.Count(svg, "<text "); texts == 0 || texts != strings.Count(svg, "textLength=") {
			t.Errorf("of %d texts some have no width", texts)
		}
		width, height := f.Size()
		for _, m := range marks {
			if m.Text == "" || m.At.X < 0 || m.At.X > width || m.At.Y < 0 || m.At.Y > height {
				t.Errorf("mark %v", m)
			}
		}
	})
}

func TestPDF(t *testing.T) {
	var b bytes.Buffer
	if err := figure.PointToPoint(drawn["pingpong"])[0].Write(&b, "pdf"); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(b.Bytes(), []byte("%PDF-")) {
		t.Error("it is no PDF")
	}
}

func TestUnknownNames(t *testing.T) {
	_, err := figure.Named(drawn["pingpong"], "pingpang")
	if _, ok := errors.AsType[*nearest.UnknownError](err); !ok || !strings.Contains(err.Error(), `"pingpong"`) {
		t.Errorf("error %v", err)
	}
	if err := figure.PointToPoint(drawn["pingpong"])[0].Write(io.Discard, "bmp"); err == nil {
		t.Error("a bitmap was written")
	}
}
