package figure

import (
	"fmt"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
)

// inequalities lists what the programs of a figure do not have in common although it is no factor,
// and whom that favours (docs/peers.md). of returns one clause, empty where the inequality does not
// apply. rivals holds the points of other programs.
var inequalities = []func(own, rivals []cell.Point) string{bySamples, byCongestion, byKernel}

// Unequal returns a sentence on what is not equal between gobench and the other programs that
// measured points; empty without other programs or differences.
func Unequal(points []cell.Point) string {
	isOwn := func(p cell.Point) bool { return p.Library == "" }
	if n := cell.Share(points, isOwn); n == 0 || n == cell.Records(points) {
		return ""
	}
	own, rivals := collect.If(points, isOwn), collect.If(points, func(p cell.Point) bool { return !isOwn(p) })
	clauses := collect.Each(inequalities, func(of func(own, rivals []cell.Point) string) string { return of(own, rivals) })
	clauses = collect.If(clauses, func(s string) bool { return s != "" })
	if len(clauses) == 0 {
		return ""
	}
	return "not equal: " + strings.Join(clauses, "; ")
}

// bySamples: samples of gobench are divided by the state of the cores while they were taken, as are
// samples of programs whose points have a share of the time.
func bySamples(own, rivals []cell.Point) string {
	whole := slices.DeleteFunc(cell.Every(rivals), func(p cell.Point) bool { return p.StateShare > 0 })
	if len(whole) == 0 || !slices.ContainsFunc(cell.Every(own), func(p cell.Point) bool { return p.StateShare > 0 && p.StateShare < 1 }) {
		return ""
	}
	return "the value of gobench is of the samples in the most frequent state of the cores, that of " + human.Enumerate(levelsOf(whole, cell.Library), "and") + " of all samples (favours gobench)"
}

// byCongestion: gobench sets the congestion control of its connections on one host, and so do the
// plain C programs; libraries use that of the system, unless their points say that it was set.
func byCongestion(own, rivals []cell.Point) string {
	set := ""
	for _, p := range own {
		if c := p.Options["congestion"]; c != "" && c != "system" {
			set = c
		}
	}
	if set == "" {
		return ""
	}
	var others []cell.Point
	system := ""
	for _, p := range cell.Every(rivals) {
		if strings.HasPrefix(p.Library, "C ") || p.Medium() == cell.Memory || p.Found["congestion"] == set {
			continue
		}
		for _, f := range p.Hosts() {
			if f.Congestion != "" && f.Congestion != set {
				system = f.Congestion
				others = append(others, p)
				break
			}
		}
	}
	if len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("the congestion control of gobench is %s, that of %s the system's, %s (may favour gobench)", set, human.Enumerate(levelsOf(others, cell.Library), "and"), system)
}

// byKernel: the equivalent C programs of kernels lack some of gobench's means.
func byKernel(_, rivals []cell.Point) string {
	in := func(bench string) bool {
		return slices.ContainsFunc(rivals, func(p cell.Point) bool {
			return p.Library == "C" && p.IsApplication() && (bench == "" || p.Bench == bench || strings.HasSuffix(p.Bench, "/"+bench))
		})
	}
	if !in("") {
		return ""
	}
	s := "C is compiled with -O3 -march=native, without -ffast-math and a vector library of mathematics"
	if in("ep") {
		s += ", so that EP has no vector logarithm"
	}
	if in("cg") {
		s += "; in CG an entry of its matrix takes 12 bytes, one of gobench 10"
	}
	return s + " (favours gobench)"
}
