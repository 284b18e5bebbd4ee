package document_test

import (
	"slices"
	"strings"
	"testing"

	"gobench/internal/report/cell"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
)

// page is the first page of the report of a set.
func page(t *testing.T, s *cell.Set) string {
	t.Helper()
	first, _, found := strings.Cut(markdown(t, s), "## Machines and runs")
	if !found {
		t.Fatal("there is no first page")
	}
	return first
}

// A difference that no test can detect with so few launches is reported with its size and the
// reason.
func TestInconclusiveHasAReason(t *testing.T) {
	first := page(t, set(figuretest.PingPong(3)))
	if want := "inconclusive in 24: too few launches for any test (at least 4 of each side) (ratios up to a factor of 60"; !strings.Contains(first, want) {
		t.Errorf("%q is not in\n%s", want, first)
	}
	if strings.Contains(first, "cannot tell") {
		t.Error("it says cannot tell")
	}
}

// Labels are compared only if that is asked for, and the page says how.
func TestLabelsThatAreNotCompared(t *testing.T) {
	one := func(labels ...string) *record.File {
		f := figuretest.PingPong(4)
		f.Points = slices.DeleteFunc(f.Points, func(p record.Point) bool { return p.Transport != "smem" })
		for i := range f.Runs {
			f.Runs[i].Label = labels[i%len(labels)]
		}
		return f
	}
	if text := page(t, set(one("old", "new"))); !strings.Contains(text, "by=label compares the labels old and new.") || strings.Contains(text, "nothing can be compared") {
		t.Error(text)
	}
	if text := page(t, set(one("old"))); !strings.Contains(text, "nothing can be compared") {
		t.Error(text)
	}
}

// A comparison of a program with itself is the first caveat.
func TestTheSameProgramOnBothSides(t *testing.T) {
	const want = "- Both sides are the same program"
	same := func() []*record.File {
		return []*record.File{figuretest.PingPong(4), figuretest.Other(figuretest.PingPong(4))}
	}
	settings := same() // settings of a run do not change the program
	settings[1].Runs[0].Program = map[string]any{"commit": "0123456789abcdef", "go": "go1.26", "coll_table": "defaults"}
	first := page(t, set(settings...))
	if !strings.Contains(first, "most severe first:\n\n"+want) {
		t.Error(first)
	}
	other := same()
	for i := range other[1].Runs {
		other[1].Runs[i].Program = map[string]any{"commit": "fedcba9876543210", "go": "go1.26"}
	}
	if strings.Contains(page(t, set(other...)), want) {
		t.Error("another commit is said to be the same program")
	}
	modified := same()
	for i := range modified[1].Runs {
		modified[1].Runs[i].Program = map[string]any{"commit": "0123456789abcdef", "go": "go1.26", "modified": true}
	}
	if strings.Contains(page(t, set(modified...)), want) {
		t.Error("a modified program is said to be the same")
	}
	builds := same() // of launches that name the first run and the series of all
	for i, f := range builds {
		for j := range f.Runs {
			f.Runs[j].Series = f.Runs[0].ID
		}
		f.Launches = []record.Launch{{Run: f.Runs[0].ID, Series: f.Runs[0].ID, Build: []string{"old", "new"}[i]}}
		f.Points = slices.DeleteFunc(f.Points, func(p record.Point) bool { return p.Run == f.Runs[0].ID })
	}
	if strings.Contains(page(t, set(builds...)), want) {
		t.Error("another build is said to be the same program")
	}
	if strings.Contains(page(t, set(figuretest.PingPong(4))), want) {
		t.Error("transports are compared, not programs")
	}
}

