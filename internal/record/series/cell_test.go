package series_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gobench/internal/bench/state"
	"gobench/internal/record/series"
	"gobench/record"
)

// on returns a run whose ranks are on the named hosts, one each.
func on(id string, hosts ...string) record.Run {
	r := record.Run{ID: id, Job: record.Job{Ranks: len(hosts)}}
	at := map[string]int{}
	for _, name := range hosts {
		if _, ok := at[name]; !ok {
			at[name] = len(r.Hosts)
			r.Hosts = append(r.Hosts, map[string]any{"hostname": name})
		}
		r.Job.Hosts = append(r.Job.Hosts, at[name])
	}
	return r
}

// A launch that stored two rows by its own scale, which the scale of all records puts into one
// state, counts once, with the row of more samples.
func TestALaunchCountsOnceInAState(t *testing.T) {
	var points []record.Point
	for n := 1; n <= 6; n++ {
		a, b := in(n, float64(n), 28e-9, 0.2), in(n, 100, 34e-9, 0.1)
		b.Iterations = 10
		if n%2 == 0 {
			a, b = b, a // their order does not matter
		}
		points = append(points, b, a)
	}
	cells := series.Cells([]record.Run{{MinDistance: near}}, points, new(series.Scales))
	if len(cells) != 1 || cells[0].Launches != 6 || len(cells[0].States[state.Near]) != 6 {
		t.Fatalf("%+v", cells)
	}
	r := row(t, points)
	if v := r.Metrics.Get("half_rtt_s"); r.Launches != 6 || !equal(v.Median, 3.5e-6) {
		t.Errorf("%d launches, median %g", r.Launches, v.Median)
	}
	// Five launches have no interval, though there are ten rows.
	if v := row(t, points[:10]).Metrics.Get("half_rtt_s"); v.Confidence != 0 {
		t.Errorf("an interval of 5 launches: %+v", v)
	}
}

// A cell is of one set of hosts, one placement of the ranks on them, and one label.
func TestACellIsOfOnePlacement(t *testing.T) {
	labelled := on("9", "h1", "h2")
	labelled.Label = "after"
	for _, c := range []struct {
		name  string
		runs  []record.Run
		cells int
	}{
		{"a pair of hosts", []record.Run{on("1", "h1", "h2"), on("2", "h1", "h2")}, 1},
		{"the other way round", []record.Run{on("1", "h1", "h2"), on("2", "h2", "h1")}, 1},
		{"three pairs", []record.Run{on("1", "h1", "h2"), on("2", "h1", "h3"), on("3", "h2", "h3")}, 3},
		{"one host and two", []record.Run{on("1", "h1", "h1"), on("2", "h1", "h2")}, 2},
		{"other numbers of ranks", []record.Run{on("1", "h1", "h1", "h1", "h2"), on("2", "h1", "h2", "h2", "h2"), on("3", "h2", "h1", "h1", "h1")}, 3},
		{"another order of ranks", []record.Run{on("1", "h1", "h1", "h2", "h2"), on("2", "h1", "h2", "h1", "h2")}, 2},
		{"labels", []record.Run{on("1", "h1", "h2"), labelled}, 2},
	} {
		var points []record.Point
		for _, r := range c.runs {
			p := launch(1, 2)
			p.Run = r.ID
			points = append(points, p)
		}
		if got := series.Rows(c.runs, points, &series.Scales{}); len(got) != c.cells {
			t.Errorf("%s: %d rows, want %d", c.name, len(got), c.cells)
		} else if got[0].Host == "" || c.name == "labels" && got[0].Label+got[1].Label != "after" {
			t.Errorf("%s: hosts %q, label %q", c.name, got[0].Host, got[0].Label)
		}
	}
}

// The scale of core distances belongs to the machine.
func TestStatesAreThoseOfTheMachine(t *testing.T) {
	runs := []record.Run{on("a", "h1"), on("b", "h2")}
	var points []record.Point
	for i, distance := range []float64{near, 3 * near} {
		p := in(1, 1, distance, 1)
		p.Run = runs[i].ID
		points = append(points, p)
	}
	for _, r := range series.Rows(runs, points, &series.Scales{}) {
		if r.State != "near" {
			t.Errorf("the nearest cores of %s are %s", r.Host, r.State)
		}
	}
}

