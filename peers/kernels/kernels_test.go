package main

import (
	"bytes"
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
	table := m.table([]cell{c, {"ep", "A", 2}})
	for _, want := range []string{
		"cg      A         1  2000.0   1000.0   2.00   20.0     4000     0.50   1950\n",
		"ep      A         2  0.0      -        -      -        -        -      -\n",
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
