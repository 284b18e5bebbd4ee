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
	Warning string `json:"warning,omitempty"` // why another table is not in force
	SIMD    string `json:"simd"`              // instruction set of the vector loops, or "none"
}

func collectives() Collective {
	table, warning := tune.Load("", nil)
	c := Collective{Table: table.Origin, Rules: len(table.Rules), SIMD: simd.Level()}
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
	p.line("table", fmt.Sprintf("%s, %s%s", c.Table, sweep.Count(c.Rules, "rule", "rules"), advice))
	if c.Warning != "" {
		p.line("", c.Warning)
	}
	p.line("vectors", simd.Describe())
}
