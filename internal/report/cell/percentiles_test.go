package cell_test

import (
	"runtime"
	"testing"

	"gobench/internal/record/series"
	"gobench/internal/report/cell"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
)

// Tables have the same 99th percentile of a cell with the same interval. Percentiles copy no
// records, which took 8 KiB per launch, as long as the figure was held.
func TestPercentiles(t *testing.T) {
	const launches = 200
	f := figuretest.PingPong(launches)
	points := set(f).Where(func(p cell.Point) bool { return p.Transport == "smem" && p.Size == f.Points[0].Size })
	c := cell.Of(points, "half_rtt_s")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	list := c.Percentiles("half_rtt_s")
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > launches*3<<10 {
		t.Errorf("%d bytes for %d launches", used, launches)
	}
	for _, one := range list {
		if one.Launches() != launches || one.Points[0].Point != c.Points[0].Point {
			t.Errorf("one event in %g: %d launches, or copies of their records", one.X, one.Launches())
		}
		if event := one.X == 1 || one.Median == list[len(list)-1].Median; one.OneEvent != event {
			t.Errorf("one event in %g: of one event %v", one.X, one.OneEvent)
		}
		if one.X != 100 {
			continue
		}
		var all []*record.Point
		for _, p := range c.Points {
			all = append(all, p.Point)
		}
		if v, _ := series.Value(all, "half_rtt_s"); one.Median != v.P99 || one.Lo != v.P99Lo || one.Hi != v.P99Hi || one.Spread() != cell.Between || v.P99Lo == 0 {
			t.Errorf("p99 %g, %g to %g, in tables %g, %g to %g", one.Median, one.Lo, one.Hi, v.P99, v.P99Lo, v.P99Hi)
		}
	}
}
