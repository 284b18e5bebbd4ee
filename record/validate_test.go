package record

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestInvariants(t *testing.T) {
	metric := func(key string, change func(v *Value)) func(p *Point) {
		return func(p *Point) {
			v := p.Metrics.Get(key)
			change(&v)
			p.Metrics.Set(key, v)
		}
	}
	half := func(change func(v *Value)) func(p *Point) { return metric("half_rtt_s", change) }
	rate := func(change func(v *Value)) func(p *Point) { return metric("bandwidth_Bps", change) }
	for _, c := range []struct {
		name, field string // field "" = valid
		change      func(p *Point)
	}{
		{"as it is", "", func(p *Point) {}},
		{"NaN", "half_rtt_s", half(func(v *Value) { v.Median = math.NaN() })},
		{"infinite", "bandwidth_Bps", rate(func(v *Value) { v.Hi = math.Inf(1) })},
		{"zero", "half_rtt_s", half(func(v *Value) { v.Median = 0 })},
		{"negative", "half_rtt_s", half(func(v *Value) { v.Min = -1 })},
		{"min above p50", "half_rtt_s", half(func(v *Value) { v.Min = v.P50 * 1.1 })},
		{"p50 above p90", "half_rtt_s", half(func(v *Value) { v.P50 = v.P90 * 1.1 })},
		{"p99 above max", "half_rtt_s", half(func(v *Value) { v.Max = v.P90 })},
		{"min above max, the rest absent", "half_rtt_s", half(func(v *Value) { *v = Value{Median: v.Median, N: 1, Min: 2, Max: 1} })},
		{"p999 absent", "", half(func(v *Value) { v.P999 = 0 })},
		{"interval of p99", "", half(func(v *Value) { v.P99Lo, v.P99Hi = v.P99/2, v.P99*2 })},
		{"p99 outside of its interval", "half_rtt_s", half(func(v *Value) { v.P99Lo, v.P99Hi = v.P99*1.5, v.P99*2 })},
		{"one bound of p99", "half_rtt_s", half(func(v *Value) { v.P99Hi = v.P99 * 2 })},
		{"lo above median", "half_rtt_s", half(func(v *Value) { v.Lo = v.Median * 1.01 })},
		{"hi below median", "half_rtt_s", half(func(v *Value) { v.Hi = v.Median * 0.99 })},
		{"lo without hi", "half_rtt_s", half(func(v *Value) { v.Hi = 0 })},
		{"no n", "half_rtt_s", half(func(v *Value) { v.N = 0 })},
		{"n that is not exact in JSON", "half_rtt_s", half(func(v *Value) { v.N = 1<<53 + 1 })},
		{"state of all", "", func(p *Point) { p.StateShare = 1 + 1e-12 }},
		{"n_eff above n", "half_rtt_s", half(func(v *Value) { v.EffectiveN = v.N + 1 })},
		{"sure", "half_rtt_s", half(func(v *Value) { v.Confidence = 1 })},
		{"rate with percentiles", "bandwidth_Bps", rate(func(v *Value) { v.P90 = v.Median })},
		{"batch with percentiles", "half_rtt_s", func(p *Point) { p.Batched = 2 }},
		{"bandwidth of another size", "bandwidth_Bps", func(p *Point) { p.Amount = 1025 }},
		{"bandwidth of twice the size", "", func(p *Point) {
			p.Amount = 0
			rate(func(v *Value) { v.Median *= 2; v.Lo *= 2; v.Hi *= 2 })(p)
		}},
		{"bandwidth of no multiple of the size", "bandwidth_Bps", func(p *Point) {
			p.Amount = 0
			rate(func(v *Value) { v.Median *= 1.5; v.Lo *= 1.5; v.Hi *= 1.5 })(p)
		}},
		{"bounds of the rate not swapped", "bandwidth_Bps", rate(func(v *Value) { v.Lo = v.Lo * 1.01 })},
		{"bandwidth of nothing", "bandwidth_Bps", func(p *Point) { p.Size, p.Amount = 0, 0 }},
		{"unknown metric", "latency_s", func(p *Point) { p.Metrics.Set("latency_s", Value{Median: 1, N: 1}) }},
		{"metric by its name", "half_rtt", func(p *Point) { p.Metrics.Set("half_rtt", Value{Median: 1, N: 1}) }},
		{"no metrics", "metrics", func(p *Point) { p.Metrics = Values{} }},
		{"cores of other ranks", "cores", func(p *Point) { p.Cores = []int{1} }},
		{"a long name", "bench", func(p *Point) { p.Bench = strings.Repeat("x", MaxName+1) }},
		{"a histogram of all classes", "", func(p *Point) { p.Histogram = strings.Repeat("AQEB", 2000) }},
		{"as long as names may be", "", func(p *Point) { p.Library = strings.Repeat("x", MaxName) }},
		{"a long sentence", "", func(p *Point) { p.Method = strings.Repeat("x", maxText) }},
		{"a sentence of a book", "method", func(p *Point) { p.Method = strings.Repeat("x", maxText+1) }},
		{"a size beyond all memory", "size_B", func(p *Point) { p.Size = 1 << 62 }},
		{"a long option", "options", func(p *Point) { p.Options = map[string]string{strings.Repeat("x", MaxName+1): "on"} }},
		{"a long value", "found", func(p *Point) { p.Found = map[string]string{"x": strings.Repeat("x", maxText+1)} }},
		{"no transport", "transport", func(p *Point) { p.Transport = "" }},
		{"no time", "time", func(p *Point) { p.Time = time.Time{} }},
		{"negative distance", "distance_before_s", func(p *Point) { p.DistanceBefore = -1 }},
		{"duration NaN", "duration_s", func(p *Point) { p.Duration = math.NaN() }},
	} {
		p := samplePoint()
		c.change(p)
		err := p.Validate()
		if c.field == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		invalid, ok := errors.AsType[*InvalidError](err)
		if !ok || invalid.Field != c.field {
			t.Errorf("%s: error %v, want one about %s", c.name, err, c.field)
		}
	}
}

func TestInvalidErrorIsASentence(t *testing.T) {
	p := samplePoint()
	p.Metrics.Set("half_rtt_s", Value{Median: 2, Lo: 3, Hi: 4, N: 1})
	want := "invalid row (pingpong smem device 1024 B): half_rtt_s: lo <= median does not hold: 3 > 2"
	if err := p.Validate(); err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}
