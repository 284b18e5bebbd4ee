package compare

import (
	"math"
	"slices"
	"testing"

	"gobench/record"
)

func TestMainMetricsAreInTheCatalogue(t *testing.T) {
	for _, key := range mainMetrics {
		if m, ok := record.Lookup(key); !ok || m.Key != key {
			t.Errorf("no metric %s", key)
		}
	}
	if len(metricOrder("")) != len(record.Metrics) {
		t.Error("a metric is missing")
	}
}

// A non-blocking operation whose log has no time of the whole is compared by the time of the
// operation alone. Own points of the states of the cores in which that was not measured are left
// out with a remark.
func TestMetricOfSomePoints(t *testing.T) {
	logs := imported(campaign{name: "mpi", launches: 6, sizes: 1, slow: always(2)}.source(1))
	own := campaign{name: "own", launches: 6, sizes: 1, sigma: 0.002}.source(2)
	for _, s := range []Source{logs, own} {
		for i := range s.File.Points {
			p := &s.File.Points[i]
			time := p.Metrics.Get("half_rtt_s")
			values := map[string]record.Value{"pure_s": time, "overlapped_s": time}
			if p.Library == "" {
				values["global_s"] = time
			}
			if p.Library == "" && i%3 == 0 {
				delete(values, "pure_s")
			}
			p.Bench, p.Metrics = "iallreduce", record.ValuesOf(values)
		}
	}
	rows := mustCompare(t, Options{By: "library", Base: "gobench"}, logs, own).Rows
	if len(rows) != 1 || rows[0].Metric.Key != "overlapped_s" || rows[0].NA != 6 {
		t.Fatalf("%+v", rows)
	}
	for i := range own.File.Points {
		p := &own.File.Points[i]
		p.Metrics = record.ValuesOf(map[string]record.Value{"global_s": p.Metrics.Get("global_s"), "pure_s": p.Metrics.Get("pure_s")})
	}
	rows = mustCompare(t, Options{By: "library", Base: "gobench"}, logs, own).Rows
	if len(rows) != 1 || rows[0].Metric.Key != "pure_s" || rows[0].NA != 4 || rows[0].NB != 6 || !slices.Contains(rows[0].Remarks, "2 results without pure left out") {
		t.Errorf("%+v", rows)
	}
}

// A mean over ranks is compared with a mean over ranks, not with the time of the slowest rank,
// also where a side has launches of both kinds, in each of several cells.
func TestMeansOverRanks(t *testing.T) {
	for name, c := range map[string]struct {
		slowest func(side string, i int) bool // else the mean over ranks
		both    bool                          // of which the mean is known too
		why     string
	}{
		"a side":         {func(side string, _ int) bool { return side == "b" }, true, ""},
		"some of a side": {func(side string, i int) bool { return side == "b" && i%2 > 0 }, true, ""},
		"some of both":   {func(_ string, i int) bool { return i%3 > 0 }, true, ""},
		"without a mean": {func(side string, _ int) bool { return side == "b" }, false, "local is a mean over ranks on one side only"},
		"some without":   {func(_ string, i int) bool { return i == 1 }, false, "local is a mean over ranks in some launches only"},
	} {
		const sizes = 16
		a := imported(campaign{name: "a", launches: 6, sizes: sizes, sigma: 0.002}.source(1))
		b := imported(campaign{name: "b", launches: 6, sizes: sizes, sigma: 0.002}.source(2))
		for _, s := range []Source{a, b} {
			for i := range s.File.Points {
				p := &s.File.Points[i]
				average := record.Value{Median: p.Metrics.Median("half_rtt_s"), N: 1, Statistic: record.RankMean}
				p.Bench, p.Metrics = "allreduce", record.ValuesOf(map[string]record.Value{"local_s": average})
				if c.slowest(s.Name, i/sizes) {
					p.Metrics.Set("local_s", record.Value{Median: 2 * average.Median, N: 1, Statistic: record.Mean})
					if c.both {
						p.Metrics.Set("average_s", average)
					}
				}
			}
		}
		for _, sides := range [][]Source{{a, b}, {b, a}} {
			rows := mustCompare(t, Options{}, sides...).Rows
			if len(rows) != sizes {
				t.Errorf("%s: %d rows", name, len(rows))
			}
			for _, row := range rows {
				if row.Why != c.why || c.both && (row.Metric.Key != "average_s" || row.Verdict != Same || math.Abs(row.A.Median/row.B.Median-1) > 0.05) || !c.both && row.Verdict != Unclear {
					t.Errorf("%s: %+v", name, row)
				}
			}
		}
	}
}
