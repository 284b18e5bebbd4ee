package report

import (
	"fmt"
	"strings"
	"testing"

	"gobench/bench/record"
	"gobench/bench/series"
	"gobench/internal/terminal"
)

// launched returns points of launches of two transports: tcp takes 40 times as long as smem.
func launched(launches int, sizes ...int64) (points []record.Point) {
	for launch := range launches {
		for _, transport := range []string{"smem", "tcp"} {
			for _, size := range sizes {
				t := 1e-6 * (1 + 0.01*float64(launch))
				options := map[string]string{"rndv": "auto"}
				if transport == "tcp" {
					t, options = 40*t, map[string]string{"engine": "net"}
				}
				points = append(points, record.Point{Run: fmt.Sprint(launch), Bench: "pingpong", Transport: transport, Options: options, Level: "device", Ranks: 2, RankKind: "process", Size: size,
					DistanceBefore: 40e-9, DistanceAfter: 40e-9, Metrics: map[string]record.Value{"half_rtt_s": {Median: t, N: 10}}})
			}
		}
	}
	return points
}

func tableOf(points []record.Point) string {
	return SeriesTable(nil, points, &series.Scales{}, terminal.Terminal{}, false)
}

func TestTwoTransportsHaveARatio(t *testing.T) {
	want := "# tcp / smem, t of pingpong: 8 B 40.0 (38.9 to 41.2), 1 KiB 40.0 (38.9 to 41.2)\n" +
		"# ratio = median of all ratios of a launch to a launch with its 95 % interval, cores in the same state\n"
	if got := tableOf(launched(8, 8, 1024)); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant at its end\n%s", got, want)
	}
	if got := SeriesTable(nil, launched(8, 8), &series.Scales{}, terminal.Terminal{}, true); strings.Contains(got, "tcp / smem") {
		t.Errorf("an estimate has a ratio:\n%s", got)
	}
	if got := tableOf(launched(3, 8)); !strings.Contains(got, "# tcp / smem, t of pingpong: 8 B 40.0 (inconclusive)\n") || !strings.Contains(got, "inconclusive = fewer than 4 launches of each in the same state of the cores\n") {
		t.Errorf("of 3 launches: got\n%s", got)
	}
}

// Launches with far cores are not divided by launches with near ones.
func TestARatioIsOfOneState(t *testing.T) {
	points := launched(8, 8)
	for i := range points {
		p := &points[i]
		far := p.Run < "4"
		if far {
			p.DistanceBefore, p.DistanceAfter = 400e-9, 400e-9
			if p.Transport == "smem" {
				p.Metrics = map[string]record.Value{"half_rtt_s": {Median: 1e-4, N: 10}}
			}
		}
	}
	if got := tableOf(points); !strings.Contains(got, ": 8 B 40.0 (38.9 to 41.2)\n") {
		t.Errorf("got\n%s", got)
	}
	for i := range points {
		if points[i].Transport == "tcp" {
			points[i].DistanceBefore, points[i].DistanceAfter = 400e-9, 400e-9
		} else {
			points[i].DistanceBefore, points[i].DistanceAfter = 40e-9, 40e-9
		}
	}
	if got := tableOf(points); !strings.Contains(got, ": 8 B inconclusive\n") {
		t.Errorf("of no state in common: got\n%s", got)
	}
}

// Measurements over one transport have no ratio.
func TestOneTransportHasNoRatio(t *testing.T) {
	points := launched(8, 8, 1024)
	kept := points[:0]
	for _, p := range points {
		if p.Transport == "smem" || p.Size == 8 {
			kept = append(kept, p)
		}
	}
	if got := tableOf(kept); !strings.Contains(got, "t of pingpong: 8 B 40.0 (38.9 to 41.2)\n") {
		t.Errorf("got\n%s", got)
	}
	for i := range kept {
		kept[i].Transport, kept[i].Options = "smem", nil
	}
	if got := tableOf(kept); strings.Contains(got, "ratio") {
		t.Errorf("got\n%s", got)
	}
}

// Two ranks on several pairs of cores have a row for each.
func TestPairsOfCoresHaveARowEach(t *testing.T) {
	var points []record.Point
	for i, cores := range [][]int{{0, 1}, {0, 2}, {1, 2}} {
		for _, p := range launched(6, 8) {
			if p.Transport == "smem" {
				p.Run, p.Cores = fmt.Sprint(p.Run, cores), cores
				v := p.Metrics["half_rtt_s"]
				v.Median *= float64(i + 1)
				p.Metrics = map[string]record.Value{"half_rtt_s": v}
				points = append(points, p)
			}
		}
	}
	got := tableOf(points)
	for _, want := range []string{
		"# pingpong over smem, level device, 2 processes on each pair of cores\n   #bytes    pair #repetitions ",
		"        8     0,1            0       1.025 ", "        8     0,2            0       2.050 ", "        8     1,2            0       3.075 ",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
