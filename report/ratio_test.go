package report

import (
	"fmt"
	"strings"
	"testing"

	"gobench/internal/record/series"
	"gobench/record"
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
					DistanceBefore: 40e-9, DistanceAfter: 40e-9, Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: t, N: 10}})})
			}
		}
	}
	return points
}

func tableOf(points []record.Point) string {
	return seriesTable(nil, points, &series.Scales{}, Terminal{}, false)
}

func TestTwoTransportsHaveARatio(t *testing.T) {
	want := "# tcp / smem, t of pingpong: 8 B 40.0 (38.9 to 41.2), 1 KiB 40.0 (38.9 to 41.2)\n" +
		"# ratio = median of all ratios of a launch to a launch with its 95 % interval, cores in the same state\n"
	if got := tableOf(launched(8, 8, 1024)); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant at its end\n%s", got, want)
	}
	for launches, interval := range map[int]bool{1: false, 3: false, 5: true, 8: true} { // ratios have one from 4 on
		if got := tableOf(launched(launches, 8)); strings.Contains(got, "95 %") != interval {
			t.Errorf("%d launches: an interval of 95 %% is named in\n%s", launches, got)
		}
	}
	if got := seriesTable(nil, launched(8, 8), &series.Scales{}, Terminal{}, true); strings.Contains(got, "tcp / smem") {
		t.Errorf("an estimate has a ratio:\n%s", got)
	}
	if got := tableOf(launched(3, 8)); !strings.Contains(got, "# tcp / smem, t of pingpong: 8 B 40.0 (inconclusive)\n") ||
		!strings.Contains(strings.ReplaceAll(got, "\n#  ", ""), "inconclusive = too few launches of each in the same state of the cores\n") {
		t.Errorf("of 3 launches: got\n%s", got)
	}
}

// Launches with far cores are not divided by launches with near ones. Those of all states count, as
// in a comparison.
func TestARatioIsWithinStates(t *testing.T) {
	for factor, want := range map[float64]string{100: "40.0 (39.3 to 40.8)", 50: "28.3 (19.8 to 40.4)"} { // of tcp with far cores
		points := launched(8, 8)
		for i := range points {
			if p := &points[i]; p.Run < "4" {
				p.DistanceBefore, p.DistanceAfter = 400e-9, 400e-9
				v := p.Metrics.Median("half_rtt_s")
				p.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: v * map[string]float64{"smem": 100, "tcp": factor}[p.Transport], N: 10}})
			}
		}
		if got := tableOf(points); !strings.Contains(got, ": 8 B "+want+"\n") {
			t.Errorf("want %s, got\n%s", want, got)
		}
	}
	points := launched(8, 8)
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

// A launch with several states counts once, in that which most launches have: three launches are
// too few for an interval, also with two states each.
func TestALaunchCountsOnceInARatio(t *testing.T) {
	points := launched(3, 8)
	for _, p := range points {
		p.DistanceBefore, p.DistanceAfter = 400e-9, 400e-9
		points = append(points, p)
	}
	if got := tableOf(points); !strings.Contains(got, ": 8 B 40.0 (inconclusive)\n") {
		t.Errorf("got\n%s", got)
	}
}

// Cells of a transport that differ in its options or memory have a ratio each. What both transports
// have is compared with the same.
func TestEachCellHasARatio(t *testing.T) {
	type variant struct {
		transport, memory, copy string
		us                      float64
	}
	for _, c := range []struct {
		name string
		of   []variant
		want []string
	}{
		{"options of the base", []variant{{"smem", "", "cma", 1}, {"smem", "", "pull", 3}, {"tcp", "", "", 9}},
			[]string{"tcp / smem copy=cma, t of pingpong: 8 B 9.00 ", "tcp / smem copy=pull, t of pingpong: 8 B 3.00 "}},
		{"options of the other", []variant{{"smem", "", "", 1}, {"tcp", "", "a", 2}, {"tcp", "", "b", 4}},
			[]string{"tcp copy=a / smem, t of pingpong: 8 B 2.00 ", "tcp copy=b / smem, t of pingpong: 8 B 4.00 "}},
		{"memory of both", []variant{{"smem", "heap", "", 1}, {"smem", "device", "", 2}, {"tcp", "heap", "", 3}, {"tcp", "device", "", 8}},
			[]string{"tcp heap memory / smem heap memory, t of pingpong: 8 B 3.00 ", "tcp device memory / smem device memory, t of pingpong: 8 B 4.00 "}},
	} {
		var points []record.Point
		for launch := range 6 {
			for _, v := range c.of {
				p := launched(1, 8)[0]
				p.Run, p.Transport, p.Memory, p.Options = fmt.Sprint(launch), v.transport, v.memory, nil
				if v.copy != "" {
					p.Options = map[string]string{"copy": v.copy}
				}
				p.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: v.us * 1e-6, N: 10}})
				points = append(points, p)
			}
		}
		got := tableOf(points)
		if strings.Count(got, "\n# tcp ") != len(c.want) {
			t.Errorf("%s: got\n%s", c.name, got)
		}
		for _, want := range c.want {
			if !strings.Contains(got, "\n# "+want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, got)
			}
		}
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
				v := p.Metrics.Get("half_rtt_s")
				v.Median *= float64(i + 1)
				p.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": v})
				points = append(points, p)
			}
		}
	}
	got := tableOf(points)
	for _, want := range []string{
		"# pingpong over smem, level device, 2 processes on each pair of cores\n   #bytes    pair #repetitions ",
		"        8     0,1            -       1.025 ", "        8     0,2            -       2.050 ", "        8     1,2            -       3.075 ",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
