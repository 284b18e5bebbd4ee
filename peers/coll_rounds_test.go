package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// machine stands in for the program line: it reports the distance that the
// test has written last.
type machine struct {
	t    *testing.T
	file string
}

func newMachine(t *testing.T) (machine, *pair) {
	folder := t.TempDir()
	m := machine{t, filepath.Join(folder, "distance")}
	program := filepath.Join(folder, "line")
	script := "#!/bin/sh\necho pair a=0 b=1 half_rtt_s=3e-08\necho pair a=0 b=2 half_rtt_s=$(cat " + m.file + ")\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return m, &pair{program: program, floor: 30e-9}
}

func (m machine) move(distance string) {
	if err := os.WriteFile(m.file, []byte(distance), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// A run during which a core moved away is repeated, and so is one that died.
func TestCollProgramIsRepeated(t *testing.T) {
	m, cores := newMachine(t)
	m.move("4e-08")
	log, err := openRecords(filepath.Join(t.TempDir(), "records"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.close()
	runs := 0
	p := collProgram{name: "x", group: "smem", run: func(context.Context, []int) ([]collPoint, error) {
		runs++
		switch runs {
		case 1:
			return nil, errors.New("no luck")
		case 2:
			m.move("3e-07")
		default:
			m.move("4e-08")
		}
		var points []collPoint
		for _, c := range collCells() {
			points = append(points, collPoint{cell: c, global: 1})
		}
		return points, nil
	}}
	all := newCollResults(cores)
	retries := newRetryPolicy(9, io.Discard)
	if err := runCollProgram(t.Context(), cores, []int{0, 1, 2}, p, 1, all, retries, log); err != nil {
		t.Fatal(err)
	}
	count := all.states("smem")
	if runs != 4 || retries.retried[p.String()] != 1 || count[near] != 1 || count[mixed] != 2 {
		t.Errorf("%d runs, %d made again, states %v, want one that died, two that saw a core move, and one near", runs, retries.retried[p.String()], count)
	}
}

// One program that always dies is left out, and the others go on.
func TestCollProgramThatAlwaysFails(t *testing.T) {
	m, cores := newMachine(t)
	m.move("4e-08")
	cores.all = []int{0, 1}
	log, err := openRecords(filepath.Join(t.TempDir(), "records"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.close()
	runs, ranks := 0, 0
	var whole []collPoint
	for _, c := range collCells() {
		whole = append(whole, collPoint{cell: c, global: 1})
	}
	programs := []collProgram{
		{name: "dying", group: "smem", run: func(context.Context, []int) ([]collPoint, error) {
			runs++
			return whole[:1], nil // the other cells are missing
		}},
		{name: "gobench", group: "smem", subject: true, run: func(_ context.Context, cores []int) ([]collPoint, error) {
			ranks = len(cores)
			return whole, nil
		}},
		{name: "absent", group: "smem", needs: []string{"no-such-launcher"}},
	}
	all, retries := newCollResults(cores), newRetryPolicy(3, io.Discard)
	if err := runColl(t.Context(), settings{rounds: 3}, cores, programs, all, retries, log, io.Discard); err != nil {
		t.Fatal(err)
	}
	if runs != mostRetries+1 || len(retries.out) != 2 || len(all.runs["smem"]["gobench"]) < 3 || ranks != 2 {
		t.Errorf("%d runs, left out: %v, %d runs of the other, %d ranks", runs, retries.out, len(all.runs["smem"]["gobench"]), ranks)
	}
}
