// Package profile holds what was measured to be fast on a machine: of each routine that has several
// implementations, which one. A Choice is the result of a trial (Try), a Profile the choices of one
// machine. The process that measures puts a profile in force before it opens a transport.
//
// The package knows no routine. Whoever has candidates tries them and reads the result by the name
// of the routine; a routine that the profile does not name keeps its usual implementation.
package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// A Choice is the implementation that was chosen for a routine.
type Choice struct {
	Routine string `toml:"routine" json:"routine"` // such as "smem near copy"
	Pick    string `toml:"pick" json:"pick"`       // in the words of the routine's owner
	// Spread is the interquartile range of the times of the chosen candidate relative to their
	// lower quartile: what else ran during the trial.
	Spread float64 `toml:"spread" json:"spread,omitempty"`
}

// A Profile holds the choices of one machine. A nil Profile is empty.
type Profile struct {
	Machine string   `json:"machine,omitempty"` // fingerprint; "" = any
	Choices []Choice `json:"choices,omitempty"`
}

// Pick returns the implementation of a routine, "" if the profile does not name one.
func (p *Profile) Pick(routine string) string {
	if p == nil {
		return ""
	}
	for _, c := range p.Choices {
		if c.Routine == routine {
			return c.Pick
		}
	}
	return ""
}

// Settled returns the implementation of a routine if its trial was undisturbed, else "".
func (p *Profile) Settled(routine string) string {
	if p == nil {
		return ""
	}
	for _, c := range p.Choices {
		if c.Routine == routine && c.Spread <= calm {
			return c.Pick
		}
	}
	return ""
}

// With returns a profile with further choices, which replace those for the same routines.
func (p *Profile) With(choices []Choice) *Profile {
	all := &Profile{}
	if p != nil {
		*all = Profile{p.Machine, slices.Clone(p.Choices)}
	}
	for _, c := range choices {
		if at := slices.IndexFunc(all.Choices, func(old Choice) bool { return old.Routine == c.Routine }); at >= 0 {
			all.Choices[at] = c
		} else {
			all.Choices = append(all.Choices, c)
		}
	}
	return all
}

// Improved returns With, but keeps a choice whose trial was undisturbed where the new one was
// disturbed.
func (p *Profile) Improved(choices []Choice) *Profile {
	all := p.With(choices)
	if p != nil {
		for _, old := range p.Choices {
			at := slices.IndexFunc(all.Choices, func(c Choice) bool { return c.Routine == old.Routine })
			if old.Spread <= calm && all.Choices[at].Spread > calm {
				all.Choices[at] = old
			}
		}
	}
	return all
}

// Hash identifies what the profile chose, without the times, in a few characters. It is "" of a
// profile without choices.
func (p *Profile) Hash() string {
	if p == nil || len(p.Choices) == 0 {
		return ""
	}
	var b strings.Builder
	for _, c := range p.Choices {
		fmt.Fprintf(&b, "%s=%s\n", c.Routine, c.Pick)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:6])
}

// calm is the greatest spread of an undisturbed trial.
const calm = 0.25

// Disturbed reports whether other work ran during most of the trials, so that they should be
// repeated. A single trial is disturbed often.
func (p *Profile) Disturbed() bool {
	if p == nil || len(p.Choices) == 0 {
		return false
	}
	spreads := make([]float64, 0, len(p.Choices))
	for _, c := range p.Choices {
		spreads = append(spreads, c.Spread)
	}
	slices.Sort(spreads)
	return spreads[len(spreads)/2] > calm
}

var inForce atomic.Pointer[Profile]

// Use puts a profile in force in this process, nil for none.
func Use(p *Profile) { inForce.Store(p) }

// InForce returns the profile in force, nil if there is none.
func InForce() *Profile { return inForce.Load() }
