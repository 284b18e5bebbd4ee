package series_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/internal/bench/state"
	"gobench/internal/record/series"
	"gobench/record"
	"gobench/stats"
)

const near, far = 30e-9, 160e-9

// launch returns the point of launch n of pingpong with 1000 bytes on near cores: a median of us
// microseconds, with an interval of 1 % to each side and percentiles.
func launch(n int, us float64) record.Point {
	t := us * 1e-6
	return record.Point{
		Run: fmt.Sprintf("launch-%d", n), Time: time.Unix(int64(n), 0), Launch: n, Seed: 7, Block: 2,
		Bench: "pingpong", Transport: "smem", Level: "device", Size: 1000, Amount: 1000, Ranks: 2, RankKind: "process",
		Iterations: 100, Checked: 10, WarmupDropped: 5, Duration: 0.5,
		StateDistance: near, StateShare: 1,
		Metrics: record.ValuesOf(map[string]record.Value{
			"half_rtt_s": {
				Median: t, Lo: 0.99 * t, Hi: 1.01 * t, Confidence: 0.95, N: 100, EffectiveN: 50,
				Min: t / 2, P50: t, P90: 2 * t, P99: 3 * t, Max: 4 * t,
			},
			"bandwidth_Bps": {Median: 1000 / t, Lo: 1000 / (1.01 * t), Hi: 1000 / (0.99 * t), Confidence: 0.95, N: 100, EffectiveN: 50},
		}),
	}
}

func launches(us ...float64) []record.Point {
	var points []record.Point
	for i, t := range us {
		points = append(points, launch(i+1, t))
	}
	return points
}

// rows fails the test if points or rows are invalid.
func rows(t *testing.T, points []record.Point) []record.Point {
	t.Helper()
	for i := range points {
		if err := points[i].Validate(); err != nil {
			t.Fatal(err)
		}
	}
	list := series.Rows([]record.Run{{MinDistance: near}}, points, new(series.Scales))
	for i := range list {
		if err := list[i].Validate(); err != nil {
			t.Error(err)
		}
	}
	return list
}

// row returns the only row.
func row(t *testing.T, points []record.Point) record.Point {
	t.Helper()
	list := rows(t, points)
	if len(list) != 1 {
		t.Fatalf("%d rows", len(list))
	}
	return list[0]
}

