package style_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"gobench/internal/report/style"
)

func labels(t plot.Ticker, lo, hi float64) string {
	var words []string
	for _, tick := range t.Ticks(lo, hi) {
		if !tick.IsMinor() {
			words = append(words, tick.Label)
		}
	}
	return strings.Join(words, " ")
}

func TestTicks(t *testing.T) {
	scale := style.Sizes{Zero: true, Smallest: 1}
	for _, c := range []struct {
		ticker plot.Ticker
		lo, hi float64
		want   string
	}{
		{style.SizeTicks{Scale: scale, Labels: 4}, 0, 4096, "0 1 B 16 B 256 B 4 KiB"},
		{style.SizeTicks{Scale: style.Sizes{Smallest: 1024}, Labels: 9}, 1024, 4 << 20, "1 KiB 4 KiB 16 KiB 64 KiB 256 KiB 1 MiB 4 MiB"},
		{style.SizeTicks{Scale: style.Sizes{Smallest: 8}, Labels: 13, Values: []float64{8, 1 << 10, 64 << 10}}, 8, 64 << 10, "8 B 1 KiB 64 KiB"},
		{style.SizeTicks{Scale: scale, Labels: 4, Values: []float64{0, 64, 96, 1 << 20}}, 0, 1 << 20, "0 64 B 1 MiB"},
		// gonum's own ticks lose the lower decade here, and has no tick within one.
		{style.Decades{}, 0.35, 2000, "1 10 100 1000"},
		{style.Decades{}, 0.05, 0.6, "0.05 0.1 0.2 0.3 0.5"},
		{style.Decades{}, 4, 6, "4 4.5 5 5.5 6"},
		{style.Decades{}, 3e-7, 3, "0.000001 0.00001 0.0001 0.001 0.01 0.1 1"},
		{style.Decades{}, 300, 1200, "400 600 800 1000 1200"},
		{style.Linear{}, 0, 170, "0 50 100 150"},
		{style.Linear{}, 1 << 60, 1<<60 + 1<<8, ""},
		{style.Linear{}, -0.01, 1.05, "0 0.2 0.4 0.6 0.8 1"},
		{style.Counts{Values: []float64{1, 2, 3, 4, 256}}, 1, 256, "1 2 3 4 256"},
	} {
		if got := labels(c.ticker, c.lo, c.hi); got != c.want {
			t.Errorf("%T from %g to %g: %s, want %s", c.ticker, c.lo, c.hi, got, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", 0.1: "0.1", 1234: "1234", 12345: "12 345", 0.123456: "0.1235", 98.7654: "98.77", 3e9: "3 000 000 000", 2e-7: "0.0000002", -5: "-5", 1e-6: "0.000001", 12345678: "12 350 000", 1e20: "1e+20", -0.00012346: "-0.0001235",
	} {
		if got := style.Number(v); got != want {
			t.Errorf("Number(%g) = %q, want %q", v, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1: "1 B", 1024: "1 KiB", 1536: "1.5 KiB", 4 << 20: "4 MiB", 65535: "65535 B", 65537: "65537 B", 1<<20 + 512: "1049088 B", 3 << 29: "1.5 GiB", 10000 << 10: "10000 KiB"} {
		if got := style.Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}

// Empty messages have a separate place, left of the smallest message.
func TestEmptyMessagesAreApart(t *testing.T) {
	s := style.Sizes{Zero: true, Smallest: 4}
	zero, four, large := s.Normalize(0, 1024, 0), s.Normalize(0, 1024, 4), s.Normalize(0, 1024, 1024)
	if zero != 0 || large != 1 || four <= 0.1 || four >= 0.3 {
		t.Errorf("0 B at %g, 4 B at %g, 1 KiB at %g", zero, four, large)
	}
	if at := (style.Log{}).Normalize(1, 10, -3); at != 0 {
		t.Errorf("a value without logarithm is at %g", at)
	}
}

// No two series that may be in one figure look alike, in colour or in grey.
func TestSeriesDiffer(t *testing.T) {
	for i := range style.MaxSeries {
		for j := range i {
			a, b := style.Of(i), style.Of(j)
			if a.Glyph.Shape == b.Glyph.Shape && a.Color == b.Color {
				t.Errorf("series %d and %d look alike", i, j)
			}
			if a.Glyph.Shape == b.Glyph.Shape && len(a.Line.Dashes) == len(b.Line.Dashes) && i < 8 {
				t.Errorf("series %d and %d look alike in grey", i, j)
			}
		}
	}
}
