package bench

import (
	"testing"
	"time"

	"gobench/record"
	"gobench/stats"
)

// Events in which all ranks take equally long do not hide the skew of the others.
func TestSkewsOfZero(t *testing.T) {
	for zeros := range 20 {
		r := stats.NewRecorder(100)
		for n := range 41 {
			i := n * 17 % 41 // in no order
			skew := int64(1000 + i)
			if i < zeros {
				skew = 0
			}
			r.Add(int64(n), skew)
		}
		p := record.Point{
			Run: "test", Time: time.Unix(1, 0), Bench: "barrier", Transport: "simulated", Level: "comm", Ranks: 2,
			RankKind: "goroutine", Iterations: 41,
			Metrics: record.ValuesOf(map[string]record.Value{"skew_s": skewValue(r.Summary(0), false)}),
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%d of 41 are zero: %v", zeros, err)
		}
		if v := p.Metrics.Get("skew_s"); v.Median < 1e-6 || zeros == 0 && v.Lo == 0 || zeros == 19 && v.Hi != 0 {
			t.Errorf("%d of 41 are zero: %+v", zeros, v)
		}
	}
}
