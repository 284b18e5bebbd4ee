package series

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gobench/bench/record"
	"gobench/bench/state"
)

// launches are points of one cell by their times in microseconds, one of each launch. Most tests
// change something in some of them.
func launches(times ...float64) []record.Point {
	var list []record.Point
	for i, t := range times {
		v := record.Value{Median: t * 1e-6, Lo: t * 0.99e-6, Hi: t * 1.01e-6, Confidence: 0.95, N: 100, EffectiveN: 50, Min: t * 0.9e-6, P50: t * 1e-6, P90: t * 1.1e-6, P99: t * 1.2e-6, Max: t * 2e-6}
		list = append(list, record.Point{
			Run: fmt.Sprint("r", i), Launch: i + 1, Bench: "pingpong", Transport: "smem", Level: "device", Size: 8, Amount: 8, Ranks: 2, RankKind: "process", Iterations: 100,
			StateDistance: 30e-9, StateShare: 1,
			Metrics: map[string]record.Value{"half_rtt_s": v, "bandwidth_Bps": {Median: 8 / v.Median, Lo: 8 / v.Hi, Hi: 8 / v.Lo, Confidence: 0.95, N: 100}},
		})
	}
	return list
}

func rowsOf(points []record.Point) []record.Point { return Rows(points, &state.Scale{}) }

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9*math.Abs(b) }

// The row of a cell is the median of its launches with the interval between them.
func TestRowOfLaunches(t *testing.T) {
	rows := rowsOf(launches(1.00, 1.04, 0.98, 1.02, 0.99, 1.03, 0.97, 1.01))
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	r := rows[0]
	v := r.Metrics["half_rtt_s"]
	if r.Launches != 8 || !near(v.Median, 1.005e-6) || v.Lo != 0.97e-6 || v.Hi != 1.04e-6 || v.Confidence < 0.95 || !near(v.Within, 0.01) {
		t.Errorf("%d launches: %+v", r.Launches, v)
	}
	if v.N != 800 || v.EffectiveN != 400 || r.Iterations != 800 || !near(v.Min, 0.97*0.9e-6) || !near(v.Max, 1.04*2e-6) || !near(v.P99, 1.005*1.2e-6) {
		t.Errorf("of all launches: %+v", v)
	}
	b := r.Metrics["bandwidth_Bps"]
	if !near(b.Median*v.Median, 8) || !near(b.Lo*v.Hi, 8) || !near(b.Hi*v.Lo, 8) {
		t.Errorf("bandwidth %+v is not 8 bytes per %+v", b, v)
	}
	if r.Launch != 0 || len(r.Warnings) != 0 {
		t.Errorf("launch %d, warnings %q", r.Launch, r.Warnings)
	}
}

func TestOneLaunchHasNoInterval(t *testing.T) {
	for n := 1; n < 6; n++ {
		r := rowsOf(launches(slices.Repeat([]float64{1}, n)...))[0]
		if v := r.Metrics["half_rtt_s"]; v.Lo != 0 || v.Hi != 0 || v.Confidence != 0 || v.Within == 0 {
			t.Errorf("%d launches: %+v", n, v)
		}
		if len(r.Warnings) != 0 {
			t.Errorf("%d launches: %q", n, r.Warnings)
		}
	}
}

// Rates of a point without a time are medians of their own: none is calculated from another.
func TestRatesWithoutATime(t *testing.T) {
	points := launches(1, 2, 3)
	for i := range points {
		f := float64(i + 1)
		points[i].Floor = 1 // second: of a time, and there is none
		points[i].Metrics = map[string]record.Value{"bandwidth_Bps": {Median: 8e6 * f, N: 1}, "message_rate_per_s": {Median: 1e6 * f, N: 1}}
	}
	for range 20 { // maps have a random order
		if m := rowsOf(points)[0].Metrics; m["bandwidth_Bps"].Median != 16e6 || m["message_rate_per_s"].Median != 2e6 {
			t.Fatalf("%+v", m)
		}
	}
}

