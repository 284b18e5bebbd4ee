package report

import (
	"encoding/json"
	"strings"
	"testing"

	"gobench/internal/bench/state"
	"gobench/record"
)

// collective is a point of an allreduce over shared memory.
func collective(algorithm string, size int64, median, half float64) record.Point {
	v := single(median, half, 100)
	v.Within = 0.002
	return record.Point{Launches: 8, Bench: "allreduce", Transport: "smem", Level: "comm", Ranks: 4, RankKind: "process", Size: size, Iterations: 100,
		Algorithm: algorithm, Root: "2", InPlace: true, Start: "time", Skew: "late:10µs", Groups: 2, Precision: 0.02, Method: "global = last exit - first entry",
		Metrics: record.ValuesOf(map[string]record.Value{"global_s": v, "algbw_Bps": bandwidth(size, v), "aggregate_Bps": bandwidth(4*size, v), "busbw_Bps": bandwidth(3*size/2, v)})}
}

func drawn(t *testing.T, points ...record.Point) string {
	t.Helper()
	var b strings.Builder
	table := NewTable(&b, Terminal{})
	for _, p := range points {
		if err := table.Point(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.End(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTableOfCollectives(t *testing.T) {
	got := drawn(t,
		collective("ring", 1024, 2e-6, 0.01e-6),
		collective("smem-all", 1024, 1e-6, 0.01e-6),
		collective("bde", 1024, 3e-6, 0.01e-6),
		collective("ring", 65536, 20e-6, 0.5e-6),
		collective("bde", 65536, 20.6e-6, 0.5e-6),
		collective("ring", 8, 5e-6, 0.1e-6))
	for _, want := range []string{
		"# allreduce over smem, level comm, 4 processes, not pinned, 2 groups at once, root 2, in place, start time,\n#   arrival skew late:10µs\n",
		"alg[MB/s]  agg[MB/s]  bus[MB/s]",
		"     1024          100       1.000   1.0    0.2       1.400    1024.00    4096.00    1536.00   8 smem-all\n",
		"# best at 1 KiB: smem-all, 1.000 us; next ring, 2.00 times as long\n",
		"# best at 64 KiB: inconclusive among ring, bde, about 20.000 us\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "best at 8 B") || strings.Contains(got, "path") {
		t.Errorf("a race of one, or a path:\n%s", got)
	}
}

func TestBarrierHasNoBandwidth(t *testing.T) {
	p := collective("bde", 0, 1e-6, 0.01e-6)
	p.Bench = "barrier"
	p.Metrics.Delete("algbw_Bps")
	p.Metrics.Delete("aggregate_Bps")
	p.Metrics.Delete("busbw_Bps")
	if got := drawn(t, p); strings.Contains(got, "MB/s") || strings.Contains(got, "Mbytes") {
		t.Errorf("got\n%s", got)
	}
}

// Algorithms compete in one state of the cores only.
func TestARaceIsOfOneState(t *testing.T) {
	var b strings.Builder
	table := NewTable(&b, Terminal{})
	table.remarks.scale = state.Scale{Distance: 30e-9}
	for _, far := range []bool{false, true} {
		ring, bde := collective("ring", 8, 1e-6, 0.01e-6), collective("bde", 8, 2e-6, 0.01e-6)
		ring.StateDistance, ring.StateShare, bde.StateDistance, bde.StateShare = 30e-9, 1, 30e-9, 1
		if far {
			ring, bde = collective("ring", 8, 9e-6, 0.01e-6), collective("bde", 8, 6e-6, 0.01e-6)
			ring.StateDistance, ring.StateShare, bde.StateDistance, bde.StateShare = 160e-9, 1, 160e-9, 1
		}
		for _, p := range []record.Point{ring, bde} {
			if err := table.Point(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	table.End()
	want := "# best at 8 B, cores near: ring, 1.000 us; next bde, 2.00 times as long\n# best at 8 B, cores far: bde, 6.000 us; next ring, 1.50 times as long\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("%q is missing in\n%s", want, b.String())
	}
}

// With few launches the lowest time is named without a verdict.
func TestThereIsNoVerdictWithoutIntervals(t *testing.T) {
	p := collective("bde", 8, 2e-6, 0)
	v := p.Metrics.Get("global_s")
	v.Lo, v.Hi, v.Confidence = 0, 0, 0
	p.Metrics.Set("global_s", v)
	want := "# lowest at 8 B: ring, 1.000 us (inconclusive: an interval takes 6 launches); next bde, 2.00 times as long\n"
	if got := drawn(t, collective("ring", 8, 1e-6, 0.01e-6), p); !strings.Contains(got, want) {
		t.Errorf("%q is missing in\n%s", want, got)
	}
}

// A row of more ranks than cores is marked, in the table and below it.
func TestOversubscribedRowsAreMarked(t *testing.T) {
	p := collective("ring", 8, 1e-6, 0.01e-6)
	p.Warnings = []string{record.Oversubscribed + "4 ranks share 1 core"}
	got := drawn(t, p)
	for _, want := range []string{" oversubscribed ring\n", "# warning (8 B): oversubscribed: 4 ranks share 1 core\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// Rows of more ranks than cores in two states differ in the column of the state.
func TestOversubscribedRowsShowTheirState(t *testing.T) {
	p := collective("ring", 8, 1e-6, 0.01e-6)
	p.Warnings = []string{record.Oversubscribed + "4 ranks share 1 core"}
	p.Loop = 6e-6
	var b strings.Builder
	table := NewTable(&b, Terminal{})
	table.remarks.scale = state.Scale{Loop: 3e-6}
	if err := table.Point(p); err != nil || !strings.Contains(b.String(), " oversubscribed:slow ring\n") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// Rows of applications show the state of their cores, and one rank on a slowed core has no
// distance.
func TestApplicationsShowTheirState(t *testing.T) {
	one := record.Point{Bench: "cg", Class: "S", Transport: "smem", Ranks: 1, RankKind: "process", Loop: 3e-6,
		Metrics: record.ValuesOf(map[string]record.Value{"run_s": {Median: 1}, "mops": {Median: 100}})}
	slow, two := one, one
	slow.Loop = 6e-6
	two.Ranks, two.StateDistance, two.StateShare = 2, 30e-9, 0.4
	var b strings.Builder
	table := NewTable(&b, Terminal{})
	table.remarks.scale = state.Scale{Loop: 3e-6, Distance: 30e-9}
	for _, p := range []record.Point{one, slow, two} {
		if err := table.Point(p); err != nil {
			t.Fatal(err)
		}
	}
	table.End()
	for _, want := range []string{"n           cores[ns]\n", "1                   -\n", "1                slow\n", "1         30:near:40%\n", "cores = half round trip"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// Access to files does not count as communication, and the write rate of BT-IO has a column.
func TestStorageIsNoCommunication(t *testing.T) {
	got := drawn(t, record.Point{Bench: "bt-io", Class: "S", IO: "full", Transport: "smem", Ranks: 1, RankKind: "process",
		Metrics: record.ValuesOf(map[string]record.Value{"run_s": {Median: 4}, "mops": {Median: 57}, "storage_Bps": {Median: 2.5e6}}),
		Extra:   map[string]json.RawMessage{"phases_s": json.RawMessage(`{"compute":{"mean":2},"storage":{"mean":1},"exchange":{"mean":1}}`)}})
	for _, want := range []string{"comm[%] storage[MB/s]", " 25.0          2.50 ", "storage = written to files"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// The log of a kernel may print a rate and 0.00 as its time: the row is one of an application.
func TestRateWithoutTime(t *testing.T) {
	got := drawn(t, record.Point{Bench: "is", Class: "S", Transport: "smem", Ranks: 2, RankKind: "process",
		Metrics: record.ValuesOf(map[string]record.Value{"mops": {Median: 345.12}})})
	for _, want := range []string{"# applications over smem", "#problem", "\nis S              2       1          -      -     345.12 "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// Logs of OSU have the time of a non-blocking collective without other communication times.
func TestPureTimeIsShown(t *testing.T) {
	got := drawn(t, record.Point{Bench: "iallreduce", Transport: "smem", Level: "comm", Ranks: 2, RankKind: "process", Size: 4,
		Metrics: record.ValuesOf(map[string]record.Value{"pure_s": {Median: 0.8e-6}, "overlap_ratio": {Median: 0.25}})})
	for _, want := range []string{"t[usec]", "0.800", "25.0", "# t = pure, median of the n launches"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// An algorithm is like the best if its interval overlaps, or without one its median, in whatever
// order they were measured.
func TestAlgorithmsLikeTheBest(t *testing.T) {
	of := func(name string, median, half float64) entry {
		v := record.Value{Median: median}
		if half > 0 {
			v.Lo, v.Hi = median-half, median+half
		}
		return entry{name, v}
	}
	best, wide, unknown, slow := of("best", 10, 2), of("wide", 13, 3), of("unknown", 11, 0), of("slow", 20, 1)
	for _, c := range []struct {
		entries []entry
		alike   string
		known   bool
	}{
		{[]entry{best, wide, slow}, "best wide", true},
		{[]entry{unknown, wide, best, slow}, "best unknown wide", false},
		{[]entry{of("slow", 20, 0), wide, best}, "best wide", false},
		{[]entry{of("best", 10, 0), wide}, "best", false},
	} {
		o := race{entries: c.entries}.outcome()
		if got := strings.Join(o.alike, " "); got != c.alike || o.known != c.known {
			t.Errorf("%v: %q, known %v", c.entries, got, o.known)
		}
	}
}