func equal(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// The rate of a run is its number of operations divided by the median time, also if this is between
// two launches. The rate of a part of the run is not derived from the time of the run.
func TestRatesOfRuns(t *testing.T) {
	of := func(n int, seconds, storage float64) record.Point {
		p := launch(n, 1)
		p.Bench, p.Class, p.Size, p.Amount = "bt-io", "S", 0, 0
		p.Metrics = record.ValuesOf(map[string]record.Value{
			"run_s": {Median: seconds, N: 1}, "mops": {Median: 228 / seconds, N: 1}, "storage_Bps": {Median: storage, N: 1},
		})
		return p
	}
	r := row(t, []record.Point{of(1, 0.1, 2e8), of(2, 0.05, 3e8)})
	if mops, storage := r.Metrics.Median("mops"), r.Metrics.Median("storage_Bps"); !equal(mops, 228/0.075) || !equal(storage, 2.5e8) {
		t.Errorf("%v Mop/s in %v s, storage %v", mops, r.Metrics.Median("run_s"), storage)
	}
}

// The median is the median of the launches' medians, and its interval is between launches: it
// exists from 6 launches on, for any number of samples.
func TestTheLaunchIsTheUnit(t *testing.T) {
	for _, c := range []struct {
		us             []float64
		median, lo, hi float64
	}{
		{[]float64{3}, 3, 0, 0},
		{[]float64{3, 1}, 2, 0, 0},
		{[]float64{9, 1, 2, 3, 4}, 3, 0, 0},
		{[]float64{6, 1, 5, 2, 4, 3}, 3.5, 1, 6},
		{[]float64{4, 1, 6, 700, 3, 5, 2}, 4, 1, 700},
		{[]float64{8, 1, 2, 7, 3, 4, 6, 5}, 4.5, 1, 8},
		{[]float64{5, 1, 8, 3, 9, 2, 6, 4, 7}, 5, 2, 8},
		{[]float64{7, 1, 11, 4, 9, 2, 12, 5, 8, 3, 10, 6}, 6.5, 3, 10},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8}, 4.5, 0, 0}, // a drift
	} {
		points := launches(c.us...)
		// One launch has most of the samples: it counts as one launch.
		v := points[0].Metrics.Get("half_rtt_s")
		v.N, v.EffectiveN = 1_000_000, 500_000
		points[0].Metrics.Set("half_rtt_s", v)
		r := row(t, points)
		got := r.Metrics.Get("half_rtt_s")
		if n := float64(len(c.us)); c.hi > 0 { // the interval is wider than that of order statistics
			by := 1.5 / (n - 4)
			if c.hi += by * (c.hi - c.median); c.lo-by*(c.median-c.lo) > 0 {
				c.lo -= by * (c.median - c.lo)
			} else { // on the scale of logarithms
				c.lo *= math.Pow(c.lo/c.median, by)
			}
		}
		if !equal(got.Median, c.median*1e-6) || !equal(got.P50, got.Median) || !equal(got.Lo, c.lo*1e-6) || !equal(got.Hi, c.hi*1e-6) {
			t.Errorf("%v: %g from %g to %g us, want %g from %g to %g", c.us, got.Median*1e6, got.Lo*1e6, got.Hi*1e6, c.median, c.lo, c.hi)
		}
		if known := got.Confidence >= 0.95; known != (c.lo > 0) || !known && got.Confidence != 0 {
			t.Errorf("%d launches: confidence %g", len(c.us), got.Confidence)
		}
		if !equal(got.Within, 0.01) {
			t.Errorf("%v: %g within a launch, want 0.01", c.us, got.Within)
		}
		if want := 1_000_000 + 100*(len(c.us)-1); got.N != want {
			t.Errorf("%d samples, want %d", got.N, want)
		}
		if !equal(got.Min, slices.Min(c.us)/2*1e-6) || !equal(got.Max, 4e-6*slices.Max(c.us)) || !equal(got.P90, 2e-6*c.median) || !equal(got.P99, 3e-6*c.median) || got.P999 != 0 {
			t.Errorf("%v: percentiles %+v", c.us, got)
		}
		b := r.Metrics.Get("bandwidth_Bps")
		if !equal(b.Median, 1000/got.Median) || got.Lo > 0 && (!equal(b.Lo, 1000/got.Hi) || !equal(b.Hi, 1000/got.Lo)) || b.Confidence != got.Confidence || !equal(b.Within, 0.01) {
			t.Errorf("%v: bandwidth %+v of %+v", c.us, b, got)
		}
		n := len(c.us)
		if r.Launches != n || r.Iterations != int64(100*n) || r.Checked != int64(10*n) || r.WarmupDropped != int64(5*n) || !equal(r.Duration, 0.5*float64(n)) {
			t.Errorf("%d launches: %+v", n, r)
		}
		if r.Launch != 0 || r.Block != 0 || r.Seed != 0 || !equal(r.StateShare, 1) || !equal(r.StateDistance, near) {
			t.Errorf("row %+v", r)
		}
	}
}

// Points of one launch in one state are one value, also if the launch had another scale.
func TestALaunchHasOneValueOfAState(t *testing.T) {
	var points []record.Point
	for n := 1; n <= 3; n++ {
		long, short := launch(n, float64(n)), launch(n, 50)
		short.Iterations = 30
		points = append(points, short, long)
	}
	r := row(t, points)
	if v := r.Metrics.Get("half_rtt_s"); r.Launches != 3 || !equal(v.Median, 2e-6) || v.Confidence != 0 {
		t.Errorf("%d launches, %+v", r.Launches, v)
	}
}

