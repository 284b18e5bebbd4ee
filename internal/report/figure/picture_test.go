//go:build !race

// Under the race detector the loops over the pixels take a minute, and they run in one goroutine,
// so that there are no races to find.

package figure_test

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gobench/internal/report/figure"
)

var update = flag.Bool("update", false, "write what is drawn to testdata; look at it before it is committed")

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

// ink returns the darkness of a pixel, 0 to 1.
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

// grain reduces a picture to squares with their mean darkness. Another font changes it little, a
// missing line much.
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

// Pictures are the same as when a person checked them, and nothing is cut off.
func TestFiguresLookAsTheyDid(t *testing.T) {
	each(t, func(t *testing.T, f *figure.Figure) {
		t.Parallel()
		img := picture(t, f)
		if edge(img) {
			t.Error("something reaches the edge of the picture")
		}
		got := grain(img)
		path := filepath.Join("testdata", strings.ReplaceAll(strings.TrimPrefix(t.Name(), "TestFiguresLookAsTheyDid/"), "/", "-")+".png")
		err := sameGrain(got, path)
		if err != nil && *update {
			var b bytes.Buffer
			if err := png.Encode(&b, got); err != nil {
				t.Fatal(err)
			}
			err = os.WriteFile(path, b.Bytes(), 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// sameGrain returns an error if a grain differs from that in a file.
func sameGrain(got image.Image, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w: look at the figure, then run with -update, which writes the file", err)
	}
	defer file.Close()
	want, err := png.Decode(file)
	if err != nil {
		return err
	}
	if d := difference(got, want); d > 0.02 {
		return fmt.Errorf("it differs by %.3f from %s: look at the figure, then run with -update", d, path)
	}
	return nil
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
