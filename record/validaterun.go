package record

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Validate checks that a run has an identifier and its required facts, and returns an *InvalidError
// for the first missing field.
func (r *Run) Validate() error {
	bad := func(field, format string, args ...any) error {
		return &InvalidError{Cell: "run " + start(r.ID), Field: field, Rule: fmt.Sprintf(format, args...)}
	}
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"run", r.ID != ""}, {"time", !r.Time.IsZero() || r.Source != nil}, {"command", len(r.Command) > 0},
		{"job.launcher", r.Job.Launcher != ""}, {"job.ranks", r.Job.Ranks > 0},
	} {
		if !f.given {
			return bad(f.name, "must be given")
		}
	}
	for _, f := range []struct{ name, text string }{{"run", r.ID}, {"series", r.Series}, {"label", r.Label}, {"job.launcher", r.Job.Launcher}} {
		if len(f.text) > MaxName {
			return bad(f.name, "has %d bytes, must have at most %d", len(f.text), MaxName)
		}
	}
	if n := len(r.Job.Cores); n != 0 && n != r.Job.Ranks {
		return bad("job.cores", "has %d entries for %d ranks", n, r.Job.Ranks)
	}
	if n := len(r.Job.Hosts); n != 0 && n != r.Job.Ranks {
		return bad("job.hosts", "has %d entries for %d ranks", n, r.Job.Ranks)
	}
	for _, host := range r.Job.Hosts {
		if host < 0 || host >= len(r.Hosts) {
			return bad("job.hosts", "there is no host %d among %d", host, len(r.Hosts))
		}
	}
	for _, c := range r.Clocks {
		if c.Rank < 0 || c.Source == "" || !(c.Resolution > 0) || !(c.Cost > 0) {
			return bad("clocks", "rank %d: source %q, resolution %v s and cost %v s must be given", c.Rank, c.Source, c.Resolution, c.Cost)
		}
	}
	for _, n := range r.Noise {
		if n.Rank < 0 || n.Core < -1 || !(n.Duration > 0) || n.Detours < 0 || !(n.Lost >= 0 && n.Lost <= 1) || !(n.Waited >= 0 && n.Waited <= n.Lost) || !(n.Longest >= 0) {
			return bad("noise", "rank %d, core %d: %d detours in %v s, share %v, longest %v s", n.Rank, n.Core, n.Detours, n.Duration, n.Lost, n.Longest)
		}
	}
	if r.Program != nil && !object(r.Program) {
		return bad("program", "must be a JSON object")
	}
	if r.Source != nil {
		if rule := r.Source.check(); rule != "" {
			return bad("source", "%s", rule)
		}
	}
	for i, host := range r.Hosts {
		if !object(host) {
			return bad("hosts", "host %d must be a JSON object", i)
		}
	}
	return nil
}

// object reports whether v is encoded as a JSON object.
func object(v any) bool {
	if _, ok := v.(map[string]any); ok { // as read
		return true
	}
	b, err := json.Marshal(v)
	return err == nil && bytes.HasPrefix(b, []byte("{"))
}
