package tune

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	"gobench/comm/coll"
	"gobench/comm/op"
	"gobench/comm/schedule"
	"gobench/internal/bench/state"
	"gobench/internal/micro/collective"
	"gobench/internal/record/series"
	"gobench/record"
)

// Case holds the selected algorithm for one operation, size and number of ranks over one transport.
type Case struct {
	Transport string
	Kind      schedule.Kind
	Uneven    bool // the vector form
	Ranks     int
	Size      int
	Best      Timing
	Default   Timing // of the default algorithm
	Chosen    coll.Choice
}

// block returns the size by which an algorithm is chosen.
func (c *Case) block() int { return collective.Block(c.Kind, c.Size, c.Ranks) }

// covers reports whether the case is of an operation over a transport.
func (c *Case) covers(transport string, kind schedule.Kind, uneven bool) bool {
	return c.Transport == transport && c.Kind == kind && c.Uneven == uneven
}

// unsized reports whether rules of the operation do not depend on the size, because a rank knows
// its own blocks only.
func (c *Case) unsized() bool { return c.Uneven && (c.Kind == schedule.Alltoall || c.Kind.Neighbors()) }

// Form returns the operation as benchmarks name it, by which vector forms sort behind the others.
func (c *Case) Form() string { return collective.Form{Kind: c.Kind, Uneven: c.Uneven}.Benchmark().Name }

// Timing is the time of one algorithm, in seconds.
type Timing struct {
	Choice coll.Choice
	Time   record.Value

	launches int
}

// Choose groups the points of all launches of each command by case and selects an algorithm for
// each case: one for all sizes where rules do not depend on it, the default where several would be
// best. The cases are sorted by transport, operation, ranks and size. No two commands have the same
// cases.
func Choose(commands ...*record.File) []Case {
	var list []Case
	for _, c := range commands {
		var hosts []int // equal for all launches of a command
		if len(c.Runs) > 0 {
			hosts = c.Runs[0].Job.Hosts
		}
		list = append(list, chooseOn(hosts, c.Runs, c.Points)...)
	}
	slices.SortFunc(list, func(a, b Case) int {
		return cmp.Or(cmp.Compare(a.Transport, b.Transport), cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Form(), a.Form()), cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.Size, b.Size))
	})
	for sizes := range bySize(list) {
		first := sizes[0]
		if !first.unsized() {
			continue
		}
		if first.Default.Choice.Algorithm != nil && slices.ContainsFunc(sizes, func(c Case) bool { return c.Chosen.String() != first.Chosen.String() }) {
			first.Chosen = first.Default.Choice
		}
		for i := range sizes {
			sizes[i].Chosen = first.Chosen
		}
	}
	return list
}

// bySize yields the parts of a sorted list whose cases differ in size alone.
func bySize(list []Case) iter.Seq[[]Case] {
	return func(yield func([]Case) bool) {
		for i, j := 0, 0; i < len(list); i = j {
			for first := list[i]; j < len(list) && list[j].covers(first.Transport, first.Kind, first.Uneven) && list[j].Ranks == first.Ranks; j++ {
			}
			if !yield(list[i:j]) {
				return
			}
		}
	}
}

// chooseOn is Choose for one command. hosts holds the host of each rank, nil if all are on one.
func chooseOn(hosts []int, runs []record.Run, points []record.Point) []Case {
	found := map[Case]map[group][]Timing{}
	for _, p := range series.Rows(runs, points, &series.Scales{}) {
		form, ok := collective.Lookup(p.Bench)
		if !ok || form.NonBlocking {
			continue
		}
		choice, err := coll.ParseChoice(form.Kind, p.Algorithm)
		if err != nil || choice.Library { // tables do not select algorithms of a library
			continue
		}
		key := Case{Transport: p.Transport, Kind: form.Kind, Uneven: form.Uneven, Ranks: p.Ranks, Size: int(p.Size)}
		if found[key] == nil {
			found[key] = map[group][]Timing{}
		}
		in := group{state.Parse(p.State), p.Start}
		found[key][in] = append(found[key][in], Timing{choice, p.Metrics.Get("global_s"), p.Launches})
	}
	var list []Case
	for c, groups := range found {
		c.choose(groups, hosts)
		list = append(list, c)
	}
	return list
}

