package record

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Validate checks the invariants of a point and returns an *InvalidError for the first violation.
// The Writer does not write, and Read does not return, invalid points.
func (p *Point) Validate() error { return p.validate(nil) }

// validate is Validate for a point of which some fields equal those of a valid one: other marks the
// fields that may differ, nil = all.
func (p *Point) validate(other []bool) error {
	bad := func(field, format string, args ...any) error {
		return &InvalidError{Cell: p.cell(), Field: field, Rule: fmt.Sprintf(format, args...)}
	}
	if p.Time.IsZero() && p.Library == "" { // only logs of other programs may lack it
		return bad("time", "must be given")
	}
	if p.Iterations < 1 && p.Library == "" {
		return bad("iterations", "is %d, must be at least 1", p.Iterations)
	}
	for i := range Factors {
		if f := &Factors[i]; f.form != fixed && (other == nil || other[f.index]) {
			if rule := f.check(p); rule != "" {
				return bad(f.Name, "%s", rule)
			}
		}
	}
	if len(p.Cores) != 0 && len(p.Cores) != p.Ranks*max(1, p.Groups) {
		return bad("cores", "has %d entries for %d ranks", len(p.Cores), p.Ranks)
	}
	for _, core := range p.Cores {
		if core < -1 {
			return bad("cores", "core %d does not exist; -1 means not pinned", core)
		}
	}
	if p.Metrics.Len() == 0 {
		return bad("metrics", "a point has at least one metric")
	}
	for key, v := range p.Metrics.All() {
		m, ok := Lookup(key)
		if !ok || m.Key != key {
			return bad(key, "no such metric in the catalogue")
		}
		if p.Launches > 0 {
			v.Statistic = "" // of the values of the launches; the interval is between them
		}
		if rule := v.check(p.Batched > 1 || !m.Time(), m.Unit == "1"); rule != "" {
			return bad(key, "%s", rule)
		}
	}
	if field, rule := p.checkBandwidth(); rule != "" {
		return bad(field, "%s", rule)
	}
	return nil
}

// Bounds of records. They keep the memory and time of a report in proportion to its records, and
// numbers exact in every reader of JSON.
const (
	MaxName   = 1 << 10  // bytes of a name: a factor, a label, the name of an option
	maxText   = 64 << 10 // bytes of a sentence, or of the value of an option
	maxNumber = 1 << 53
)

// long lists the texts that are no names.
var long = []string{"method", "path", "route", "library_version", "map", "histogram"}

// check returns the rule that the field of a point breaks, or "".
func (f *Factor) check(p *Point) string {
	v := f.value(p)
	switch f.form {
	case text:
		limit := MaxName
		if slices.Contains(long, f.Name) {
			limit = maxText
		}
		if s := v.String(); s == "" && f.required {
			return "must be given"
		} else if len(s) > limit {
			return fmt.Sprintf("has %d bytes, must have at most %d", len(s), limit)
		} else if s != "" && f.values != nil && !slices.Contains(f.values, s) {
			return fmt.Sprintf("is %q, must be one of %q", s, f.values)
		}
	case count, positive:
		smallest := int64(0)
		if f.form == positive && f.required {
			smallest = 1
		}
		if n := v.Int(); n < smallest {
			return fmt.Sprintf("is %d, must be at least %d", n, smallest)
		} else if n > maxNumber {
			return fmt.Sprintf("is %d, must be at most %d", n, maxNumber)
		}
	case options:
		for name, value := range v.Interface().(map[string]string) {
			if len(name) > MaxName || len(value) > maxText {
				return fmt.Sprintf("has a name of %d and a value of %d bytes, must have at most %d and %d", len(name), len(value), MaxName, maxText)
			}
		}
	case counts:
		for name, n := range v.Interface().(map[string]uint64) {
			if len(name) > MaxName || n == 0 || n > maxNumber {
				return fmt.Sprintf("has %d for a name of %d bytes, must have 1 to %d and at most %d bytes", n, len(name), maxNumber, MaxName)
			}
		}
	case quantity, share:
		if x := v.Float(); !(x >= 0) || math.IsInf(x, 0) {
			return fmt.Sprintf("is %v, must be a finite number of at least 0", x)
		}
	}
	return ""
}

// cell names the point for messages.
func (p *Point) cell() string {
	return fmt.Sprintf("%s %s %s %d B", start(p.Bench), start(p.Transport), start(p.Level), p.Size)
}

// start returns a name for a message, shortened if it is very long.
func start(name string) string {
	const limit = 80
	if len(name) <= limit {
		return name
	}
	return strings.ToValidUTF8(name[:limit], "") + "…"
}
