package application

import (
	"strings"
	"testing"

	"gobench/record"
)

// Speedup is against the last run on one rank of the same problem.
func TestBaselineIsTheLastLikeIt(t *testing.T) {
	b := Baseline(t.TempDir() + "/r.jsonl")
	point := func(run, class string, ranks, copies int, mops float64) *record.Point {
		p := &record.Point{Run: run, Bench: "cg", Transport: "smem", Level: "comm", RankKind: "process", Class: class, Ranks: ranks, Copies: copies, Threads: 1, Iterations: 3,
			Metrics: record.ValuesOf(map[string]record.Value{"mops": {Median: mops, N: 3}, "run_s": {Median: 1, N: 3}})}
		p.Time = p.Time.AddDate(2026, 0, 0)
		return p
	}
	four := point("d", "A", 4, 0, 600)
	if b.scaling(four, "mops", "", record.Value{}); four.Baseline != "" {
		t.Error("without a stored run there is a baseline")
	}
	w, err := record.Open(string(b))
	if err != nil {
		t.Fatal(err)
	}
	far := &record.Run{ID: "h", Time: four.Time, Command: []string{"gobench"}, Hosts: []any{map[string]any{"hostname": "another machine"}}, Job: record.Job{Launcher: "local", Ranks: 1}}
	if err := w.WriteRun(far); err != nil {
		t.Fatal(err)
	}
	slowed, imported := point("g", "A", 1, 0, 10), point("i", "A", 1, 0, 2000)
	slowed.Warnings = []string{record.SelfTest + "every send is delayed on purpose"}
	imported.Library = "NPB"
	for _, p := range []*record.Point{point("a", "A", 1, 0, 100), point("b", "A", 1, 0, 200), point("c", "B", 1, 0, 50), point("e", "A", 1, 4, 700),
		point("h", "A", 1, 0, 20), slowed, imported} {
		if err := w.WritePoint(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b.scaling(four, "mops", "", record.Value{})
	if four.Baseline != "b" || four.Metrics.Median("speedup") != 3 || four.Metrics.Median("efficiency") != 0.75 {
		t.Errorf("speedup is %v, efficiency %v against run %q", four.Metrics.Get("speedup"), four.Metrics.Get("efficiency"), four.Baseline)
	}
	weak := point("f", "B", 4, 0, 600)
	b.scaling(weak, "mops", "A", record.Value{Median: 800})
	if ok := weak.Metrics.Has("speedup"); ok || weak.Metrics.Median("efficiency") != 0.75 || weak.Baseline != "f" {
		t.Errorf("weak scaling gives %v against run %q", weak.Metrics, weak.Baseline)
	}
	split := point("j", "4A", 2, 0, 350)
	split.Threads = 2
	b.scaling(split, "mops", "A", record.Value{})
	if split.Metrics.Median("efficiency") != 0.5 || split.Baseline != "e" {
		t.Errorf("a split of as many cores as the copies has efficiency %v against run %q", split.Metrics.Get("efficiency"), split.Baseline)
	}
	split.Threads = 4
	split.Metrics.Set("efficiency", record.Value{})
	b.scaling(split, "mops", "A", record.Value{})
	if split.Metrics.Median("efficiency") != 0 || len(split.Warnings) != 1 || !strings.Contains(split.Warnings[0], "np=8 ") {
		t.Errorf("without copies on as many cores: %v, %q", split.Metrics.Get("efficiency"), split.Warnings)
	}
}

// The interval of a speedup combines both rates; a rate without an interval gives a speedup without
// one.
func TestTheIntervalOfAQuotient(t *testing.T) {
	rate, base := record.Value{Median: 300, Lo: 270, Hi: 330, N: 7}, record.Value{Median: 100, Lo: 90, Hi: 110, N: 7}
	v := quotient(rate, base, 2)
	if v.Median != 1.5 || !(v.Lo < 1.5*0.9 && v.Lo > 1.5*0.9*0.9) || !(v.Hi > 1.5*1.1 && v.Hi < 1.5*1.1/0.9) || v.Confidence == 0 {
		t.Errorf("%+v", v)
	}
	if v := quotient(rate, record.Value{Median: 100, N: 3}, 2); v.Median != 1.5 || v.Lo != 0 || v.Hi != 0 || v.Confidence != 0 {
		t.Errorf("of a baseline without interval: %+v", v)
	}
}