// A group holds times that can be compared: of one state of the cores and one kind of start, which
// may differ between launches because ranks that are late for announced starts fall back to a
// barrier.
type group struct {
	in    state.State
	start string
}

// choose selects the fastest algorithm that is significantly faster than the default, or else the
// default. Times are compared within the group with most launches, among the groups in which the
// default was measured. If it was not measured, the fastest algorithm is selected.
func (c *Case) choose(groups map[group][]Timing, hosts []int) {
	shape := schedule.Shape{Kind: c.Kind, Ranks: c.Ranks, Bytes: c.block(), Elem: 1, Hosts: coll.HostsOf(hosts, nil, c.Ranks)}
	if c.Kind.Reduces() {
		shape.Elem, shape.Commutative = op.Sum[float32]().Elem, true
	}
	if c.Uneven {
		shape.SendBlocks, shape.RecvBlocks = collective.EvenBlocks(c.Kind, c.Size, c.Ranks)
	}
	memory := false
	for _, list := range groups {
		memory = memory || slices.ContainsFunc(list, func(t Timing) bool { return t.Choice.Shared() })
	}
	usual := coll.Defaults().Choose(c.Transport, &shape, memory).String()
	var all []Timing
	largest := 0
	byState := func(a, b group) int { return cmp.Or(cmp.Compare(a.in, b.in), cmp.Compare(a.start, b.start)) }
	for _, one := range slices.SortedFunc(maps.Keys(groups), byState) {
		list, launches := groups[one], 0
		for _, t := range list {
			launches += t.launches
		}
		seen := slices.IndexFunc(list, func(t Timing) bool { return t.Choice.String() == usual })
		if seen >= 0 && (c.Default.Choice.Algorithm == nil || launches > largest) {
			all, largest, c.Default = list, launches, list[seen]
		} else if c.Default.Choice.Algorithm == nil && launches > largest {
			all, largest = list, launches
		}
	}
	slices.SortStableFunc(all, func(a, b Timing) int { return cmp.Compare(a.Time.Median, b.Time.Median) })
	c.Best = all[0]
	if c.Default.Choice.Algorithm == nil {
		c.Chosen = c.Best.Choice
		return
	}
	c.Chosen = c.Default.Choice
	for _, t := range all {
		if t.Time.Hi > 0 && t.Time.Hi < c.Default.Time.Lo { // both have intervals
			c.Chosen = t.Choice
			return
		}
	}
}

// Rules converts choices to rules of a table. A choice is valid up to the geometric mean of its
// size and the next measured size, the last one for all larger sizes, and up to the measured number
// of ranks. There are no rules for more ranks. Old rules stay for operations over transports
// without a case. Rules for unequal blocks alone are first, because others apply to these, too.
func Rules(list []Case, old []coll.Rule) []coll.Rule {
	var made []coll.Rule
	for sizes := range bySize(list) {
		made = append(made, rules(sizes)...)
	}
	for _, r := range old {
		if !slices.ContainsFunc(list, func(c Case) bool { return c.covers(r.Transport, r.Kind, r.Uneven) }) {
			made = append(made, r)
		}
	}
	slices.SortStableFunc(made, func(a, b coll.Rule) int {
		switch {
		case a.Uneven == b.Uneven:
			return 0
		case a.Uneven:
			return -1
		}
		return 1
	})
	return made
}

// rules returns the rules for one number of ranks.
func rules(sizes []Case) []coll.Rule {
	if sizes[0].unsized() {
		sizes = sizes[:1]
	}
	var made []coll.Rule
	for i, c := range sizes {
		r := coll.Rule{Transport: c.Transport, Kind: c.Kind, Uneven: c.Uneven, Ranks: c.Ranks, Choice: c.Chosen}
		if i+1 < len(sizes) {
			own, next := max(1, c.block()), max(1, sizes[i+1].block())
			if own == next {
				continue // a rule cannot tell sizes that are less than a byte for each rank
			}
			r.Bytes = int(math.Sqrt(float64(own) * float64(next)))
		}
		if n := len(made); n > 0 && made[n-1].Choice.String() == r.Choice.String() {
			made[n-1].Bytes = r.Bytes
			continue
		}
		made = append(made, r)
	}
	return made
}
