package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gobench/nearest"
	"gobench/record"
)

// Options select what is compared and which differences count.
type Options struct {
	// "" = file; else a factor of points ("transport", "options.copy") or of runs ("host",
	// "commit", "program.go")
	By      string
	Base    string  // value of By with which the others are compared; "" = the first that occurs
	Metric  string  // name or key; "" = the main one of each point
	Minimum float64 // smallest relative difference that counts; 0 = DefaultMinimum or GateMinimum; negative = any
	Alpha   float64 // probability of a false alarm; 0 = 0.05
	Floor   *Floor  // noise floor of this machine; nil = not known

	Gate           bool    // judge all cells together
	Detect         float64 // slowdown that a gate must be able to find; 0 = DefaultDetect
	Each           bool    // a gate must be able to find it in each cell, instead of half of them
	AcrossMachines bool    // a gate may compare different machines
	SelfTests      bool    // a gate may compare results of self-tests, to try it
}

// Defaults of Options. GateMinimum is the default of Minimum for a gate; DefaultDetect applies if
// 1.5 times Minimum is not greater.
const (
	DefaultMinimum = 0.02
	GateMinimum    = 0.10
	DefaultDetect  = 0.30
)

// byFile is the factor compared by default.
const byFile = "file"

func (o *Options) fill() error {
	o.By = cmp.Or(o.By, byFile)
	if o.Minimum == 0 {
		o.Minimum = DefaultMinimum
		if o.Gate {
			o.Minimum = GateMinimum
		}
	}
	o.Minimum = max(0, o.Minimum)
	o.Detect = cmp.Or(o.Detect, max(DefaultDetect, 1.5*o.Minimum))
	o.Alpha = cmp.Or(o.Alpha, 0.05)
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return fmt.Errorf("the probability of a false alarm is %v, want a value between 0 and 1", o.Alpha)
	}
	if o.Metric != "" {
		m, ok := record.Lookup(o.Metric)
		if !ok {
			return &nearest.UnknownError{What: "metric", Name: o.Metric, Known: strings.Split(record.Names(), ", "), Where: "gobench explain lists them"}
		}
		o.Metric = m.Key
	}
	return o.checkBy()
}

// checkBy resolves the name of the compared factor.
func (o *Options) checkBy() error {
	for _, f := range record.Factors {
		if slices.Contains(f.Aliases, o.By) {
			o.By = f.Name
		}
	}
	if full, ok := shortNames[o.By]; ok {
		o.By = full
	}
	for _, prefix := range []string{optionPrefix, "program.", "host.", tagPrefix} {
		if rest, ok := strings.CutPrefix(o.By, prefix); ok && rest != "" {
			return nil
		}
	}
	known := []string{byFile, "launcher", labelName}
	for _, f := range record.Factors {
		if f.Role != record.Outcome {
			known = append(known, f.Name)
		}
	}
	if slices.Contains(known, o.By) {
		return nil
	}
	for name := range shortNames {
		known = append(known, name)
	}
	slices.Sort(known)
	return &nearest.UnknownError{What: "factor", Name: o.By, Known: known, Where: "also options.NAME, program.NAME, host.NAME and tag.NAME"}
}

// byPoints reports whether the compared factor is one of points, of which a run may have several
// values.
func (o *Options) byPoints() bool {
	return record.LookupFactor(o.By) != nil || strings.HasPrefix(o.By, optionPrefix)
}
