package main

import (
	"fmt"
	"slices"
	"strings"
)

// kind is a number that a round gives for a cell.
type kind int

const (
	goRate    kind = iota // Mop/s
	cRate                 // Mop/s
	bandwidth             // bytes per second, for as much memory
	bound                 // Mop/s that this bandwidth allows
	native                // Mop/s of NPB itself, with the first MPI; that with the next one follows
)

// measured holds the numbers of all rounds.
type measured map[cell]map[kind][]float64

func (m measured) add(c cell, k kind, v float64) {
	if m[c] == nil {
		m[c] = map[kind][]float64{}
	}
	m[c][k] = append(m[c][k], v)
}

// median of the rounds, 0 where there are none.
func (m measured) median(c cell, k kind) float64 {
	sorted := slices.Sorted(slices.Values(m[c][k]))
	if len(sorted) == 0 {
		return 0
	}
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// best is the greatest median of NPB itself, whichever MPI it is with.
func (m measured) best(c cell) float64 {
	best := 0.0
	for k := range m[c] {
		if k >= native {
			best = max(best, m.median(c, k))
		}
	}
	return best
}

// references are the rates of NPB 3.4 in Fortran and C (gfortran and gcc -O3
// -march=native, the better one of Open MPI and MPICH) on another machine: 4 virtual
// processors of a Zen 4.
var references = map[cell]float64{
	{"cg", "A", 1}: 1950, {"cg", "A", 4}: 6600, {"cg", "B", 4}: 5600,
	{"ep", "A", 1}: 139, {"ep", "A", 4}: 523, {"ep", "B", 4}: 535,
	{"ft", "A", 1}: 4250, {"ft", "A", 4}: 11750, {"ft", "B", 4}: 14500,
	{"is", "A", 1}: 344, {"is", "A", 4}: 880, {"is", "B", 4}: 990,
	{"mg", "A", 1}: 5375, {"mg", "A", 4}: 15100, {"mg", "B", 4}: 17900,
}

// table draws the medians, one line for a cell.
func (m measured) table(cells []cell) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#kernel class ranks  gobench  C -O3    ratio  memory   bound    share  NPB      ratio  NPB 3.4\n")
	fmt.Fprintf(&b, "#                    Mop/s    Mop/s           GB/s     Mop/s           Mop/s           Mop/s, Zen 4\n")
	for _, c := range cells {
		ours, twin, memory, most := m.median(c, goRate), m.median(c, cRate), m.median(c, bandwidth), m.median(c, bound)
		official := m.best(c)
		fmt.Fprintf(&b, "%-7s %-5s %5d  %-8.1f %-8s %-6s %-8s %-8s %-6s %-8s %-6s %s\n", c.kernel, c.class, c.ranks, ours,
			number("%.1f", twin), number("%.2f", over(ours, twin)), number("%.1f", memory/1e9), number("%.0f", most),
			number("%.2f", over(ours, most)), number("%.1f", official), number("%.2f", over(ours, official)), number("%.0f", references[c]))
	}
	b.WriteString("# medians of the rounds; Mcell/s instead of Mop/s for fdtd; ratio = gobench / C, and gobench / NPB with the better MPI (-npb); bound = what the memory, measured in the same rounds with as many bytes, allows; share = gobench / bound\n")
	return b.String()
}

func number(format string, v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

func over(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
