package record

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Role says what a field of a point means where points are matched.
type Role int

const (
	// Asked separates cells: what was asked for.
	Asked Role = iota
	// Chosen separates cells only where one side has several values of it, as where
	// algorithms are compared inside of a file. Else it is hidden.
	Chosen
	// Hidden does not separate cells; the sides are warned of where they differ.
	Hidden
	// Outcome came out of a measurement, or is of no matter.
	Outcome
)

// Factor is one field of a point by its name in JSON.
type Factor struct {
	Name string
	Role Role
	Text func(p *Point) string // nil for outcomes
}

// Factors are all fields of a point. A test holds that none is missing. It is never written to.
var Factors = []Factor{
	{"bench", Asked, func(p *Point) string { return p.Bench }},
	{"library", Asked, func(p *Point) string { return p.Library }},
	{"transport", Asked, func(p *Point) string { return p.Transport }},
	{"level", Asked, func(p *Point) string { return p.Level }},
	{"size_B", Asked, func(p *Point) string { return strconv.FormatInt(p.Size, 10) }},
	{"ranks", Asked, func(p *Point) string { return strconv.Itoa(p.Ranks) }},
	{"class", Asked, func(p *Point) string { return p.Class }},
	{"threads", Asked, func(p *Point) string { return countText(p.Threads, 0) }},
	{"copies", Asked, func(p *Point) string { return countText(p.Copies, 0) }},
	{"groups", Asked, func(p *Point) string { return countText(p.Groups, 1) }},
	{"rank_kind", Asked, func(p *Point) string { return p.RankKind }},
	{"cache", Asked, func(p *Point) string { return p.Cache }},
	{"memory", Asked, func(p *Point) string { return p.Memory }},
	{"window", Asked, func(p *Point) string { return countText(p.Window, 0) }},
	{"root", Asked, func(p *Point) string { return p.Root }},
	{"in_place", Asked, func(p *Point) string {
		if p.InPlace {
			return "true"
		}
		return ""
	}},
	{"arrival_skew", Asked, func(p *Point) string { return p.Skew }},
	{"check", Asked, func(p *Point) string { return p.Check }},

	// Quick transports time small messages together, slow ones do not: they are still compared.
	{"batched", Asked, func(p *Point) string { return countText(p.Batched, 1) }},
	{"algorithm", Chosen, func(p *Point) string { return p.Algorithm }},
	{"start", Chosen, func(p *Point) string { return p.Start }},
	{"cores", Chosen, func(p *Point) string { return coresText(p.Cores) }},
	{"options", Chosen, func(p *Point) string { return OptionsText(p.Options) }},

	{"path", Hidden, func(p *Point) string { return p.Path }},
	{"clock_sync", Hidden, func(p *Point) string { return p.ClockSync }},
	{"precision", Hidden, func(p *Point) string {
		if p.Precision == 0 {
			return ""
		}
		return strconv.FormatFloat(100*p.Precision, 'g', 4, 64) + " %"
	}},

	{Name: "schema", Role: Outcome}, {Name: "kind", Role: Outcome}, {Name: "run", Role: Outcome}, {Name: "time", Role: Outcome},
	{Name: "amount_B", Role: Outcome}, {Name: "round", Role: Outcome}, {Name: "launches", Role: Outcome},
	{Name: "state_distance_s", Role: Outcome}, {Name: "state_share", Role: Outcome}, {Name: "steal", Role: Outcome}, {Name: "loop_s", Role: Outcome}, {Name: "interval_floor_s", Role: Outcome},
	{Name: "baseline", Role: Outcome}, {Name: "launch", Role: Outcome}, {Name: "block", Role: Outcome}, {Name: "seed", Role: Outcome},
	{Name: "sampling", Role: Outcome}, {Name: "iterations", Role: Outcome}, {Name: "warmup_dropped", Role: Outcome},
	{Name: "stopped", Role: Outcome}, {Name: "duration_s", Role: Outcome}, {Name: "clock_cost_s", Role: Outcome},
	{Name: "clock_error_s", Role: Outcome}, {Name: "invalid", Role: Outcome}, {Name: "checked", Role: Outcome},
	{Name: "memory_per_pair_B", Role: Outcome}, {Name: "distance_before_s", Role: Outcome}, {Name: "distance_after_s", Role: Outcome},
	{Name: "distance_least_s", Role: Outcome}, {Name: "distance_most_s", Role: Outcome},
	{Name: "method", Role: Outcome}, {Name: "warnings", Role: Outcome},
}

// countText is the text of a count that is absent where it is small.
func countText(n, absent int) string {
	if n <= absent {
		return ""
	}
	return strconv.Itoa(n)
}

func coresText(list []int) string {
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

// OptionsText writes options of a transport in the order of their names.
func OptionsText(options map[string]string) string {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(options)) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(name + "=" + options[name])
	}
	return b.String()
}

// CellKey is equal for two points exactly when they were asked to measure the same in the
// same way: the points of several launches of one cell.
func (p *Point) CellKey() string {
	var b strings.Builder
	for _, f := range Factors {
		if f.Role == Asked || f.Role == Chosen {
			b.WriteString(f.Text(p))
			b.WriteByte(0)
		}
	}
	return b.String()
}
