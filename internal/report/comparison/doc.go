// Package comparison prints the results of compare: as a table, as JSON Lines and CSV, as
// Markdown for a pull request, and as JUnit XML for continuous integration.
package comparison

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"gobench/compare"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/record"
)

// scale returns the unit in which a metric is printed and the factor from its base unit.
func scale(m record.Metric) (unit string, by float64) {
	switch m.Unit {
	case "s":
		return "usec", 1e6
	case "B/s":
		return "Mbytes/sec", 1e-6
	case "1/s", "op/s":
		return "M/sec", 1e-6
	case "B":
		return "MiB", 1.0 / (1 << 20)
	}
	return m.Unit, 1
}

// value formats a number with four significant digits.
func value(x, by float64) string {
	if x == 0 {
		return absent
	}
	x *= by
	digits := 3
	for limit := 10.0; limit <= x && digits > 0; limit *= 10 {
		digits--
	}
	if x < 1 {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// absent replaces missing numbers.
const absent = "-"

func ratio(x float64) string {
	if x == 0 {
		return absent
	}
	if x >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

// interval formats the 95 % interval; absent if there are too few launches for one.
func interval(r *compare.Row) string {
	if !r.HasInterval() {
		return absent
	}
	return ratio(r.Ratio.Lo) + ".." + ratio(r.Ratio.Hi)
}

func probability(r *compare.Row) string {
	switch {
	case r.Confidence == 0:
		return absent
	case r.Adjusted < 0.0001:
		return "<0.0001"
	}
	return strconv.FormatFloat(r.Adjusted, 'f', 4, 64)
}

// samples formats the numbers of launches of both sides.
func samples(r *compare.Row) string { return fmt.Sprintf("%d+%d", r.NA, r.NB) }

// verdict formats the verdict, with the reason if it is inconclusive.
func verdict(r *compare.Row) string {
	s := string(r.Verdict)
	if r.Verdict == compare.Unclear && r.Why != "" {
		s += ": " + r.Why
	}
	return s
}

// heading returns the factors of a cell without its size.
func heading(c compare.Cell) string {
	c.Factors = collect.If(c.Factors, func(f compare.Factor) bool { return f.Name != "size_B" })
	return c.String()
}

// size formats the message size of a cell, "" if sizes are compared or it is of an application.
func size(c compare.Cell) string {
	if c.Factor("size_B") == "" || c.Sample.Problem() != "" {
		return ""
	}
	return human.Size(c.Sample.Size)
}

// side returns the name of a side, or a substitute if its level of the factor is empty.
func side(name string) string {
	if name == "" {
		return "(none)"
	}
	return name
}

// labels returns short names of the sides: file names without directories if these are distinct.
func labels(r *compare.Result) map[string]string {
	short, long, taken := map[string]string{}, map[string]string{}, map[string]bool{}
	for _, s := range r.Sides {
		short[s.Name], long[s.Name] = filepath.Base(s.Name), side(s.Name)
		taken[short[s.Name]] = true
	}
	if r.By != "file" || len(taken) < len(r.Sides) || long[""] != "" {
		return long
	}
	return short
}

// tally returns a sentence with the numbers of verdicts.
func tally(r *compare.Result) string {
	var words []string
	for _, v := range []compare.Verdict{compare.Slower, compare.Faster, compare.Same, compare.Unclear} {
		if n := r.Count(v); n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, v))
		}
	}
	cells := human.Count(len(r.Rows), "cell", "cells")
	if len(words) == 0 {
		return cells
	}
	return cells + ": " + strings.Join(words, ", ")
}

// answer returns the decision of the gate and its power, "" without a gate.
func answer(r *compare.Result) string {
	if r.Gate == nil {
		return ""
	}
	s := fmt.Sprintf("gate: %s: %s", r.Gate.Conclusion, r.Gate.Why)
	if r.Gate.Power != "" {
		s += "; " + r.Gate.Power
	}
	return s
}