// The most severe caveats come first: oversubscription, preemption, far cores.
func TestCaveatsAreInOrder(t *testing.T) {
	f := figuretest.PingPong(3)
	for i := range f.Runs {
		f.Runs[i].Hosts = []any{map[string]any{"hostname": "n1", "hypervisor": "kvm", "cpu": map[string]any{"cores": 1}}}
		f.Runs[i].Noise = []record.Noise{{Duration: 0.02, Lost: 0.3}}
	}
	for i := range f.Points {
		f.Points[i].DistanceBefore = 40e-9
		if i%4 == 0 {
			f.Points[i].DistanceAfter = 250e-9
		}
		f.Points[i].Stopped = "budget"
	}
	first, at := page(t, set(f)), 0
	for _, want := range []string{
		"Oversubscribed: all records with more ranks than cores (such as 2 on 1 core)", "Preempted: before 3 of 3 runs", "up to 30 % of its time",
		"36 of 144 records: core-to-core latency up to 250 ns, while 40 ns is possible", "Launched two to five times: 48 of 48", "virtual (kvm)", "Precision goal missed: 144 of 144",
	} {
		i := strings.Index(first, want)
		if i < at {
			t.Fatalf("%q is missing or too early in\n%s", want, first)
		}
		at = i
	}
}

// Headlines are of operations that move data, on as many ranks as there are cores.
func TestHeadlines(t *testing.T) {
	c := figuretest.Collectives()
	c.Runs[0].Hosts = []any{map[string]any{"hostname": "n1", "cpu": map[string]any{"cores": 4}}}
	empty := c.Points[0]
	empty.Size = 0
	empty.Metrics = record.ValuesOf(map[string]record.Value{"global_s": {Median: 3e-8, N: 1}})
	c.Points = append(c.Points, empty)
	first := page(t, set(c))
	for _, want := range []string{"| Bcast, 4 B |  | 0.8012 µs | one launch | 4 B, 4 ranks | 1 |", "| Bcast, 1 MiB |  | 315.4 µs |"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in\n%s", want, first)
		}
	}
	if strings.Contains(first, "0.03 µs") {
		t.Error("an empty broadcast is a headline")
	}
	k := page(t, set(figuretest.Kernels()))
	for _, want := range []string{"# CG, MG and FDTD over smem and tcp on n1, 2026-01-02", "| CG rate | ", "| FDTD run time | tcp |", "class A, 16 ranks |"} {
		if !strings.Contains(k, want) {
			t.Errorf("%q is not in\n%s", want, k)
		}
	}
}

// A distance that includes the time of the scheduler is not a latency between cores.
func TestFarCoresAreNotTheScheduler(t *testing.T) {
	f := figuretest.PingPong(8)
	for i := range f.Points {
		f.Points[i].DistanceBefore, f.Points[i].DistanceAfter = 30e-9, 2406e-6
	}
	if md := markdown(t, set(f)); strings.Contains(md, "Cores far apart") {
		t.Error("the scheduler's time counts as a distance")
	}
	for i := range f.Points[:5] {
		f.Points[i].DistanceAfter = 160e-9
	}
	want := "Cores far apart before or after 5 of "
	if md := markdown(t, set(f)); !strings.Contains(md, want) || !strings.Contains(md, "core-to-core latency up to 160 ns, while 30 ns is possible") {
		t.Errorf("%q is missing", want)
	}
}

// Launches of imported values have the interval that they have elsewhere in the report; a single
// one is marked as imported.
func TestImportedLaunchesHaveIntervals(t *testing.T) {
	for launches, want := range map[int]bool{1: false, 8: true} {
		f := figuretest.PingPong(launches)
		for i := range f.Runs {
			f.Runs[i].Command = []string{"gobench", "import", "imb.log"}
			f.Runs[i].Warnings = []string{"imported from a log of IMB", "times are means"}
		}
		md := markdown(t, set(f))
		page, _, _ := strings.Cut(md, "## Machines")
		if strings.Contains(page, "| imported |") == want || strings.Contains(page, "| ± 0.") != want || strings.Contains(md, "without intervals") {
			t.Errorf("%d launches:\n%s", launches, page)
		}
	}
}