// Launches whose state of the cores is not known count in the only known state of the same cores.
func TestUnknownStatesOfPinnedCores(t *testing.T) {
	pinned := func(n int, distance float64, cores ...int) record.Point {
		p := in(n, float64(n), distance, 1)
		if distance == 0 {
			p.StateShare = 0
		}
		p.Cores = cores
		return p
	}
	for _, c := range []struct {
		name   string
		points []record.Point
		want   string
	}{
		{"one known state", []record.Point{pinned(1, near, 0, 1), pinned(2, 0, 0, 1), pinned(3, 0, 0, 1)}, "near 3"},
		{"none", []record.Point{pinned(1, 0, 0, 1), pinned(2, 0, 0, 1)}, " 2"},
		{"two known states", []record.Point{pinned(1, near, 0, 1), pinned(2, far, 0, 1), pinned(3, 0, 0, 1)}, " 1, near 1, far 1"},
		{"not pinned", []record.Point{pinned(1, near, 0, -1), pinned(2, 0, 0, -1)}, " 1, near 1"},
		{"other cores", []record.Point{pinned(1, near, 0, 1), pinned(2, 0, 2, 3)}, "near 1,  1"},
	} {
		var got []string
		for _, r := range rows(t, c.points) {
			got = append(got, fmt.Sprint(r.State, " ", r.Launches))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}

// How many events were timed together, and what a transport found when it was opened, separate no
// cells unless they were asked for.
func TestWhatWasChosenSeparatesNoCells(t *testing.T) {
	points := launches(1, 2, 3)
	for i := range points {
		points[i].Batched = 1 + i
		points[i].Found = map[string]string{"near_copy": fmt.Sprint(i)}
		v := points[i].Metrics.Get("half_rtt_s")
		v.P50, v.P90, v.P99 = 0, 0, 0
		points[i].Metrics.Set("half_rtt_s", v)
	}
	if r := row(t, points); r.Launches != 3 || r.Batched != 3 {
		t.Errorf("%d launches, batched %d", r.Launches, r.Batched)
	}
	points[0].Batch = 1
	if list := rows(t, points); len(list) != 2 {
		t.Errorf("%d rows with a batch that was asked for", len(list))
	}
}

// What a profile chose for messages, which may differ from series to series, splits no cell. The
// algorithm of a collective is a factor: all launches of a series have it of one profile.
func TestWhatAProfileChoseSplitsNoCell(t *testing.T) {
	points := launches(1, 2, 3)
	for i, copier := range []string{"go", "rep", "avx512"} {
		points[i].Found = map[string]string{"near_copy": copier, "far_messages": "eager to 64K, " + copier}
		points[i].Path = "rndv-" + copier
	}
	if r := row(t, points); r.Launches != 3 {
		t.Errorf("a cell of %d launches, want 3", r.Launches)
	}
	for i := range points {
		points[i].Algorithm, points[i].ByTable = points[i].Found["near_copy"], true
	}
	if list := rows(t, points); len(list) != 3 {
		t.Errorf("%d cells of three algorithms", len(list))
	}
}

// Rows of a sweep are sorted by their factors, then by size, whatever the random order of its
// commands was.
func TestRowsOfASweepAreSorted(t *testing.T) {
	var points []record.Point
	for _, algorithm := range []string{"ring", "smem-all"} {
		for _, ranks := range []int{2, 16} {
			for _, size := range []int64{1, 64, 524288} {
				p := launch(1, 2)
				p.Bench, p.Algorithm, p.Ranks, p.Size, p.Amount = "allreduce", algorithm, ranks, size, size
				p.Metrics.Delete("bandwidth_Bps")
				points = append(points, p)
			}
		}
	}
	var want []string
	for _, p := range points { // ranks stand before the algorithm in record.Factors
		want = append(want, fmt.Sprintf("%02d %s %06d", p.Ranks, p.Algorithm, p.Size))
	}
	slices.Sort(want)
	for seed := range uint64(5) {
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
		var got []string
		for _, p := range rows(t, points) {
			got = append(got, fmt.Sprintf("%02d %s %06d", p.Ranks, p.Algorithm, p.Size))
		}
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: %q, want %q", seed, got, want)
		}
	}
}

// A row that is noted twice does not confirm itself, nor does what its run says was known: one
// impossible value does not make all launches slow.
func TestARowDoesNotConfirmItself(t *testing.T) {
	var points []record.Point
	var runs []record.Run
	for i := range 8 {
		p := launch(i+1, 1)
		p.Loop = 3.1e-6 + float64(i)*1e-8
		if i == 3 {
			p.Loop = 1e-6
		}
		points = append(points, p)
		runs = append(runs, record.Run{ID: p.Run})
	}
	runs[5].MinLoop = 1.2e-6
	runs[6].MinLoop, runs[7].MinLoop = 3.1e-6, 3.1e-6
	var scales series.Scales
	for range 3 {
		scales.Observe(slices.Clone(runs), slices.Clone(points))
	}
	for _, row := range series.Rows(runs, points, &scales) {
		if strings.Contains(row.State, "slow") {
			t.Errorf("%d launches are %s", row.Launches, row.State)
		}
	}
}

// Each state of a launch tells its distance, also the one with fewer samples; a distance that all
// states share is one measurement, which does not confirm itself.
func TestTheScaleIncludesAllStates(t *testing.T) {
	var points []record.Point
	for n := range 4 {
		points = append(points, in(n+1, 5, far, 0.9), in(n+1, 1, near, 0.1))
	}
	var scales series.Scales
	if series.Rows(nil, points, &scales); scales.Of(nil).Distance != near {
		t.Errorf("least distance %g, want %g", scales.Of(nil).Distance, near)
	}
	for i := range points {
		points[i].StateDistance = []float64{far, 1.5 * far}[i%2]
		if points[i].Launch == 2 {
			points[i].DistanceBefore = near
		}
	}
	scales = series.Scales{}
	if series.Rows(nil, points, &scales); scales.Of(nil).Distance != far {
		t.Errorf("least distance %g, want %g", scales.Of(nil).Distance, far)
	}
}
