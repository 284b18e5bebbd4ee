package survey

import (
	"fmt"

	"gobench/comm/coll"
	"gobench/internal/experiment/tune"
	"gobench/internal/human"
	"gobench/internal/launch/host"
	"gobench/internal/profile"
	"gobench/internal/simd"
)

// Collective describes the table that selects algorithms of collectives.
type Collective struct {
	Table   string `json:"table"` // path, or "defaults"
	Rules   int    `json:"rules"`
	Options int    `json:"options,omitempty"` // options of transports in the table
	Warning string `json:"warning,omitempty"` // reason why another table is not used
	SIMD    string `json:"simd"`              // instruction set of the vector loops, or "none"
}

// Profile describes the profile of this machine.
type Profile struct {
	Path    string           `json:"path,omitempty"`
	Hash    string           `json:"hash,omitempty"` // "" = it has not been measured yet
	Choices []profile.Choice `json:"choices,omitempty"`
}

func storedProfile() Profile {
	path, p := tune.Stored(host.ProgramDigest())
	if p == nil {
		return Profile{Path: path}
	}
	return Profile{path, p.Hash(), p.Choices}
}

func (p *page) profile(of Profile) {
	if of.Hash == "" {
		p.line("profile", "none yet: the next command that measures makes it")
		return
	}
	p.line("profile", fmt.Sprintf("%s, in %s", of.Hash, of.Path))
	for _, c := range of.Choices {
		p.line("", c.Routine+": "+c.Pick)
	}
}

func collectives() Collective {
	table, warning := tune.Load("", nil)
	c := Collective{Table: table.Origin, Rules: len(table.Rules), Options: len(table.Settings), SIMD: simd.Level()}
	if warning != nil {
		c.Warning = warning.Error()
	}
	return c
}

func (p *page) collectives(c Collective) {
	advice := ""
	if c.Table == coll.Defaults().Origin {
		advice = " (gobench tune makes one for this machine)"
	}
	has := human.Count(c.Rules, "rule", "rules")
	if c.Options > 0 {
		has += ", " + human.Count(c.Options, "option", "options") + " of transports"
	}
	p.line("table", fmt.Sprintf("%s, %s%s", c.Table, has, advice))
	if c.Warning != "" {
		p.line("", c.Warning)
	}
	p.line("vectors", simd.Describe())
}
