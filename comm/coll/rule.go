package coll

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"gobench/comm/schedule"
)

// Rule says which algorithm does an operation up to a number of ranks and a
// size. 0 stands for any.
type Rule struct {
	Transport string // "" = any
	Kind      schedule.Kind
	Ranks     int // most ranks of the communicator
	Bytes     int // largest size: Shape.Bytes, of unequal blocks their mean; see measure
	Choice    Choice
}

func (r Rule) String() string {
	limit := func(what string, n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf(", at most %d %s", n, what)
	}
	on := ""
	if r.Transport != "" {
		on = " on " + r.Transport
	}
	return fmt.Sprintf("%v%s%s%s: %v", r.Kind, on, limit("ranks", r.Ranks), limit("bytes", r.Bytes), r.Choice)
}

// Table is a list of rules: the first counts that applies and whose algorithm can do the
// operation. A Table is not changed once a Runner has it.
type Table struct {
	Rules  []Rule
	Origin string // "defaults", or the path of the file
	Made   Made   // of a file
}

// applies reports whether the rule is about a shape.
func (r *Rule) applies(transport string, s *schedule.Shape, bytes int) bool {
	return r.Kind == s.Kind && (r.Transport == "" || r.Transport == transport) &&
		(r.Ranks == 0 || s.Ranks <= r.Ranks) && (r.Bytes == 0 || bytes <= r.Bytes)
}

// Choose returns the first choice that applies and fits: by the rules, then by
// the defaults, and in the end the first algorithm of the catalogue that fits, the
// simplest. memory says that there is shared memory. All ranks of a communicator
// come to the same result. It has no Algorithm where none fits.
func (t *Table) Choose(transport string, s *schedule.Shape, memory bool) Choice {
	if c := choose(t.Rules, transport, s, memory); c.Algorithm != nil {
		return c
	}
	if c := choose(Defaults().Rules, transport, s, memory); c.Algorithm != nil {
		return c
	}
	for _, a := range Of(s.Kind) {
		if c := (Choice{&a, a.Default}); c.can(s, memory) {
			return c
		}
	}
	return Choice{}
}

func choose(rules []Rule, transport string, s *schedule.Shape, memory bool) Choice {
	bytes := measure(s)
	for i := range rules {
		if r := &rules[i]; r.applies(transport, s, bytes) && r.Choice.can(s, memory) {
			return r.Choice
		}
	}
	return Choice{}
}

// can reports whether the choice can do a shape, in a communicator with shared
// memory or without.
func (c Choice) can(s *schedule.Shape, memory bool) bool {
	return (memory || c.Share == nil) && c.fits(s) == ""
}

// measure is the number of bytes by which algorithms are chosen. What a rank of
// an unequal alltoall sends is known to itself alone, and the ranks must choose alike:
// only rules without a size apply to it.
func measure(s *schedule.Shape) int {
	switch {
	case s.Uniform():
		return s.Bytes
	case s.Kind == schedule.Alltoall:
		return math.MaxInt
	}
	return s.Total() / s.Ranks
}

// Digest is a number that two Options have in common if they choose the same
// algorithms and check alike, which all ranks of a communicator must.
func (o *Options) Digest() uint64 {
	table := o.Table
	if table == nil {
		table = Defaults()
	}
	var b strings.Builder
	for _, r := range table.Rules {
		fmt.Fprintln(&b, r)
	}
	for kind, c := range o.Force {
		if c != nil {
			fmt.Fprintln(&b, schedule.Kind(kind), c)
		}
	}
	fmt.Fprintln(&b, o.Check)
	h := fnv.New64a()
	h.Write([]byte(b.String()))
	return h.Sum64()
}
