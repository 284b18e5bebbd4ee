package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	c := cell{"cg", "A", 1}
	m := measured{}
	for _, v := range []float64{3000, 1000, 2000} {
		m.add(c, goRate, v)
	}
	m.add(c, cRate, 1000)
	m.add(c, bandwidth, 20e9)
	m.add(c, bound, 4000)
	m.add(c, native, 1250)
	m.add(c, native+1, 1600)
	table := m.table([]cell{c, {"ep", "A", 2}})
	for _, want := range []string{
		"cg      A         1  2000.0   1000.0   2.00   20.0     4000     0.50   1600.0   1.25\n",
		"ep      A         2  0.0      -        -      -        -        -      -        -\n",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("there is no line %q in\n%s", want, table)
		}
	}
}

func TestFieldOfALine(t *testing.T) {
	out := []byte("kernel name=is class=A threads=1 seconds=0.25 mops=335.5 verified=1\n")
	if v, err := field(out, "mops"); v != 335.5 || err != nil {
		t.Errorf("mops is %v (%v), want 335.5", v, err)
	}
	if _, err := field(out, "gops"); err == nil {
		t.Error("a field that is not there is found")
	}
}

// A program stands in for mpirun, and prints what NPB does.
func TestNPBItself(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("launch", "#!/bin/sh\ncat \"$3\"\n")
	write("cg.A.x", " Mop/s total     =                  1950.25\n Verification    =               SUCCESSFUL\n")
	write("is.A.x", " Mop/s total     =                  1950.25\n Verification    =             UNSUCCESSFUL\n")
	l, err := parseLibrary(folder + "=" + folder + "/launch -n")
	if err != nil {
		t.Fatal(err)
	}
	m, c := measured{}, cell{"cg", "A", 4}
	if err := l.run(t.Context(), c, native, m); err != nil || m.best(c) != 1950.25 {
		t.Errorf("the rate is %v (%v), want 1950.25", m.best(c), err)
	}
	if err := l.run(t.Context(), cell{"is", "A", 4}, native, m); err == nil {
		t.Error("a run that is not verified has a rate")
	}
	if err := l.run(t.Context(), cell{"mg", "A", 4}, native, m); err != nil {
		t.Errorf("a kernel that was not built: %v", err)
	}
	if _, err := parseLibrary("bin"); err == nil {
		t.Error("a folder without a command is accepted")
	}
}

func TestUsage(t *testing.T) {
	var out, err bytes.Buffer
	if code := compare(t.Context(), []string{"-ranks=x"}, &out, &err); code != 2 || !strings.Contains(err.String(), "-ranks") {
		t.Errorf("exit code %d, %q", code, &err)
	}
}

// Memory cannot limit what is not known, and the more ranks the more traffic of IS.
func TestTraffic(t *testing.T) {
	if _, ok := trafficOf(cell{"ep", "A", 1}); ok {
		t.Error("EP is limited by memory")
	}
	one, _ := trafficOf(cell{"is", "A", 1})
	four, _ := trafficOf(cell{"is", "A", 4})
	if one.bytes >= four.bytes || one.operations != four.operations {
		t.Errorf("IS moves %v with 1 rank and %v with 4", one, four)
	}
}

func TestProblemOfFDTD(t *testing.T) {
	p, err := parseFDTD("400x300x20-double")
	if err != nil || p.bytes() != 48 || strings.Join(p.ours(2), " ") != "fdtd --grid=400x300 --steps=20 --real=double -n 2" {
		t.Errorf("%+v (%v) is run by %q", p, err, p.ours(2))
	}
	var out, stderr bytes.Buffer
	if code := compare(t.Context(), []string{"-fdtd=400x300"}, &out, &stderr); code != 2 || !strings.Contains(stderr.String(), "400x300") {
		t.Errorf("exit code %d, %q", code, &stderr)
	}
}
