package compare

import (
	"fmt"
	"slices"
	"strings"

	"gobench/bench/record"
	"gobench/internal/nearest"
)

// Options select what is compared and which differences count.
type Options struct {
	// "" = file; else a factor of points ("transport", "options.copy") or of runs ("host",
	// "commit", "program.go")
	By      string
	Base    string  // value of By with which the others are compared; "" = the first that occurs
	Metric  string  // name or key; "" = the main one of each point
	Minimum float64 // relative difference that matters; 0 = DefaultMinimum, of a gate GateMinimum; negative = none
	Alpha   float64 // chance of a false alarm; 0 = 0.05
	Floor   *Floor  // how much the occasions of this machine differ, nil = not known

	Gate           bool    // judge all cells together
	Detect         float64 // slowdown that a gate must be able to find; 0 = DefaultDetect
	AcrossMachines bool    // a gate may compare unlike machines
}

// DefaultMinimum is the default of the relative difference that matters, GateMinimum that of a
// gate, and DefaultDetect the slowdown that a gate must be able to detect.
const (
	DefaultMinimum = 0.02
	GateMinimum    = 0.10
	DefaultDetect  = 0.30
)

// byFile is the factor compared by default.
const byFile = "file"

func (o *Options) fill() error {
	if o.By == "" {
		o.By = byFile
	}
	if o.Minimum == 0 {
		o.Minimum = DefaultMinimum
		if o.Gate {
			o.Minimum = GateMinimum
		}
	}
	o.Minimum = max(0, o.Minimum)
	if o.Detect == 0 {
		o.Detect = max(DefaultDetect, 1.5*o.Minimum)
	}
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return fmt.Errorf("a chance of false alarms is between 0 and 1, not %v", o.Alpha)
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
	return &nearest.UnknownError{What: "factor", Name: o.By, Known: known, Where: "options.NAME, program.NAME, host.NAME and tag.NAME work too"}
}
