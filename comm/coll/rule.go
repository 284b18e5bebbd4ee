package coll

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"strings"

	"gobench/comm/schedule"
	"gobench/device/profile"
)

// A Rule selects the algorithm of an operation up to a number of ranks and a size; 0 means no
// limit.
type Rule struct {
	Transport string // "" = any
	Kind      schedule.Kind
	Uneven    bool // for unequal blocks alone; else for these, too
	Ranks     int  // most ranks of the communicator
	Bytes     int  // largest size: Shape.Bytes, or the mean of unequal blocks (of neighbours: 0)
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
	return fmt.Sprintf("%s%s%s%s: %v", r.operation(), on, limit("ranks", r.Ranks), limit("bytes", r.Bytes), r.Choice)
}

// operation returns the name of the operation: "alltoall", or "alltoallv" for unequal blocks alone.
func (r Rule) operation() string {
	if r.Uneven {
		return r.Kind.String() + "v"
	}
	return r.Kind.String()
}

// A Table is an ordered list of rules. The first rule that applies, and whose algorithm fits, is
// used. A Table must not be modified while a Runner uses it.
type Table struct {
	Rules    []Rule
	Settings []Setting        // of transports, which callers apply; this package only keeps them
	Choices  []profile.Choice // of the profile of a machine, as Settings
	Origin   string           // "defaults", or the path of the file
	Made     Provenance       // of a file
}

// A Setting is the best value of an option of a transport, as gobench tune found it.
type Setting struct {
	Transport string `toml:"transport"`
	Option    string `toml:"option"`
	Value     string `toml:"value"`
}

// applies reports whether the rule covers a shape.
func (r *Rule) applies(transport string, s *schedule.Shape, bytes int) bool {
	return r.Kind == s.Kind && (!r.Uneven || !s.Uniform()) && (r.Transport == "" || r.Transport == transport) &&
		(r.Ranks == 0 || s.Ranks <= r.Ranks) && (r.Bytes == 0 || bytes <= r.Bytes)
}

// Choose returns the choice of the first rule that applies and fits: of this table, then of
// Defaults. If there is none it returns the first algorithm of the catalogue that fits, the
// simplest, or a Choice without Algorithm. memory reports whether the ranks share memory. The
// result is the same on all ranks of a communicator that have the same table.
func (t *Table) Choose(transport string, s *schedule.Shape, memory bool) Choice {
	bytes := measure(s)
	for r := range t.rules() {
		if r.applies(transport, s, bytes) && r.Choice.can(s, memory) {
			return r.Choice
		}
	}
	all := Of(s.Kind)
	for i := range all {
		if c := (Choice{&all[i], all[i].Default}); c.can(s, memory) {
			return c
		}
	}
	return Choice{}
}

// shares reports whether Choose returns an algorithm in shared memory for some size of an
// operation; none works on the uneven blocks of alltoallv. Rules after a message algorithm for all
// sizes are not reached.
func (t *Table) shares(transport string, s *schedule.Shape) bool {
	for r := range t.rules() {
		switch {
		case !r.applies(transport, s, 0):
		case r.Choice.share != nil && r.Choice.fits(s) == "":
			return true
		case r.Bytes == 0 && r.Choice.can(s, false):
			return false
		}
	}
	return false
}

// rules yields the rules of the table and of Defaults in the order in which they are tried.
func (t *Table) rules() iter.Seq[*Rule] {
	return func(yield func(*Rule) bool) {
		for _, list := range [][]Rule{t.Rules, Defaults().Rules} {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// can reports whether the choice can be used for a shape, given whether the ranks share memory.
func (c Choice) can(s *schedule.Shape, memory bool) bool {
	return (memory || c.share == nil) && !c.Library && c.fits(s) == ""
}

// measure returns the number of bytes by which algorithms are chosen. For an alltoall with unequal
// blocks it exceeds every rule with a size, because each rank knows only its own blocks and all
// ranks must choose the same algorithm.
func measure(s *schedule.Shape) int {
	switch {
	case s.Uniform() || s.Kind.Neighbors():
		return s.Bytes
	case s.Kind == schedule.Alltoall:
		return math.MaxInt
	}
	return s.Total() / s.Ranks
}

// table returns the table in force.
func (o *Options) table() *Table {
	if o.Table == nil {
		return Defaults()
	}
	return o.Table
}

// digest returns a number that is the same for Options that choose the same algorithms and check
// alike.
func (o *Options) digest() uint64 {
	var b strings.Builder
	for r := range o.table().rules() {
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
