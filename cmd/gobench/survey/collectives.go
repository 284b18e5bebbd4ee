package survey

import (
	"fmt"

	"gobench/bench/sweep"
	"gobench/comm/coll"
	"gobench/internal/simd"
	"gobench/micro/tune"
)

// Collective describes the table that selects algorithms of collectives.
type Collective struct {
	Table   string `json:"table"` // path, or "defaults"
	Rules   int    `json:"rules"`
	Options int    `json:"options,omitempty"` // options of transports in the table
	Warning string `json:"warning,omitempty"` // reason why another table is not used
	SIMD    string `json:"simd"`              // instruction set of the vector loops, or "none"
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
	has := sweep.Count(c.Rules, "rule", "rules")
	if c.Options > 0 {
		has += ", " + sweep.Count(c.Options, "option", "options") + " of transports"
	}
	p.line("table", fmt.Sprintf("%s, %s%s", c.Table, has, advice))
	if c.Warning != "" {
		p.line("", c.Warning)
	}
	p.line("vectors", simd.Describe())
}
