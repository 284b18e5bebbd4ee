package experiment

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gobench/bench"
	"gobench/kernels/application"
	"gobench/launch/outcome"
	"gobench/record"
)

// timed returns points of a cell, one for each launch, with these times in microseconds.
func timed(size int64, times ...float64) []record.Point {
	var list []record.Point
	for i, t := range times {
		list = append(list, record.Point{Run: fmt.Sprint("r", i), Time: time.Unix(int64(i), 0), Launch: i + 1, Bench: "pingpong", Transport: "smem", Level: "device", Size: size, Ranks: 2, RankKind: "process",
			Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: t * 1e-6, N: 10}})})
	}
	return list
}

var (
	steady = []float64{1.000, 1.002, 0.999, 1.001, 0.998, 1.003, 0.997, 1.000}
	wild   = []float64{1.0, 1.2, 0.9, 1.1, 0.8, 1.3, 0.7, 1.0}
	drift  = []float64{1, 2, 3, 4, 5, 6, 7, 8}
)

// Further launches are made while a cell has no interval, up to twice the requested number, and
// with a budget while a row is less precise than requested.
func TestFurtherLaunches(t *testing.T) {
	const hour = time.Hour
	for _, c := range []struct {
		name             string
		launches, launch int
		budget, spent    time.Duration
		points           []record.Point
		want             bool
	}{
		{"one was asked for", 1, 1, 0, 0, timed(8, 1), false},
		{"five were, with a budget", 5, 5, hour, 0, timed(8, steady[:5]...), false},
		{"known", 8, 8, 0, 0, timed(8, wild...), false},
		{"one cell has no interval", 8, 8, 0, 0, append(timed(8, steady...), timed(16, drift...)...), true},
		{"nor after as many again", 8, 16, 0, 0, append(timed(8, steady...), timed(16, drift...)...), false},
		{"precise before the budget ends", 8, 8, hour, 0, timed(8, steady...), false},
		{"wide, with time", 8, 8, hour, hour / 2, timed(8, wild...), true},
		{"wide in one of two cells", 8, 8, hour, 0, append(timed(8, steady...), timed(16, wild...)...), true},
		{"wide, without time for another", 8, 8, hour, hour * 15 / 16, timed(8, wild...), false},
		{"wide, the budget used", 8, 8, hour, 2 * hour, timed(8, wild...), false},
		{"as many as the budget allows", 8, 1000, hour, hour / 2, timed(8, wild...), true},
	} {
		r := &measurement{Launches: c.launches, Budget: c.budget, Precision: 0.02, Transports: make([]Transport, 1), Plan: bench.Plan{Cases: make([]bench.Case, 1)}}
		campaign := &campaign{requests: []*measurement{r}, launch: c.launch, points: c.points}
		if got := campaign.goesOn(c.spent); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// What a failed launch has measured is no result; its row has the cause that the ranks printed.
func TestAFailedLaunchIsLeftOut(t *testing.T) {
	var file, said strings.Builder
	c := &campaign{requests: []*measurement{{Command: []string{"gobench", "p2p"}}}, series: "s", launch: 2, stderr: &said, file: record.NewWriter(&file), runs: make([]record.Run, 2), points: timed(8, 1, 2, 3)}
	c.before.runs, c.before.points = 1, 1
	var printed strings.Builder
	ranks := &stderrMux{w: &printed, screen: new(screen)}
	write(t, ranks, "gobench: it takes 3 s\ngobench: no room\n")
	c.fail(time.Now(), ranks.failure(&outcome.Result{First: -1, ExitCode: 1}))
	if len(c.runs) != 1 || len(c.points) != 1 || !strings.Contains(file.String(), `"launch":2,"block":1,"attempt":1,"why":"no room"`) || said.String() != "gobench: 2 results of the failed launch left out\n" {
		t.Errorf("%d runs, %d points, %q, %q", len(c.runs), len(c.points), file.String(), said.String())
	}
}

// The progress line has the remaining time from the beginning.
func TestRemainingTime(t *testing.T) {
	const s = time.Second
	plan := bench.Plan{Cases: make([]bench.Case, 10), Stop: bench.Stop{Budget: s}}
	r := &measurement{Duration: -1, Launches: 8, Transports: make([]Transport, 1), Plan: plan}
	smallest, _ := r.expectedTime(speed{check: 1e9})
	for _, c := range []struct {
		name     string
		request  *measurement
		launch   int // under way
		complete time.Duration
		spent    time.Duration
		want     time.Duration
	}{
		{"first launch", r, 1, 0, 3 * s, smallest - 3*s},
		{"an application, whose time is unknown", &measurement{Duration: -1, Launches: 8, Jobs: make([]application.Job, 1)}, 1, 0, 3 * s, 0},
		{"third launch", r, 3, 20 * s, 25 * s, 55 * s},
		{"beyond the least number", r, 9, 80 * s, 81 * s, 9 * s},
		{"with a budget", &measurement{Duration: -1, Launches: 8, Budget: 100 * s, Transports: make([]Transport, 1), Plan: bench.Plan{Cases: make([]bench.Case, 1)}}, 9, 80 * s, 81 * s, 19 * s},
	} {
		campaign := &campaign{requests: []*measurement{c.request}, launch: c.launch, launches: c.launch - 1, complete: c.complete, speed: speed{check: 1e9}}
		if got := campaign.left(c.spent); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	for left, want := range map[time.Duration]string{0: "", 5 * s: "", 5500 * time.Millisecond: ", 6s left", 90 * s: ", 1m30s left"} {
		if got := leftText(left); got != want {
			t.Errorf("%v: %q, want %q", left, got, want)
		}
	}
}