// No interval is narrower than the clock allows.
func TestTheFloorWidensTheInterval(t *testing.T) {
	points := launches(1, 1, 1, 1, 1, 1, 1, 1)
	for i := range points {
		points[i].Floor = 20e-9
	}
	if v := rowsOf(points)[0].Metrics["half_rtt_s"]; !near(v.Lo, 0.98e-6) || !near(v.Hi, 1.02e-6) {
		t.Errorf("%+v", v)
	}
}

// The least skew of a launch may be nothing: then no least one is known of all, and none is above
// the median.
func TestTheLeastOfSomeLaunchesIsNotThatOfAll(t *testing.T) {
	points := launches(1, 1, 1)
	for i := range points {
		v := record.Value{Median: 1e-7, P50: 1e-7, P90: 2e-7, Max: 3e-7, N: 10}
		if i == 0 {
			v = record.Value{Median: 3e-7, P50: 3e-7, P90: 4e-7, Min: 2e-7, Max: 5e-7, N: 10}
		}
		points[i].Metrics["skew_s"] = v
	}
	if v := rowsOf(points)[0].Metrics["skew_s"]; v.Min != 0 || v.P50 != 1e-7 || v.Max != 5e-7 {
		t.Errorf("%+v", v)
	}
}

// Launches that drift have no interval, and the row says why.
func TestDriftIsTold(t *testing.T) {
	r := rowsOf(launches(1, 2, 3, 4, 5, 6, 7, 8))[0]
	if v := r.Metrics["half_rtt_s"]; v.Confidence != 0 || len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "no interval between launches: they drift") {
		t.Errorf("%+v, warnings %q", v, r.Warnings)
	}
}

// A state of the cores that enough launches saw has a row of its own, with its share of the time.
func TestRowsOfStates(t *testing.T) {
	near, far := launches(1, 1, 1, 1), launches(5, 5, 5, 5)
	for i := range far {
		far[i].Run, far[i].Launch = fmt.Sprint("f", i), 5+i
		far[i].StateDistance = 160e-9
	}
	rows := rowsOf(append(far, near...))
	if len(rows) != 2 || rows[0].StateDistance != 30e-9 || rows[1].StateDistance != 160e-9 || rows[0].Launches != 4 || rows[0].StateShare != 0.5 {
		t.Fatalf("%+v", rows)
	}
	if rows := rowsOf(append(near, far[0])); len(rows) != 1 || rows[0].Launches != 4 || rows[0].StateShare != 0.8 {
		t.Errorf("one launch of five on far cores: %+v", rows)
	}
	// One launch may see both.
	both := launches(1, 1, 1)
	for i := range both {
		both[i].StateShare = 0.5
		p := both[i]
		p.StateDistance = 160e-9
		both = append(both, p)
	}
	if rows := rowsOf(both); len(rows) != 2 || rows[0].Launches != 3 || rows[0].StateShare != 0.5 || rows[1].Launches != 3 {
		t.Errorf("launches that saw both: %+v", rows)
	}
}

func TestOtherCellsAreOtherRows(t *testing.T) {
	points := launches(1, 1, 1, 1)
	points[1].Size, points[3].Size = 16, 16
	rows := rowsOf(points)
	if len(rows) != 2 || rows[0].Size != 8 || rows[1].Size != 16 || rows[1].Launches != 2 {
		t.Errorf("%+v", rows)
	}
}

// Warnings that differ in numbers alone stand there once, with the number of launches.
func TestWarningsOfLaunches(t *testing.T) {
	points := launches(1, 1, 1)
	points[0].Warnings = []string{"4 % were late", "4 % were late"}
	points[2].Warnings = []string{"7 % were late", record.SelfTest + "sends are delayed"}
	want := []string{"in 2 of 3 launches: 4 % were late", record.SelfTest + "sends are delayed"}
	if got := rowsOf(points)[0].Warnings; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	points[1].Warnings = []string{"5 % were late"}
	if got := rowsOf(points)[0].Warnings; got[0] != "4 % were late" {
		t.Errorf("of all launches: %q", got)
	}
}