// No interval between launches is narrower than the clock's resolution.
func TestTheFloorOfAnInterval(t *testing.T) {
	points := launches(1, 1, 1, 1, 1, 1)
	for i := range points {
		points[i].Floor = 5e-9
		points[i].Metrics.Set("local_s", record.Value{Median: 2e-6, N: 1})
	}
	r := row(t, points)
	for key, want := range map[string]float64{"half_rtt_s": 1e-6, "local_s": 2e-6} {
		if v := r.Metrics.Get(key); !equal(v.Lo, want-5e-9) || !equal(v.Hi, want+5e-9) {
			t.Errorf("%s from %g to %g s", key, v.Lo, v.Hi)
		}
	}
	if b := r.Metrics.Get("bandwidth_Bps"); !equal(b.Lo, 1000/1.005e-6) || !equal(b.Hi, 1000/0.995e-6) {
		t.Errorf("bandwidth from %g to %g", b.Lo, b.Hi)
	}
}

// Values that only some launches have are left out, and so is the width within launches without
// one.
func TestValuesOfSomeLaunches(t *testing.T) {
	points := launches(1, 2, 3)
	v := points[0].Metrics.Get("half_rtt_s")
	v.P99, v.Max, v.Lo, v.Hi, v.Confidence = 0, 0, 0, 0, 0
	v.Mean = 1.1e-6 // of this launch only
	points[0].Metrics.Set("half_rtt_s", v)
	points[2].Metrics.Set("skew_s", record.Value{Median: 5e-7, N: 10})
	r := row(t, points)
	if v := r.Metrics.Get("half_rtt_s"); v.P99 != 0 || v.Max != 0 || v.Mean != 0 || v.Within != 0 || !equal(v.P90, 4e-6) {
		t.Errorf("%+v", v)
	}
	if v := r.Metrics.Get("skew_s"); !equal(v.Median, 5e-7) || v.N != 10 {
		t.Errorf("a metric of one launch only: %+v", v)
	}
}

// The mean of the launches is the mean of their means.
func TestMeansOfLaunches(t *testing.T) {
	points := launches(1, 2, 3)
	for i := range points {
		v := points[i].Metrics.Get("half_rtt_s")
		v.Mean = 1.1 * v.Median
		points[i].Metrics.Set("half_rtt_s", v)
	}
	if v := row(t, points).Metrics.Get("half_rtt_s"); !equal(v.Mean, 2.2e-6) {
		t.Errorf("%+v", v)
	}
}

