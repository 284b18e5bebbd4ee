package compare

import (
	"fmt"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/record"
	"gobench/stats"
)

// A Verdict is the outcome of a comparison.
type Verdict string

const (
	Faster  Verdict = "faster"
	Slower  Verdict = "slower"
	Same    Verdict = "same"         // the difference is below the threshold
	Unclear Verdict = "inconclusive" // the data do not decide
)

// A Level names the kind of evidence for a row.
type Level string

const (
	Launches Level = "launches" // two or more of each side
	Single   Level = "launch"   // one of a side: there is a ratio, but no verdict
)

// A Result is the result of a comparison.
type Result struct {
	By       string // the factor that is compared: "file", "transport", "host"
	Sides    []Side // the first is the base, with which the others are compared
	Rows     []Row
	Missing  []Missing // cells that one of the sides lacks
	Warnings []string  // one sentence each
	Method   string    // one sentence for people
	Options  Options   // in force, with defaults
	Gate     *Gate     // nil if there are no Options.Gate

	// Correlation is the correlation of successive launches of one side, over all cells.
	Correlation float64

	// SameProgram reports that the programs of all launches have the same digest and By is no
	// factor of points, so that every difference is caused by the machine.
	SameProgram bool

	Failed []string // launches of the sources that failed, one sentence for each command

	nothing func() string              // nil if there are rows
	points  map[string][]*record.Point // by name of the side
	mixed   []string                   // a sentence for each side with launches of the base
	implied []string                   // a sentence for each side that differs in a factor that was not asked for
	foreign string                     // why Options.Floor is not used, a clause; "" = it is, or there is none
	times   string                     // clause with the times of the sides; "" = their launches alternate
}

// Nothing explains why there are no rows, and names the command that compares the results; "" if
// there are rows. It tries other comparisons, which takes time.
func (r *Result) Nothing() string {
	if r.nothing == nil {
		return ""
	}
	return r.nothing()
}

// Explained returns the warnings, and what Nothing explains.
func (r *Result) Explained() []string {
	if why := r.Nothing(); why != "" {
		return append(slices.Clip(r.Warnings), why)
	}
	return r.Warnings
}

// Points returns all points of a side in their order, as passed to Compare.
func (r *Result) Points(side string) []*record.Point { return r.points[side] }

// A Side is one of the compared sets of results.
type Side struct {
	Name     string
	Points   int
	Launches int      // runs
	Hosts    []string // names
}

// A Factor is one factor of a cell, by its name in the record.
type Factor struct{ Name, Value string }

// A Cell holds the factors that the sides of a row have in common.
type Cell struct {
	Factors []Factor      // those that have a value, in the order of the record
	Sample  *record.Point // any point of it, for numbers such as Size
}

// Label returns a short name, such as "bcast 1 KiB" or "cg A 4 ranks". Cells that differ only in
// other factors have the same.
func (c Cell) Label() string {
	p := c.Sample
	if problem := p.Problem(); problem != "" {
		return fmt.Sprintf("%s %s %d ranks", p.Bench, problem, p.Ranks)
	}
	return p.Bench + " " + human.Size(p.Size)
}

// Factor returns the value of a factor, "" if the cell lacks it.
func (c Cell) Factor(name string) string {
	for _, f := range c.Factors {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// String names a cell: benchmark, transport, size, then all factors that are not the default.
func (c Cell) String() string {
	var words []string
	for _, f := range c.Factors {
		switch f.Name {
		case "bench", "library", "transport", "level", "algorithm":
			words = append(words, f.Value)
		case "ranks", "class", "grid", "steps", "real":
			words = append(words, record.LookupFactor(f.Name).Say(c.Sample))
		case "size_B":
			if c.Sample.Problem() == "" {
				words = append(words, f.Value+" B")
			}
		case "options":
			words = append(words, f.Value)
		case "cache", "memory", "rank_kind":
			if f.Value != record.LookupFactor(f.Name).Default {
				words = append(words, f.Value)
			}
		default:
			words = append(words, f.Name+"="+f.Value)
		}
	}
	return strings.Join(words, " ")
}

// A Row is one cell compared between two sides.
type Row struct {
	Cell       Cell
	Metric     record.Metric
	Base, Side string // names of the sides

	A, B         stats.Interval // median of each side with its bounds, in the metric's unit
	NA, NB       int            // launches that count
	Duration     float64        // wall time of both sides of the cell in seconds, where it is known
	MeanA, MeanB bool           // the values of a side are means, as those of imported logs
	Level        Level

	Ratio      stats.Interval // B over A of the metric
	Confidence float64        // level of Ratio's interval, 0 = none
	P          float64        // two-sided; 0 = none
	Adjusted   float64        // after Holm over all rows of a gate; P where there is no gate

	// Widening is the factor by which the interval is wider than for alternating launches, 1 if
	// they alternate.
	Widening float64

	// Detectable is the relative slowdown that would have been detected in nine of ten cases, or
	// infinity.
	Detectable float64

	Threshold float64 // relative difference that counts: the declared minimum
	Verdict   Verdict
	Why       string   // reason of Unclear, a clause
	Remarks   []string // about points that were left out or scaled, a sentence each

	Apart  bool                 // the sides have no state of the cores in common
	sample *record.Point        // of the base
	other  *record.Point        // of the side
	a, b   []launch             // in the order of time
	shift  *stats.Shift         // of their values; nil = one launch of a side
	level  float64              // of Ratio's interval, as requested
	unlike []string             // facts in which the machines of the sides differ
	hidden map[string][2]string // values of factors that do not separate cells and differ
}

// HasInterval reports whether the bounds of Ratio are an interval of the level 1 - Options.Alpha.
// With two or three launches of each side they are the least and the greatest ratio instead.
func (r *Row) HasInterval() bool { return r.Confidence > 0 && r.Confidence > r.level-0.001 }

// Missing is a cell that a side lacks.
type Missing struct {
	Cell Cell
	Side string // without the cell
	In   string // side with the cell
}

// Count returns the number of rows with a verdict.
func (r *Result) Count(v Verdict) int {
	return len(collect.If(collect.Pointers(r.Rows), func(row *Row) bool { return row.Verdict == v }))
}
