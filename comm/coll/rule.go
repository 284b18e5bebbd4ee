package coll

import (
	"math"

	"gobench/comm/schedule"
)

// Rule says which algorithm does an operation up to a number of ranks and a
// size. 0 stands for any.
type Rule struct {
	Transport string // "" = any
	Kind      schedule.Kind
	Ranks     int // most ranks of the communicator
	Bytes     int // largest size: Shape.Bytes, of unequal blocks their mean
	Choice    Choice
}

// Table is a list of rules: the first that applies counts.
type Table struct {
	Rules  []Rule
	Origin string // "defaults", or the path of the file
}

// applies reports whether the rule is about a shape.
func (r *Rule) applies(transport string, s *schedule.Shape, bytes int) bool {
	return r.Kind == s.Kind && (r.Transport == "" || r.Transport == transport) &&
		(r.Ranks == 0 || s.Ranks <= r.Ranks) && (r.Bytes == 0 || bytes <= r.Bytes)
}

// choose returns the first choice that applies and fits, and after the rules the
// first algorithm of the catalogue that fits: there is one of messages for every shape.
// All ranks of a communicator come to the same result.
func (t *Table) choose(transport string, s *schedule.Shape, memory bool) Choice {
	bytes := measure(s)
	for i := range t.Rules {
		if r := &t.Rules[i]; r.applies(transport, s, bytes) && r.Choice.can(s, memory) {
			return r.Choice
		}
	}
	for _, a := range Of(s.Kind) {
		if c := (Choice{&a, a.Default}); c.can(s, memory) {
			return c
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
