package importer

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Logs of several releases of the programs: common fields are read, and wrong or unknown ones are
// left out with a warning.
func TestLogsOfSeveralReleases(t *testing.T) {
	for _, c := range []struct {
		file     string
		given    Given
		want     []want
		warnings []string
	}{
		{"imb2019.log", Given{}, []want{
			{"pingpong", "unknown", "comm", 0, 2, "half_rtt_s", 0.33e-6},
			{"pingpong", "unknown", "comm", 4096, 2, "bandwidth_Bps", 4096 / 1.28e-6},
			{"pingponganysource", "unknown", "comm", 8, 2, "half_rtt_s", 8 / 22.86e6}, // and not 0.35
			{"allreduce", "unknown", "comm", 4, 4, "local_s", 1.9e-6},
			{"put", "unknown", "comm", 8, 2, "t_s", 0.5e-6},
		}, []string{"is left out: its data were wrong"}},
		{"imbnbc.log", Given{}, []want{
			{"ibcast", "unknown", "comm", 1024, 4, "overlap_ratio", 0.4},
			{"ibcast", "unknown", "comm", 1024, 4, "pure_s", 2.1e-6},
		}, nil},
		{"osu5.log", Given{Ranks: 2}, []want{
			{"pingpong", "unknown", "comm", 0, 2, "half_rtt_s", 1.1e-6},
			{"pingpong", "unknown", "comm", 8, 2, "half_rtt_s", 1.15e-6},
			{"uniband", "unknown", "comm", 1 << 20, 2, "bandwidth_Bps", 11800.5e6},
			{"biband", "unknown", "comm", 1 << 20, 2, "bandwidth_Bps", 22000e6},
			{"pingpong_mt", "unknown", "comm", 8, 2, "half_rtt_s", 2.15e-6},
			{"allgather", "unknown", "comm", 1, 2, "local_s", 2.5e-6},
			{"barrier", "unknown", "comm", 0, 2, "local_s", 3.25e-6},
			{"put", "unknown", "comm", 1, 2, "t_s", 1.9e-6},
		}, []string{"the mean over ranks is printed"}},
		{"osu7.log", Given{Ranks: 8}, []want{
			{"pingpong", "unknown", "comm", 1, 2, "half_rtt_s", 3e-6},
			{"allreduce", "unknown", "comm", 4, 8, "local_s", 4.3e-6},
			{"barrier", "unknown", "comm", 0, 8, "local_s", 5.2e-6},
			{"iallreduce", "unknown", "comm", 1024, 8, "overlapped_s", 12e-6},
			{"uniband", "unknown", "comm", 8, 8, "message_rate_per_s", 1e7},
		}, []string{"is left out: its data were wrong"}},
		{"perftest4.log", Given{}, []want{
			{"put_lat", "ibv", "raw", 2, 2, "half_rtt_s", 1.47e-6},
			{"put_lat", "ibv", "raw", 4, 2, "half_rtt_s", 1.46e-6},
			{"put_lat", "ibv", "raw", 8 << 20, 2, "half_rtt_s", 720.5e-6},
			{"get_lat", "ibv", "raw", 2, 2, "t_s", 2.5e-6},
			{"put_bibw", "ibv", "raw", 2, 2, "bandwidth_Bps", 2 * 4.568094e6},
			{"put_bibw", "ibv", "raw", 65536, 2, "bandwidth_Bps", 65536 * 0.21307e6},
			{"uniband", "ibv", "raw", 4096, 2, "bandwidth_Bps", 1000 << 20},
		}, nil},
		{"npb33.log", Given{}, []want{
			{"is", "unknown", "comm", 0, 4, "mops", 419.43},
			{"cg", "unknown", "comm", 0, 1, "run_s", 0.05},
			{"ep", "unknown", "comm", 0, 1, "mops", 22.37},
			{"mg", "unknown", "comm", 0, 4, "mops", 4866},
		}, []string{"NPB version 3.3.1", "NPB version 3.4.2"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			run, points := read(t, c.file, c.given)
			for i := range max(len(points), len(c.want)) {
				if i >= len(points) || i >= len(c.want) {
					t.Fatalf("%d points, want %d", len(points), len(c.want))
				}
				p, w := points[i], c.want[i]
				got := want{p.Bench, p.Transport, p.Level, p.Size, p.Ranks, w.key, p.Metrics.Median(w.key)}
				if math.Abs(got.median-w.median) <= 1e-9*w.median {
					got.median = w.median
				}
				if got != w {
					t.Errorf("%+v, want %+v", got, w)
				}
			}
			all := strings.Join(run.Warnings, "\n")
			for _, w := range c.warnings {
				if !strings.Contains(all, w) {
					t.Errorf("no warning %q in %s", w, all)
				}
			}
		})
	}
}

// Two groups that run at once are not two runs.
func TestGroupsThatRunAtOnce(t *testing.T) {
	_, points := read(t, "imb2019.log", Given{})
	if points[0].Groups != 2 || points[2].Groups != 0 {
		t.Errorf("%d and %d groups", points[0].Groups, points[2].Groups)
	}
}

// A truncated log gives a prefix of the results of the whole log: a truncated number is detected by
// the length of its row or cannot be detected. A result whose check is cut off says so.
func TestLogsThatAreCutOffAnywhere(t *testing.T) {
	files, err := filepath.Glob("testdata/*.log")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, whole, _ := imported(file, data, Given{Time: testTime, Ranks: 4})
		for cut := 0; cut < len(data); cut += 13 {
			if i := strings.LastIndexByte(string(data[:cut]), '\n'); i >= 0 {
				_, some, _ := imported(file, data[:i+1], Given{Time: testTime, Ranks: 4})
				for j := range some {
					if slices.ContainsFunc(some[j].Warnings, func(w string) bool { return strings.HasSuffix(w, "not checked") }) {
						break // what comes after may say that it is wrong
					}
					if some[j].Bench != whole[j].Bench || some[j].Size != whole[j].Size {
						t.Fatalf("%s cut at %d: point %d is %s %d B", file, cut, j, some[j].Bench, some[j].Size)
					}
				}
			}
			_, _, _ = imported(file, data[:cut], Given{Time: testTime, Ranks: 4})
		}
	}
}

// Output of other programs between the rows of a log is ignored.
func TestALogMixedWithOtherOutput(t *testing.T) {
	data, err := os.ReadFile("testdata/osu7.log")
	if err != nil {
		t.Fatal(err)
	}
	mixed := strings.ReplaceAll(string(data), "\n", "\n[node1:4711] mca_base_component: unable to open mca_btl_openib\n")
	_, points, err := imported("x", []byte(mixed), Given{Time: testTime, Ranks: 8})
	if err != nil || len(points) != 5 {
		t.Errorf("%d points, %v", len(points), err)
	}
}
