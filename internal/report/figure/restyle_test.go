package figure_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/internal/report/style"
)

// sheetOf returns the choices of "name=value" settings.
func sheetOf(t *testing.T, settings ...string) *style.Sheet {
	t.Helper()
	s := &style.Sheet{}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		if err := s.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// curveNames returns the names of the curves of a panel.
func curveNames(p *figure.Panel) string {
	var list []string
	for _, l := range p.Layers {
		if c, ok := l.(figure.Curve); ok {
			list = append(list, c.Name)
		}
	}
	return strings.Join(list, "|")
}

// A reader chooses series, their order, names and colours; also those that were left out.
func TestChosenSeries(t *testing.T) {
	f := figure.PointToPoint(set(figuretest.PingPong(1)))
	if err := figure.Restyle(f, sheetOf(t, "series=tcp=sockets:#123456,*")); err != nil {
		t.Fatal(err)
	}
	if got := curveNames(f[0].Rows[0][0]); got != "sockets|smem" || f[0].Keys[0].Name != "sockets" || f[0].Keys[0].Look.Color.B != 0x56 {
		t.Errorf("series %s, keys %v", got, f[0].Keys)
	}
	f = figure.Collectives(set(figuretest.Algorithms()))
	all := len(f[0].Keys)
	if err := figure.Restyle(f, sheetOf(t, "series=a")); err != nil {
		t.Fatal(err)
	}
	if got := curveNames(f[0].Rows[0][0]); all != style.MaxSeries || !strings.HasPrefix(got, "a") {
		t.Errorf("of %d series, the one that was left out: %s", all, got)
	}
	f = figure.PointToPoint(set(figuretest.PingPong(1)))
	if err := figure.Restyle(f, sheetOf(t, "series=udp")); err == nil || !strings.Contains(err.Error(), "smem") {
		t.Errorf("error %v", err)
	}
}

// A reader chooses scales and limits of all panels or of one.
func TestChosenAxes(t *testing.T) {
	f := figure.PointToPoint(set(figuretest.PingPong(1)))
	if err := figure.Restyle(f, sheetOf(t, "y=b:linear,0..20", "x=64..65536")); err != nil {
		t.Fatal(err)
	}
	c := f[0].Chart()
	if a, b := c.Panels[0], c.Panels[1]; !a.Y.Log || b.Y.Log || b.Y.Lo != 0 || b.Y.Hi != 20 || a.X.Lo != 64 || b.X.Hi != 65536 {
		t.Errorf("axes %+v and %+v", a, b)
	}
}

// Files have the width that was asked for, panels stand below each other where it is small, and a
// height that leaves no room is refused.
func TestChosenSize(t *testing.T) {
	f := figure.Kernels(drawn["kernels"])
	if err := figure.Restyle(f, sheetOf(t, "width=column", "bare=true")); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f[0].Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	if want := `width="239.76pt"`; !strings.Contains(b.String(), want) || strings.Contains(b.String(), f[0].Title) || len(f[0].Rows[0]) != 1 {
		t.Errorf("no %s, or a title, or %d columns", want, len(f[0].Rows[0]))
	}
	for _, group := range []string{`id="panel-a-curve-gobench-smem" class="series curve gobench-smem"`, `id="key-ideal"`} {
		if !strings.Contains(b.String(), group) {
			t.Errorf("there is no group %s", group)
		}
	}
	if err := figure.Restyle(figure.Kernels(drawn["kernels"]), sheetOf(t, "height=3cm")); err == nil || !strings.Contains(err.Error(), "needs a height of") {
		t.Errorf("error %v", err)
	}
}

// Speedups refer to the base that a reader chooses.
func TestChosenBase(t *testing.T) {
	last := func(base string) float64 {
		f := figure.Kernels(drawn["kernels"])
		if err := figure.Restyle(f, &style.Sheet{Base: base}); err != nil {
			t.Fatal(err)
		}
		if base != "" && !strings.Contains(f[0].Caption, "Speedup: ") {
			t.Errorf("caption %s", f[0].Caption)
		}
		for _, l := range f[0].Rows[0][1].Layers {
			if c, ok := l.(figure.Curve); ok {
				return c.Cells[len(c.Cells)-1].Median
			}
		}
		return math.NaN()
	}
	if library, own := last("Open MPI 4.1.4"), last(style.OwnBase); !(library > 0 && own > 0) {
		t.Errorf("speedups %g and %g", library, own)
	}
	if err := figure.Restyle(figure.Kernels(drawn["kernels"]), &style.Sheet{Base: "nobody"}); err == nil {
		t.Error("a base that is not there was taken")
	}
}

// Equal figures are equal files without a date, and the fonts of a PDF are parts.
func TestPDFIsTheSame(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")
	draw := func() []byte {
		var b bytes.Buffer
		if err := figure.PointToPoint(drawn["pingpong"])[0].Write(&b, "pdf"); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	a := draw()
	if !bytes.Equal(a, draw()) {
		t.Error("two files differ")
	}
	if bytes.Contains(a, []byte("CreationDate")) || !bytes.Contains(a, []byte("/Title")) || !bytes.Contains(a, []byte("/Outlines")) || len(a) > 80<<10 {
		t.Errorf("a date, or no title or outline, or %d bytes", len(a))
	}
	t.Setenv("SOURCE_DATE_EPOCH", "86400")
	if !bytes.Contains(draw(), []byte("D:19700102000000")) {
		t.Error("SOURCE_DATE_EPOCH is not the date")
	}
}
