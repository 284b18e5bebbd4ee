package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var errTrouble = errors.New("too busy")

// A failing program never ends the comparison: it is left out of the round, and finally of all rounds.
func TestPatience(t *testing.T) {
	var said strings.Builder
	p := newRetryPolicy(9, &said)
	const name = "Open MPI over smem"
	for round, c := range []struct {
		err error
		out bool
	}{{nil, false}, {errTrouble, false}, {nil, false}, {errTrouble, false}, {nil, false}, {errTrouble, false}, {nil, false}, {errTrouble, true}} {
		err := p.note(t.Context(), name, round+1, c.err)
		if _, out := p.out[name]; err != nil || out != c.out {
			t.Errorf("round %d: %v, left out: %v", round+1, err, out)
		}
	}
	if want := "round 2, Open MPI over smem: too busy; left out of this round\n"; !strings.HasPrefix(said.String(), want) {
		t.Errorf("it said %q", said.String())
	}
	if p.note(t.Context(), "MPICH over smem", 1, errTrouble); p.out["MPICH over smem"] == nil {
		t.Error("a program that has never worked is tried on")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p.note(ctx, name, 9, errTrouble) == nil {
		t.Error("the comparison goes on though a person has ended it")
	}
}

// A run that died is made again, a bounded number of times, and that is counted and said.
func TestRunsThatDie(t *testing.T) {
	var said strings.Builder
	p := newRetryPolicy(9, &said)
	runs := 0
	die := func(times int) func() error {
		return func() error {
			if runs++; runs <= times {
				return errTrouble
			}
			return nil
		}
	}
	if err := p.run(t.Context(), "x", 1, die(mostRetries)); err != nil || runs != mostRetries+1 || p.retried["x"] != mostRetries {
		t.Errorf("%v after %d runs, %d made again", err, runs, p.retried["x"])
	}
	runs = 0
	if err := p.run(t.Context(), "x", 2, die(100)); err == nil || runs != mostRetries+1 {
		t.Errorf("%v after %d runs", err, runs)
	}
	p.needs("y", []string{"/bin/sh", "no-such-launcher"})
	p.needs("z", []string{"/bin/sh"})
	var out strings.Builder
	p.print(&out)
	if want := "left out: y (it needs no-such-launcher: executable file not found in $PATH)\nruns that died and were made again: x 4\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
}

// A program that ends well and prints nothing has failed: it is run again, and then left out of the round.
func TestSilentProgramsFail(t *testing.T) {
	folder := t.TempDir()
	line := filepath.Join(folder, "line")
	script := "#!/bin/sh\n[ -e " + folder + "/second ] || { touch " + folder + "/second; exit 1; }\necho pair a=0 b=1 half_rtt_s=3e-8\n"
	if err := os.WriteFile(line, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	cores, err := newPair(t.Context(), folder)
	if err != nil || cores.floor != 3e-8 {
		t.Fatalf("the first scan failed, the others did not: %v", err)
	}
	var said strings.Builder
	retries, runs := newRetryPolicy(3, &said), 0
	silent := program{name: "silent", group: "smem", sizes: []int{8}, run: func(context.Context, [2]int, []int) ([]point, error) { runs++; return nil, nil }}
	if _, err := runProgram(t.Context(), settings{attempts: 6}, cores, silent, 1, newResults(cores), retries, nil); err == nil || runs != mostRetries+1 {
		t.Errorf("%v after %d runs", err, runs)
	}
}
