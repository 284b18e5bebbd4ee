package all

import (
	"strings"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		class npb.Class
		ranks int
		want  npb.Class // 0 = an error
	}{
		{npb.A, 1, npb.A}, {npb.A, 4, npb.B}, {npb.A, 16, npb.C}, {npb.B, 4, npb.C}, {npb.C, 1, npb.C},
		{npb.A, 2, 0}, {npb.A, 64, 0}, {npb.B, 16, 0}, {npb.S, 4, 0}, {npb.D, 1, 0},
	} {
		got, err := grow(c.class, c.ranks)
		if got != c.want || (err == nil) != (c.want != 0) {
			t.Errorf("class %v on %d ranks grows to %v (%v), want %v", c.class, c.ranks, got, err, c.want)
		}
	}
}

// Classes of MG leave a rank a quarter, or twice, of what a copy has, and the matrix
// of CG grows sevenfold from A to B, and less than threefold from B to C.
func TestUnevenClassesHaveAWarning(t *testing.T) {
	for _, k := range Kernels() {
		if runs(k, npb.A, 1) != nil {
			continue // it has no serial copies
		}
		for _, from := range []npb.Class{npb.A, npb.B} {
			warning := uneven(k, from, from-'A'+'B', 4)
			if want := k.Name == "mg" || k.Name == "cg"; (warning != "") != want {
				t.Errorf("%s from class %v: %q", k.Name, from, warning)
			}
		}
	}
}

// BT and SP run on squares only: all leaves them out and says so, and a name is an error.
func TestAllLeavesOutWhatCannotRun(t *testing.T) {
	f := defaults()
	f.class, f.io.Path = "S", t.TempDir()
	jobs, err := f.Jobs(application.Request{Arguments: []string{every}, Ranks: 2})
	if err != nil || len(jobs) != len(Kernels())-6 || !strings.Contains(jobs[0].Warning, "bt class S runs on a square") {
		t.Errorf("%d jobs (%v), want all but bt, bt-io, sp and the three graphs of dt, with a warning: %+v", len(jobs), err, jobs)
	}
	if _, err := f.Jobs(application.Request{Arguments: []string{"bt"}, Ranks: 2}); err == nil {
		t.Error("bt on 2 ranks is no error")
	}
	if _, err := f.Jobs(application.Request{Arguments: []string{"bt-io"}, Ranks: 4}); err != nil {
		t.Error(err)
	}
	f.class, f.buffer = "A", "1:4"
	if _, err := f.Jobs(application.Request{Arguments: []string{"bt-io"}, Ranks: 4}); err == nil || !strings.Contains(err.Error(), "--io-buffer") {
		t.Errorf("--io-buffer=1:4: %v", err)
	}
	f.buffer, f.weak = "1M", true
	if _, err := f.Jobs(application.Request{Arguments: []string{"bt-io"}, Ranks: 4}); err == nil || !strings.Contains(err.Error(), "no --weak") {
		t.Errorf("bt-io with --weak: %v", err)
	}
	f.class, f.weak = "E", false
	if _, err := f.Jobs(application.Request{Arguments: []string{"cg"}, Ranks: 1}); err == nil || !strings.Contains(err.Error(), "no class E") {
		t.Errorf("cg class E: %v", err)
	}
	if jobs, err := f.Jobs(application.Request{Arguments: []string{"bt", "bt-mz", "lu", "lu-mz", "sp", "sp-mz"}, Ranks: 1}); err != nil || len(jobs) != 6 {
		t.Errorf("class E has %d jobs (%v), want bt, lu and sp, and their multi-zone versions", len(jobs), err)
	}
}
