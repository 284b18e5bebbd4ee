package compare

import (
	"strconv"
	"strings"

	"gobench/bench/record"
)

// role says what a field of a point means for matching cells.
type role int

const (
	// asked separates cells: what was asked for.
	asked role = iota
	// chosen separates cells only where one side has several values of it, as where
	// algorithms are compared inside of a file. Else it is hidden.
	chosen
	// hidden does not separate cells; the sides are warned of where they differ.
	hidden
	// outcome is what came out of a measurement, or of no matter.
	outcome
)

// factor is one field of a point by its name in JSON.
type factor struct {
	name string
	role role
	text func(p *record.Point) string // nil for outcomes
}

// factors are all fields of a point. A test holds that none is missing.
var factors = []factor{
	{"bench", asked, func(p *record.Point) string { return p.Bench }},
	{"library", asked, func(p *record.Point) string { return p.Library }},
	{"transport", asked, func(p *record.Point) string { return p.Transport }},
	{"level", asked, func(p *record.Point) string { return p.Level }},
	{"size_B", asked, func(p *record.Point) string { return strconv.FormatInt(p.Size, 10) }},
	{"ranks", asked, func(p *record.Point) string { return strconv.Itoa(p.Ranks) }},
	{"class", asked, func(p *record.Point) string { return p.Class }},
	{"threads", asked, func(p *record.Point) string { return number(p.Threads, 0) }},
	{"copies", asked, func(p *record.Point) string { return number(p.Copies, 0) }},
	{"groups", asked, func(p *record.Point) string { return number(p.Groups, 1) }},
	{"rank_kind", asked, func(p *record.Point) string { return p.RankKind }},
	{"cache", asked, func(p *record.Point) string { return p.Cache }},
	{"memory", asked, func(p *record.Point) string { return p.Memory }},
	{"window", asked, func(p *record.Point) string { return number(p.Window, 0) }},
	{"root", asked, func(p *record.Point) string { return p.Root }},
	{"in_place", asked, func(p *record.Point) string {
		if p.InPlace {
			return "true"
		}
		return ""
	}},
	{"arrival_skew", asked, func(p *record.Point) string { return p.Skew }},
	{"check", asked, func(p *record.Point) string { return p.Check }},

	{"algorithm", chosen, func(p *record.Point) string { return p.Algorithm }},
	{"start", chosen, func(p *record.Point) string { return p.Start }},
	{"options", chosen, func(p *record.Point) string { return options(p.Options, "") }},

	{"path", hidden, func(p *record.Point) string { return p.Path }},
	{"cores", hidden, func(p *record.Point) string { return cores(p.Cores) }},
	{"clock_sync", hidden, func(p *record.Point) string { return p.ClockSync }},
	{"precision", hidden, func(p *record.Point) string {
		if p.Precision == 0 {
			return ""
		}
		return strconv.FormatFloat(100*p.Precision, 'g', 4, 64) + " %"
	}},

	{name: "schema", role: outcome}, {name: "kind", role: outcome}, {name: "run", role: outcome}, {name: "time", role: outcome},
	{name: "batched", role: outcome}, {name: "amount_B", role: outcome},
	{name: "baseline", role: outcome}, {name: "launch", role: outcome}, {name: "block", role: outcome}, {name: "seed", role: outcome},
	{name: "sampling", role: outcome}, {name: "iterations", role: outcome}, {name: "warmup_dropped", role: outcome},
	{name: "stopped", role: outcome}, {name: "duration_s", role: outcome}, {name: "clock_cost_s", role: outcome},
	{name: "clock_error_s", role: outcome}, {name: "invalid", role: outcome}, {name: "checked", role: outcome},
	{name: "memory_per_pair_B", role: outcome}, {name: "distance_before_s", role: outcome}, {name: "distance_after_s", role: outcome},
	{name: "distance_least_s", role: outcome}, {name: "distance_most_s", role: outcome},
	{name: "method", role: outcome}, {name: "warnings", role: outcome},
}

// number is the text of a count that is absent where it is small.
func number(n, absent int) string {
	if n <= absent {
		return ""
	}
	return strconv.Itoa(n)
}

func cores(list []int) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	for i, core := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(core))
	}
	return b.String()
}

// optionPrefix begins the name of one option as a factor: "options.copy".
const optionPrefix = "options."

// pick returns the factors of a role, without the one that is compared.
func pick(r role, by string) []factor {
	var list []factor
	for _, f := range factors {
		if f.role == r && f.name != by {
			if name, ok := strings.CutPrefix(by, optionPrefix); ok && f.name == "options" {
				f.text = func(p *record.Point) string { return options(p.Options, name) }
			}
			list = append(list, f)
		}
	}
	return list
}
