package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Quantiles of pooled histograms differ by at most half a class from the quantiles of all events,
// after the counts were written and read. The text is short.
func TestHistogramsArePooled(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all []float64
	var launches []*Histogram
	for i := range 8 {
		r := NewRecorder(4000)
		for range 5000 {
			ns := int64((2000 + 100*float64(i)) * math.Exp(0.5*random.NormFloat64()))
			r.Add(0, ns)
			all = append(all, float64(ns)/2e9)
		}
		text := r.Histogram(0.5).String()
		if len(text) > 400 {
			t.Errorf("%d bytes", len(text))
		}
		h, err := ParseHistogram(text)
		if err != nil || h.N() != 5000 || h.String() != text {
			t.Fatalf("%v, %d events", err, h.N())
		}
		launches = append(launches, h)
	}
	slices.Sort(all)
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999, 0.9999} {
		exact := all[int(math.Ceil(q*float64(len(all))))-1]
		between := PooledQuantiles(launches, []float64{q}, true)[0]
		if math.Abs(between.Median/exact-1) > 0.025 {
			t.Errorf("quantile %g is %g, want %g", q, between.Median, exact)
		}
		whole := PooledQuantiles(launches, []float64{q}, false)[0]
		if whole.Lo > between.Lo || between.Lo > between.Median || between.Median > between.Hi || between.Hi > whole.Hi || whole.Lo == whole.Hi {
			t.Errorf("quantile %g: interval %g, range %g", q, between, whole)
		}
	}
}

// Text that is no histogram is refused, and times beyond the classes are in the last ones.
func TestHistogramBounds(t *testing.T) {
	for _, s := range []string{"!", "AA", "AAA", "AQ", "AQEAAQ", "/////w", "oAUB", "gAD/////////////AQ"} {
		if h, err := ParseHistogram(s); err == nil {
			t.Errorf("%q has %d events", s, h.N())
		}
	}
	h := new(Histogram)
	h.add(0, 1)
	h.add(math.Inf(1), 2)
	if h[0] != 1 || h[classes-1] != 2 {
		t.Errorf("%d and %d events at the ends", h[0], h[classes-1])
	}
}

// Very many launches are pooled in groups: their events are counted all the same.
func TestManyHistogramsArePooled(t *testing.T) {
	launches := make([]*Histogram, 2*maxPooled+1)
	for i := range launches {
		launches[i] = new(Histogram)
		launches[i].add(1000, 1)
	}
	launches[0].add(1e6, int64(len(launches)))
	list := PooledQuantiles(launches, []float64{0.4, 0.6}, false)
	if list[0].Median > 1.1e-6 || list[1].Median < 0.9e-3 {
		t.Errorf("%v", list)
	}
}