// Launches whose logs do not state their time have no order, so that they cannot drift.
func TestLaunchesWithoutATimeDoNotDrift(t *testing.T) {
	points := launches(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	if v := row(t, points).Metrics.Get("half_rtt_s"); v.Confidence != 0 || v.P99Lo != 0 {
		t.Errorf("a drift has an interval: %+v", v)
	}
	for i := range points {
		points[i].Library, points[i].Time = "Open MPI", time.Time{}
	}
	if v := row(t, points).Metrics.Get("half_rtt_s"); v.Confidence == 0 || v.P99Lo == 0 || v.P99Hi == 0 {
		t.Errorf("launches whose logs state no time: %+v", v)
	}
}

// An interval that begins at zero is left out, because it is invalid in a record.
func TestSharesOfZero(t *testing.T) {
	points := launches(1, 1, 1, 1, 1, 1)
	for i := range points {
		points[i].Metrics.Set("overlap_ratio", record.Value{Median: 0.1 * float64(i), N: 6})
	}
	if v := row(t, points).Metrics.Get("overlap_ratio"); !equal(v.Median, 0.25) || v.Lo != 0 || v.Hi != 0 || v.Confidence != 0 {
		t.Errorf("%+v", v)
	}
}

// The interval between launches extends beyond their range, but no share exceeds 1.
func TestSharesOfOne(t *testing.T) {
	points := launches(1, 1, 1, 1, 1, 1)
	for i, ratio := range []float64{1, 0.5, 0.9, 0.6, 0.8, 0.7} {
		points[i].Metrics.Set("overlap_ratio", record.Value{Median: ratio, N: 6})
	}
	if v := row(t, points).Metrics.Get("overlap_ratio"); !equal(v.Median, 0.75) || v.Hi != 1 || v.Confidence == 0 {
		t.Errorf("%+v", v)
	}
}

// The launch in the middle determines the amount of a time.
func TestRatesBelongToTheTime(t *testing.T) {
	points := launches(1, 2, 3, 4, 5, 6, 7)
	for i := range points {
		p := &points[i]
		p.Amount = int64(1000 * (i + 1))
		b := p.Metrics.Get("bandwidth_Bps")
		for _, x := range []*float64{&b.Median, &b.Lo, &b.Hi} {
			*x *= float64(i + 1)
		}
		p.Metrics.Set("bandwidth_Bps", b)
	}
	r := row(t, points)
	if b := r.Metrics.Get("bandwidth_Bps"); r.Amount != 4000 || !equal(b.Median, 4000/4e-6) {
		t.Errorf("%d bytes, %+v", r.Amount, b)
	}
}

// A rate follows from the time also if the launch in the middle lacks it, or lacks the time.
func TestRatesOfSomeLaunches(t *testing.T) {
	for key, want := range map[string]float64{"bandwidth_Bps": 3.5e-6, "half_rtt_s": 4e-6} { // the median time
		points := launches(1, 2, 3, 4, 5, 6)
		points[2].Metrics.Delete(key)
		r := row(t, points)
		if v, b := r.Metrics.Get("half_rtt_s"), r.Metrics.Get("bandwidth_Bps"); !equal(v.Median, want) || !equal(b.Median, 1000/want) {
			t.Errorf("without %s of one launch: %+v, bandwidth %+v", key, v, b)
		}
	}
	points := launches(1, 2)
	points[0].Path, points[1].Path = "tcp:a", "tcp:b"
	points[0].Metrics.Delete("half_rtt_s")
	if r := row(t, points); r.Path != "tcp:b" { // one launch has a rate only: the row comes from the other
		t.Errorf("the row is that of the launch over %s", r.Path)
	}
}

// Rates that are not derived from the time of a run, or without a time, have their own medians and
// intervals.
func TestRatesWithoutTimes(t *testing.T) {
	lo := math.Pow(1/4.5, 0.375)
	for key, want := range map[string][3]float64{ // median, lo, hi of 1 to 8
		"mops": {4.5, lo, 9.3125}, "speedup": {4.5, lo, 9.3125}, "efficiency": {4.5, lo, 9.3125}, "mcells": {4.5, lo, 9.3125},
	} {
		points := launches(1, 2, 3, 4, 5, 6, 7, 8)
		for i := range points {
			points[i].Metrics = record.ValuesOf(map[string]record.Value{
				"run_s": {Median: 2, N: 1}, key: {Median: float64((5*i)%8 + 1), N: 1},
			})
		}
		if v := row(t, points).Metrics.Get(key); v.Median != want[0] || v.Lo != want[1] || v.Hi != want[2] || v.N != 8 {
			t.Errorf("%s: %+v", key, v)
		}
	}
	for range 10 { // the order of maps is random
		points := launches(1, 2, 3)
		for i := range points {
			points[i].Metrics = record.ValuesOf(map[string]record.Value{
				"bandwidth_Bps": {Median: float64(i+1) * 1e6, N: 1}, "message_rate_per_s": {Median: float64(i+1) * 1e3, N: 1},
			})
		}
		r := row(t, points)
		if b, m := r.Metrics.Median("bandwidth_Bps"), r.Metrics.Median("message_rate_per_s"); !equal(b, 2e6) || !equal(m, 2e3) {
			t.Fatalf("bandwidth %g, message rate %g", b, m)
		}
	}
}

// in returns a point of launch n with the given distance of the cores and share of the time.
func in(n int, us, distance, share float64) record.Point {
	p := launch(n, us)
	p.StateDistance, p.StateShare = distance, share
	return p
}

func TestRowsOfStates(t *testing.T) {
	type want struct {
		state    state.State
		launches int
		us       float64
		share    float64
	}
	for _, c := range []struct {
		what   string
		points []record.Point
		want   []want
	}{
		{"two states", []record.Point{in(1, 5, far, 1), in(2, 1, near, 1), in(3, 6, far, 1), in(4, 2, near, 1)},
			[]want{{state.Near, 2, 1.5, 0.5}, {state.Far, 2, 5.5, 0.5}}},
		{"both in one launch", []record.Point{in(1, 1, near, 0.75), in(1, 5, far, 0.25)},
			[]want{{state.Near, 1, 1, 0.75}, {state.Far, 1, 5, 0.25}}},
		{"one launch in four", []record.Point{in(1, 1, near, 1), in(2, 2, near, 1), in(3, 3, near, 1), in(4, 5, far, 1)},
			[]want{{state.Near, 3, 2, 0.75}}},
		{"one launch in three", []record.Point{in(1, 1, near, 1), in(2, 2, near, 1), in(3, 5, far, 1)},
			[]want{{state.Near, 2, 1.5, 2. / 3}, {state.Far, 1, 5, 1. / 3}}},
		{"changing in few", []record.Point{in(1, 1, near, 1), in(2, 2, near, 1), in(3, 9, 0, 1)},
			[]want{{state.Near, 2, 1.5, 2. / 3}}},
		{"changing in most", []record.Point{in(1, 1, near, 1), in(2, 8, 0, 1), in(3, 9, 0, 1), in(4, 7, 0, 1)},
			[]want{{state.Changing, 3, 8, 0.75}}},
		{"middle", []record.Point{in(1, 1, 70e-9, 1)}, []want{{state.Middle, 1, 1, 1}}},
		{"no distances", []record.Point{in(1, 1, 0, 0), in(2, 3, 0, 0)}, []want{{state.Unknown, 2, 2, 0}}},
	} {
		list := rows(t, c.points)
		if len(list) != len(c.want) {
			t.Errorf("%s: %d rows, want %d", c.what, len(list), len(c.want))
			continue
		}
		for i, w := range c.want {
			r := list[i]
			if of := (state.Scale{Distance: near}).OfPoint(&r); of != w.state || r.Launches != w.launches || !equal(r.Metrics.Median("half_rtt_s"), w.us*1e-6) || !equal(r.StateShare, w.share) {
				t.Errorf("%s, row %d: %v of %d launches, %g us, %g of the time; want %+v", c.what, i, of, r.Launches, r.Metrics.Median("half_rtt_s")*1e6, r.StateShare, w)
			}
		}
	}
}

// Applications have no samples that belong to a state: the distances around a run determine it.
func TestStatesFromDistancesAround(t *testing.T) {
	var points []record.Point
	for n, d := range [][2]float64{{near, 31e-9}, {40e-9, near}, {near, far}} {
		p := in(n+1, 1, 0, 0)
		p.DistanceBefore, p.DistanceAfter = d[0], d[1]
		points = append(points, p)
	}
	r := row(t, points)
	if r.Launches != 2 || !equal(r.StateDistance, 35e-9) || r.StateShare != 0 {
		t.Errorf("%d launches, %g s apart", r.Launches, r.StateDistance)
	}
	r = row(t, points[2:])
	if of := (state.Scale{Distance: near}).OfPoint(&r); of != state.Changing || r.StateDistance != 0 {
		t.Errorf("a run in which cores moved is %v, %g s apart", of, r.StateDistance)
	}
}

// Cells are in the order in which they were first measured, and points with different factors are
// of different cells.
func TestOrderOfCells(t *testing.T) {
	points := launches(1, 2, 3, 4)
	points[0].Size, points[2].Size = 2000, 2000
	points[3].Batch, points[3].Batched = 16, 16
	v := points[3].Metrics.Get("half_rtt_s")
	v.P50, v.P90, v.P99 = 0, 0, 0
	points[3].Metrics.Set("half_rtt_s", v)
	for i := range points {
		points[i].Block = 0
		points[i].Metrics.Delete("bandwidth_Bps")
	}
	list := rows(t, points)
	if len(list) != 3 || list[0].Size != 2000 || list[0].Launches != 2 || list[1].Size != 1000 || list[2].Batched != 16 {
		t.Errorf("rows %+v", list)
	}
}

// The scale includes all points before the state of any is determined.
func TestTheScaleIncludesAllPoints(t *testing.T) {
	var scales series.Scales
	list := series.Rows(nil, []record.Point{in(1, 5, far, 1), in(2, 1, near, 1)}, &scales)
	if len(list) != 2 || list[0].StateDistance != near || list[0].State != "near" || list[1].State != "far" || scales.Of(nil).Distance != near {
		t.Errorf("%+v, least distance %g", list, scales.Of(nil).Distance)
	}
}

func TestRoundsAreCounted(t *testing.T) {
	points := launches(1, 2, 3)
	if r := row(t, points); r.Round != 0 {
		t.Errorf("launches: round %d", r.Round)
	}
	for i := range points {
		points[i].Round, points[i].Histogram = i+1, "ZAE"
	}
	if r := row(t, points); r.Round != 3 || r.Histogram != "" {
		t.Errorf("three rounds: %d, histogram of one of them: %s", r.Round, r.Histogram)
	}
}

func TestWarningsOfLaunches(t *testing.T) {
	warn := func(lists ...[]string) []*record.Point {
		var points []*record.Point
		for _, w := range lists {
			points = append(points, &record.Point{Warnings: w})
		}
		return points
	}
	for _, c := range []struct {
		points []*record.Point
		want   []string
	}{
		{warn(nil, nil), nil},
		{warn([]string{"late: 3 us"}), []string{"late: 3 us"}},
		{warn([]string{"late: 3 us"}, []string{"late: 4.5e-06 us"}), []string{"late: 3 us"}},
		{warn(nil, []string{"late: 3 us"}, []string{"late: 4 us"}, nil), []string{"in 2 of 4 launches: late: 3 us"}},
		{warn([]string{"b", "a"}, []string{"a", "c"}), []string{"in 1 of 2 launches: b", "a", "in 1 of 2 launches: c"}},
		{warn([]string{"rank 1 is late", "rank 2 is late"}, nil), []string{"in 1 of 2 launches: rank 1 is late"}},
		{warn([]string{record.SelfTest + " x"}, nil), []string{record.SelfTest + " x"}},
	} {
		if got := series.Warnings(c.points); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// If the least skew of a launch is zero (absent), the row has no minimum, so that it is not above
// the median.
func TestNoMinimumIfALaunchHasNone(t *testing.T) {
	points := launches(1, 1, 1)
	for i := range points {
		v := record.Value{Median: 1e-7, P50: 1e-7, P90: 2e-7, Max: 3e-7, N: 10}
		if i == 0 {
			v = record.Value{Median: 3e-7, P50: 3e-7, P90: 4e-7, Min: 2e-7, Max: 5e-7, N: 10}
		}
		points[i].Metrics.Set("skew_s", v)
	}
	if v := row(t, points).Metrics.Get("skew_s"); v.Min != 0 || v.P50 != 1e-7 || v.Max != 5e-7 {
		t.Errorf("%+v", v)
	}
}

// Launches that drift have no interval, and the row has a warning.
func TestDriftIsReported(t *testing.T) {
	r := row(t, launches(1, 2, 3, 4, 5, 6, 7, 8))
	if v := r.Metrics.Get("half_rtt_s"); v.Confidence != 0 || len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "no interval between launches: they drift") {
		t.Errorf("%+v, warnings %q", v, r.Warnings)
	}
}

// The 99th percentile has an interval between launches, by the method of the median's.
func TestIntervalOfP99(t *testing.T) {
	p99 := []float64{21, 25, 22, 29, 24, 23, 30, 27}
	points := launches(1, 2, 3, 4, 5, 6, 7, 8)
	for i := range points {
		v := points[i].Metrics.Get("half_rtt_s")
		v.P90, v.P99, v.Max = 1.5*v.Median, p99[i]*1e-6, 1e-3
		points[i].Metrics.Set("half_rtt_s", v)
	}
	got := row(t, points).Metrics.Get("half_rtt_s")
	want := stats.Launches(p99)
	if !equal(got.P99, 24.5e-6) || !equal(got.P99Lo, want.Lo*1e-6) || !equal(got.P99Hi, want.Hi*1e-6) || !(got.P99Lo < got.P99 && got.P99 < got.P99Hi) {
		t.Errorf("%+v, want %g to %g us", got, want.Lo, want.Hi)
	}
	if got := row(t, points[:5]).Metrics.Get("half_rtt_s"); got.P99 == 0 || got.P99Lo != 0 || got.P99Hi != 0 {
		t.Errorf("of five launches: %+v", got)
	}
}
