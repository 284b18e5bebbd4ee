package record

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sampleFailure() *Failure {
	return &Failure{
		Run: "20261121T120000Z-0badcafe", Time: testTime, Sweep: "ci", Plan: "00c0ffee00c0ffee", Name: "gobench p2p --transport=smem",
		Command: []string{"p2p", "--transport=smem"}, Host: "node1", Launch: 2, Block: 2, Attempt: 1, Why: "it ended with exit code 1", Duration: 0.5,
	}
}

func TestFailuresAreReadBack(t *testing.T) {
	var out bytes.Buffer
	if err := NewWriter(&out).WriteFailure(sampleFailure()); err != nil {
		t.Fatal(err)
	}
	f, err := Read(&out)
	want := sampleFailure()
	want.Schema, want.Kind = Schema, KindFailure
	if d := cmp.Diff([]Failure{*want}, f.Failures); err != nil || d != "" || len(f.Warnings) > 0 {
		t.Errorf("%v, %q, %s", err, f.Warnings, d)
	}
}

func TestAnInvalidFailureIsNotWritten(t *testing.T) {
	for name, change := range map[string]func(f *Failure){
		"no run": func(f *Failure) { f.Run = "" }, "no command": func(f *Failure) { f.Command = nil }, "no reason": func(f *Failure) { f.Why = "" },
		"attempt 0": func(f *Failure) { f.Attempt = 0 }, "negative": func(f *Failure) { f.Duration = -1 },
	} {
		f := sampleFailure()
		change(f)
		var out bytes.Buffer
		if err := NewWriter(&out).WriteFailure(f); err == nil || out.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", name, err, out.Len())
		}
	}
}

// Failed launches are named by command, with their number and what became of them.
func TestFailedLaunchesAreNamed(t *testing.T) {
	launch := func(n int, command string) Launch { return Launch{Command: []string{command}, Launch: n} }
	failure := func(n, attempt int, command string) Failure {
		return Failure{Command: []string{command}, Name: command, Launch: n, Attempt: attempt, Why: "it ended with exit code 7"}
	}
	of := func(plan string, one Failure) Failure { one.Plan = plan; return one }
	for _, c := range []struct {
		name     string
		launches []Launch
		failures []Failure
		want     []string
	}{
		{"none", []Launch{launch(1, "a")}, nil, nil},
		{"one of four, repeated", []Launch{launch(4, "a")}, []Failure{failure(4, 1, "a")},
			[]string{"a: 1 of 4 launches failed (1 attempt) and was repeated until it succeeded: it ended with exit code 7"}},
		{"two commands", []Launch{launch(3, "a"), launch(2, "a"), launch(9, "b")}, []Failure{failure(2, 1, "a"), failure(3, 1, "a"), failure(3, 2, "a"), failure(1, 1, "b")},
			[]string{"a: 2 of 3 launches failed (3 attempts) and were repeated until they succeeded: it ended with exit code 7",
				"b: 1 of 9 launches failed (1 attempt) and was left out: it ended with exit code 7"}},
		{"in part", []Launch{launch(1, "a"), launch(2, "a")}, []Failure{failure(2, 1, "a"), failure(3, 1, "a")},
			[]string{"a: 2 of 3 launches failed (2 attempts) and were repeated until they succeeded, but for 1: it ended with exit code 7"}},
		{"of two plans", []Launch{{Plan: "p", Command: []string{"a"}, Launch: 1}, {Plan: "p", Command: []string{"a"}, Launch: 4}, {Plan: "q", Command: []string{"a"}, Launch: 2}},
			[]Failure{of("q", failure(1, 1, "a")), of("p", failure(1, 1, "a"))},
			[]string{"a: 1 of 2 launches failed (1 attempt) and was left out: it ended with exit code 7",
				"a: 1 of 4 launches failed (1 attempt) and was repeated until it succeeded: it ended with exit code 7"}},
	} {
		f := File{Launches: c.launches, Failures: c.failures}
		if got := f.Failed(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
