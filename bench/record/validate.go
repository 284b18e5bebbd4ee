package record

import (
	"fmt"
	"math"
	"slices"
)

// Validate checks the invariants of a point and returns an *InvalidError for the first violation.
// The Writer does not write, and Read does not return, invalid points.
func (p *Point) Validate() error {
	bad := func(field, format string, args ...any) error {
		return &InvalidError{Cell: p.cell(), Field: field, Rule: fmt.Sprintf(format, args...)}
	}
	if p.Time.IsZero() {
		return bad("time", "must be given")
	}
	for i := range Factors {
		if f := &Factors[i]; f.form != fixed {
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
	if len(p.Metrics) == 0 {
		return bad("metrics", "a point has at least one metric")
	}
	for key, v := range p.Metrics {
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

// check returns the rule that the field of a point breaks, or "".
func (f *Factor) check(p *Point) string {
	v := f.value(p)
	switch f.form {
	case text:
		if s := v.String(); s == "" && f.required {
			return "must be given"
		} else if s != "" && f.values != nil && !slices.Contains(f.values, s) {
			return fmt.Sprintf("is %q, must be one of %q", s, f.values)
		}
	case count, positive:
		least := int64(0)
		if f.form == positive && f.required {
			least = 1
		}
		if n := v.Int(); n < least {
			return fmt.Sprintf("is %d, must be at least %d", n, least)
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
	return fmt.Sprintf("%s %s %s %d B", p.Bench, p.Transport, p.Level, p.Size)
}
