package compare

import (
	"slices"
	"strings"
	"testing"

	"gobench/record"
)

// With too few launches no p-value passes Holm's correction: such a gate gives a warning and does
// not pass.
func TestAGateThatCannotFailDoesNotPass(t *testing.T) {
	a := campaign{name: "a", launches: 5, sizes: 15, sigma: 0.01}
	b := a
	b.name, b.slow = "b", always(3)
	r := mustCompare(t, Options{Gate: true}, a.source(1), b.source(2))
	if r.Gate.Conclusion != Noisy || r.Gate.Why != "a slowdown of 30 % would not have been found in 15 of 15 cells" {
		t.Errorf("%+v", r.Gate)
	}
	want := "with so few launches this gate cannot detect any regression in 15 of 15 cells: for 15 cells, 6 launches of each side are needed"
	if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, want) {
		t.Errorf("warnings %s", all)
	}
}

// A gate does not pass if a cell of the baseline is missing.
func TestAMissingCellDoesNotPass(t *testing.T) {
	a := campaign{name: "a", launches: 8, sizes: 4, sigma: 0.002}
	b := a
	b.name, b.sizes = "b", 3
	if r := mustCompare(t, Options{Gate: true}, a.source(1), b.source(2)); r.Gate.Conclusion != Noisy || r.Gate.Why != "1 cell of the baseline is missing" {
		t.Errorf("%+v", r.Gate)
	}
	if r := mustCompare(t, Options{Gate: true}, b.source(2), a.source(1)); r.Gate.Conclusion != Passed {
		t.Errorf("a new cell: %+v", r.Gate)
	}
}

// With a baseline that was slowed by an injected fault, any program would pass.
func TestASelfTestDoesNotPass(t *testing.T) {
	slowed := campaign{name: "a", launches: 8, sizes: 2, sigma: 0.002, slow: always(2)}.source(1)
	for i := range slowed.File.Points {
		slowed.File.Points[i].Warnings = []string{record.SelfTest + "every send is delayed on purpose by 1µs"}
	}
	fine := campaign{name: "b", launches: 8, sizes: 2, sigma: 0.002}.source(2)
	r := mustCompare(t, Options{Gate: true}, slowed, fine)
	if r.Gate.Conclusion != Noisy {
		t.Errorf("%+v", r.Gate)
	}
	want := "16 of 16 results of a come from a self-test, not from the program: every send is delayed on purpose by 1µs"
	if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, want) {
		t.Errorf("warnings %s", all)
	}
	if r := mustCompare(t, Options{Gate: true}, fine, slowed); r.Gate.Conclusion != Failed {
		t.Errorf("an injected regression: %+v", r.Gate)
	}
}

// A file to which new launches were appended contains its own baseline, and a copy is not a new
// measurement.
func TestCommonLaunchesDoNotPass(t *testing.T) {
	old := campaign{name: "a", launches: 12, sizes: 1, sigma: 0.002}.source(1)
	slow := campaign{name: "b", launches: 6, sizes: 1, sigma: 0.002, slow: always(1.3)}.source(2)
	all := Source{"b", &record.File{Runs: append(slices.Clone(old.File.Runs), slow.File.Runs...), Points: append(slices.Clone(old.File.Points), slow.File.Points...)}}
	r := mustCompare(t, Options{Gate: true}, old, all)
	want := "12 of 18 launches of b are also in a: compare files without common launches"
	if warned := strings.Join(r.Warnings, "\n"); r.Gate.Conclusion == Passed || !strings.Contains(warned, want) {
		t.Errorf("%+v, warnings %s", r.Gate, warned)
	}
	r = mustCompare(t, Options{Gate: true}, old, Source{"again", old.File})
	want = "a and again have the same 12 launches: one of them is a copy, and this comparison shows nothing"
	if r.Gate.Conclusion != Noisy || r.Gate.Why != want || !slices.Contains(r.Warnings, want) {
		t.Errorf("a file with itself: %+v, warnings %q", r.Gate, r.Warnings)
	}
}

// Launches that failed and were repeated are named, also by a gate.
func TestFailedLaunchesAreNamed(t *testing.T) {
	old, again := campaign{name: "a", launches: 8, sizes: 1, sigma: 0.002}.source(1), campaign{name: "b", launches: 8, sizes: 1, sigma: 0.002}.source(2)
	again.File.Failures = []record.Failure{{Run: "x", Time: testTime, Name: "Flaky over smem", Command: []string{"program"}, Launch: 3, Block: 3, Attempt: 1, Why: "it ended with exit code 9"}}
	again.File.Launches = []record.Launch{{Run: "b-2", Command: []string{"program"}, Launch: 3}}
	const want = "b: Flaky over smem: 1 of 3 launches failed (1 attempt) and was repeated until it succeeded: it ended with exit code 9"
	r := mustCompare(t, Options{Gate: true}, old, again)
	if !slices.Equal(r.Failed, []string{want}) || !slices.Contains(r.Warnings, want) || r.Gate.Conclusion != Passed || !strings.HasSuffix(r.Gate.Why, "; launches failed: "+want) {
		t.Errorf("%q, warnings %q, %+v", r.Failed, r.Warnings, r.Gate)
	}
}
