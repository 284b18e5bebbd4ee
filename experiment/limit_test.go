package experiment

import (
	"errors"
	"strings"
	"testing"

	"gobench/bench"
	"gobench/record"
)

func limitRows() []record.Point {
	row := func(size int64, half, p99 float64) record.Point {
		return record.Point{Bench: "pingpong", Transport: "smem", Ranks: 2, Size: size, Metrics: record.ValuesOf(map[string]record.Value{
			"half_rtt_s":         {Median: half, Lo: 0.9 * half, Hi: 1.1 * half, P99: p99, Within: 0.03},
			"bandwidth_Bps":      {Median: float64(size) / half},
			"message_rate_per_s": {Median: 1 / half},
			"overlap_ratio":      {N: 6}, // none
			"skew_s":             {N: 6, Median: 1e-6, Max: 2e-6},
		})}
	}
	return []record.Point{row(8, 1e-6, 0), row(1<<20, 100e-6, 200e-6)}
}

func TestFailIf(t *testing.T) {
	for typed, want := range map[string]string{
		"half_rtt > 2us":             "half_rtt of pingpong over smem, 2 ranks, 1 MiB is 100 us",
		"half_rtt@8 > 1us":           "",
		"latency>99us":               "latency of pingpong over smem, 2 ranks, 1 MiB is 100 us",
		"lat.p99@1M > 0.3ms":         "",
		"Half_RTT@1M > 99us":         "1 MiB is 100 us",
		"bw@1MiB < 11GB/s":           "bandwidth of pingpong over smem, 2 ranks, 1 MiB is 1.049e+04 MB/s",
		"latency > 5":                "a value of latency needs a unit: one of ns, us, µs, ms, s",
		"half_rtt@8 >= 1us":          "half_rtt of pingpong over smem, 2 ranks, 8 B is 1 us",
		"half_rtt@8 > 999ns":         "8 B is 1 us",
		"half_rtt.hi@8 > 1.05us":     "8 B is 1.1 us",
		"half_rtt.lo@8>1.05us":       "",
		"half_rtt_s.p99 > 0.15ms":    "1 MiB is 200 us",
		"half_rtt.p99 > 0.3ms":       "1 of 2 cells without half_rtt.p99",
		"half_rtt.p99@1M > 0.3ms":    "",
		"half_rtt.within > 2%":       "8 B is 0.03",
		"half_rtt.within > 0.02":     "8 B is 0.03",
		"bandwidth@1MiB < 11GB/s":    "1 MiB is 1.049e+04 MB/s",
		"bandwidth@1M < 10GB/s":      "",
		"message_rate@8 < 2e6":       "8 B is 1e+06",
		"message_rate@8 <= 1000000":  "8 B is 1e+06",
		"  half_rtt . p99 > 5 us":    "want a metric",
		"half_rtt = 5us":             "want a metric",
		"half_rt > 5us":              `did you mean "half_rtt"?`,
		"half_rtt.p95 > 5us":         `unknown statistic "p95"`,
		"half_rtt > 5":               "needs a unit: one of ns, us, µs, ms, s",
		"bandwidth < 5us":            "needs a unit: one of B/s, kB/s, MB/s, GB/s",
		"message_rate < 5MB/s":       "want a plain number",
		"half_rtt@8Q > 5us":          "not a whole number of bytes",
		"half_rtt > 1.2.3us":         "is not a number",
		"rtt > 5us":                  "no row has rtt",
		"overlap_ratio@8 < 50%":      "8 B is 0",
		"overlap_ratio.hi < 0.1":     "no row has overlap_ratio.hi", // a record lacks it
		"skew.min@8 < 1us":           "8 B is 0 us",
		"half_rtt.p99@8 > 5us":       "no row of 8 B has half_rtt.p99",
		"half_rtt@16 > 5us":          "no row of 16 B has half_rtt",
		"half_rtt.max > 5us":         "no row has half_rtt.max",
		"half_rtt.median@1M > 100us": "",
	} {
		limits, err := parseLimits([]string{typed})
		if err == nil {
			err = checkLimits(limits, limitRows())
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", typed, err, want)
		}
	}
}

// The error names every row that meets a condition, and takes precedence over conditions without
// rows.
func TestFailIfNamesEveryRow(t *testing.T) {
	limits, err := parseLimits([]string{"rtt > 1us", "half_rtt > 0.5us", "bandwidth < 1GB/s"})
	if err != nil {
		t.Fatal(err)
	}
	err = checkLimits(limits, limitRows())
	failed, ok := errors.AsType[*LimitError](err)
	if !ok || len(failed.Rows) != 3 {
		t.Errorf("got %v", err)
	}
	if _, ok := errors.AsType[*UnmetError](checkLimits(limits[:1], limitRows())); !ok {
		t.Error("a metric that no row has is no error")
	}
}

// A cell with a row for each state of the cores is named once.
func TestFailIfNamesACellOnce(t *testing.T) {
	limits, err := ParseLimits([]string{"half_rtt > 0.5us"})
	if err != nil {
		t.Fatal(err)
	}
	rows := limitRows()[:1]
	for _, s := range []string{"near", "far"} {
		p := rows[0]
		p.State = s
		rows = append(rows, p)
	}
	failed, ok := errors.AsType[*LimitError](limits.Check(rows[1:]))
	if !ok || len(failed.Rows) != 1 || !strings.Contains(failed.Rows[0], " us (cores near), ") || !strings.Contains(failed.Rows[0], " us (cores far): fail-if") {
		t.Errorf("%+v", failed)
	}
}

// A condition is refused before anything is measured unless one case has its size and its time.
func TestConditionsThatCannotBeJudged(t *testing.T) {
	half, global := bench.Benchmark{Name: "pingpong", Metric: "half_rtt_s"}, bench.Benchmark{Name: "barrier", Metric: "global_s"}
	cases := []bench.Case{{Bench: half, Size: 8}, {Bench: half, Size: 1 << 20}, {Bench: global, Size: 0}}
	for typed, want := range map[string]bool{
		"half_rtt@8 > 1us":    true,
		"half_rtt > 1us":      true,
		"global@0 > 1us":      true,
		"latency@0 > 1us":     true,
		"bw@8 < 1GB/s":        true,
		"half_rtt@16 > 1us":   false,
		"t > 1us":             false,
		"global@8 > 1us":      false, // another case has this size, and another this time
		"half_rtt@0 > 1us":    false,
		"half_rtt.p99@0 >1us": false,
	} {
		limits, err := parseLimits([]string{typed})
		if err != nil {
			t.Fatal(err)
		}
		r := &measurement{limits: limits, Plan: bench.Plan{Cases: cases}}
		if err := r.judgeable(); (err == nil) != want || err != nil && !errors.As(err, new(*UnmetError)) {
			t.Errorf("%s: %v", typed, err)
		}
		if err := (&measurement{limits: limits}).judgeable(); err != nil {
			t.Errorf("%s of an application: %v", typed, err)
		}
	}
}
