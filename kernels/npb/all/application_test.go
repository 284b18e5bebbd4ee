package all

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
	"gobench/record"
)

// A run of weak scaling has the work of the class for each core, beside a copy for each rank unless
// it has threads.
func TestWeakScalingIsLinearInCores(t *testing.T) {
	for _, c := range []struct {
		class          string
		ranks, threads int
		want           string
	}{
		{"C/8", 1, 1, "C/8"}, {"C/8", 2, 1, "C/4"}, {"C/8", 2, 4, "C"}, {"C/8", 32, 1, "4C"}, {"S", 4, 1, "4S"}, {"2A", 1, 2, "4A"},
	} {
		f := defaults()
		f.class, f.weak = c.class, true
		jobs, err := f.Jobs(application.Request{Arguments: []string{"ft"}, Ranks: c.ranks, Threads: c.threads})
		if err != nil || len(jobs) == 0 {
			t.Fatal(err)
		}
		last := jobs[len(jobs)-1]
		copied := len(jobs) == 2 && jobs[0].Copies && jobs[0].Label == "class "+c.class
		if copied != (c.threads == 1) || last.Copies || last.Serial != c.class || last.Label != "class "+c.want {
			t.Errorf("class %s on %d ranks with %d threads: %+v, want class %s", c.class, c.ranks, c.threads, jobs, c.want)
		}
	}
}

// The record of IS states the order of the keys, which differs between one rank and several unless
// it is chosen.
func TestTheOrderOfISIsAFactor(t *testing.T) {
	for _, c := range []struct {
		order, kernel  string
		ranks, threads int
		want           string // "" = refused
	}{
		{"auto", "is", 1, 0, "unsorted"}, {"auto", "is", 2, 0, "by rank"}, {"auto", "is", 2, 2, "by group"}, {"rank", "is", 1, 0, "by rank"},
		{"none", "is", 2, 0, ""}, {"rank", "is", 1, 2, ""}, {"sorted", "is", 1, 0, ""}, {"rank", "cg", 1, 0, ""},
	} {
		f := defaults()
		f.order = c.order
		jobs, err := f.Jobs(application.Request{Arguments: []string{c.kernel}, Ranks: c.ranks, Threads: c.threads})
		p := record.Point{Threads: c.threads}
		if err == nil {
			jobs[0].Factors(&p)
		}
		if p.Algorithm != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%+v: algorithm %q, %v", c, p.Algorithm, err)
		}
	}
}

// Every kernel but DT and BT-IO does fractions and multiples of class S, and finds on several ranks
// what one finds.
func TestFactorsOfClassS(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	for _, k := range Kernels() {
		for _, class := range []npb.Class{"S/4", "S/2", "2S", "9S/4"} {
			for _, ranks := range []int{2, 4} {
				err := runs(k, class, ranks)
				var illegal *npb.RanksError
				var none *npb.FactorError
				switch {
				case errors.As(err, &illegal), errors.As(err, &none):
				case err != nil:
					t.Error(err)
				default:
					t.Run(fmt.Sprintf("%s/%s/%d", k.Name, strings.ReplaceAll(string(class), "/", "_"), ranks), func(t *testing.T) {
						kerneltest.Verify(t, k, class, kerneltest.Shared, ranks, 1)
					})
				}
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
	if _, err := f.Jobs(application.Request{Arguments: []string{"bt-io"}, Ranks: 4}); err == nil || !strings.Contains(err.Error(), "io-buffer is") {
		t.Errorf("--io-buffer=1:4: %v", err)
	}
	f.buffer, f.weak = "1M", true
	if _, err := f.Jobs(application.Request{Arguments: []string{"bt-io"}, Ranks: 4}); err == nil || !strings.Contains(err.Error(), "no weak") {
		t.Errorf("bt-io with --weak: %v", err)
	}
	f = defaults()
	f.class = "E"
	if _, err := f.Jobs(application.Request{Arguments: []string{"cg"}, Ranks: 2}); err == nil || !strings.Contains(err.Error(), "use more ranks") {
		t.Errorf("cg class E on 2 ranks: %v", err)
	}
	if _, err := f.Jobs(application.Request{Arguments: []string{"dt-sh"}, Ranks: 12}); err == nil || err.Error() != "dt-sh has no class E: its largest is B" {
		t.Errorf("dt-sh class E: %v", err)
	}
	// All kernels of class E on 64 ranks: they need hundreds of gigabytes, but EP, and say so.
	jobs, err = f.Jobs(application.Request{Arguments: []string{"bt", "bt-mz", "cg", "ep", "ft", "is", "lu", "mg", "sp", "sp-mz"}, Ranks: 64})
	if err != nil || len(jobs) != 10 {
		t.Errorf("class E has %d jobs (%v), want 10", len(jobs), err)
	}
	for _, j := range jobs {
		if n := j.Memory(64, 1) >> 30; n < 60 != (j.Program.Name == "ep") || n > 2000 {
			t.Errorf("%s of class E needs %d GiB", j.Program.Name, n)
		}
	}
}

// A wrong name is refused next to "all".
func TestNamesOfKernels(t *testing.T) {
	for names, want := range map[string]int{"cg ep CG": 2, "all": len(Kernels()), "cg All": len(Kernels()), "all cgg": 0, "cgg all": 0} {
		list, err := kernelsOf(strings.Fields(names))
		if len(list) != want || (err == nil) != (want > 0) || err != nil && !strings.Contains(err.Error(), `did you mean "cg"?`) {
			t.Errorf("%s: %d kernels, want %d, %v", names, len(list), want, err)
		}
	}
}
