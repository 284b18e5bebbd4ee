package main

import (
	"fmt"
	"slices"
	"strings"
)

// A kind is one of the numbers of a cell in a round.
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

// median returns the median over rounds, 0 without values.
func (m measured) median(c cell, k kind) float64 {
	sorted := slices.Sorted(slices.Values(m[c][k]))
	if len(sorted) == 0 {
		return 0
	}
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// best returns the highest median of NPB itself over all MPIs.
func (m measured) best(c cell) float64 {
	best := 0.0
	for k := range m[c] {
		if k >= native {
			best = max(best, m.median(c, k))
		}
	}
	return best
}

// table returns the medians, one line per cell.
func (m measured) table(cells []cell) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#kernel class ranks  gobench  C -O3    ratio  memory   bound    share  NPB      ratio\n")
	fmt.Fprintf(&b, "#                    Mop/s    Mop/s           GB/s     Mop/s           Mop/s\n")
	for _, c := range cells {
		ours, twin, memory, most := m.median(c, goRate), m.median(c, cRate), m.median(c, bandwidth), m.median(c, bound)
		official := m.best(c)
		fmt.Fprintf(&b, "%-7s %-5s %5d  %-8.1f %-8s %-6s %-8s %-8s %-6s %-8s %s\n", c.kernel, c.class, c.ranks, ours,
			number("%.1f", twin), number("%.2f", over(ours, twin)), number("%.1f", memory/1e9), number("%.0f", most),
			number("%.2f", over(ours, most)), number("%.1f", official), number("%.2f", over(ours, official)))
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
