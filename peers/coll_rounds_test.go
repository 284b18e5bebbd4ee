package main

import (
	"context"
	"errors"
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

// A run during which a core moved away is repeated, and so is one that failed.
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
	if err := runCollProgram(t.Context(), cores, []int{0, 1, 2}, p, 1, all, log); err != nil {
		t.Fatal(err)
	}
	count := all.states("smem")
	if runs != collAttempts || count[near] != 0 || count[mixed] != 2 {
		t.Errorf("%d runs, states %v, want three runs, of which one failed and two saw a core move", runs, count)
	}
	if err := runCollProgram(t.Context(), cores, []int{0, 1, 2}, p, 2, all, log); err != nil {
		t.Fatal(err)
	}
	if runs != collAttempts+1 || all.states("smem")[near] != 1 {
		t.Errorf("%d runs, want one more, which was near", runs)
	}
}

func TestCollProgramThatAlwaysFails(t *testing.T) {
	m, cores := newMachine(t)
	m.move("4e-08")
	runs := 0
	p := collProgram{name: "x", group: "smem", run: func(context.Context, []int) ([]collPoint, error) {
		runs++
		return []collPoint{{cell: cell{"bcast", 8}, global: 1}}, nil // the other cells are missing
	}}
	err := runCollProgram(t.Context(), cores, []int{0, 1, 2}, p, 1, newCollResults(cores), nil)
	if err == nil || runs != collAttempts {
		t.Errorf("error %v after %d runs, want one after %d", err, runs, collAttempts)
	}
}
