package comm

import (
	"fmt"
	"slices"
)

// A Group is an ordered set of ranks of the device, from which communicators are created. It is
// immutable: its methods return new groups.
type Group struct{ ranks []int }

// NewGroup returns a group of ranks of the device.
func NewGroup(ranks ...int) (Group, error) {
	for i, r := range ranks {
		if r < 0 {
			return Group{}, &ArgumentError{"group", fmt.Sprintf("rank number %d", i), r, "0 or more"}
		}
	}
	if err := distinct("group", ranks); err != nil {
		return Group{}, err
	}
	return Group{slices.Clone(ranks)}, nil
}

// Size returns the number of ranks.
func (g Group) Size() int { return len(g.ranks) }

// Ranks returns the ranks of the device, in the order of the group.
func (g Group) Ranks() []int { return slices.Clone(g.ranks) }

// Rank returns the position of a rank of the device in the group, or Undefined.
func (g Group) Rank(world int) int {
	if i := slices.Index(g.ranks, world); i >= 0 {
		return i
	}
	return Undefined
}

// Translate returns the positions in h of ranks of g: Undefined for those that are
// not in it, and ProcNull for ProcNull.
func (g Group) Translate(ranks []int, h Group) ([]int, error) {
	positions := make([]int, len(ranks))
	at := h.positions()
	for i, r := range ranks {
		if r == ProcNull {
			positions[i] = ProcNull
			continue
		}
		if err := g.check("translate", i, r); err != nil {
			return nil, err
		}
		position, in := at[g.ranks[r]]
		if !in {
			position = Undefined
		}
		positions[i] = position
	}
	return positions, nil
}

// A Comparison is the result of Group.Compare.
type Comparison int

const (
	Identical Comparison = iota // the same ranks in the same order
	Similar                     // the same ranks
	Unequal
)

func (c Comparison) String() string { return [...]string{"identical", "similar", "unequal"}[c] }

// Compare compares two groups.
func (g Group) Compare(h Group) Comparison {
	switch {
	case slices.Equal(g.ranks, h.ranks):
		return Identical
	case len(g.ranks) == len(h.ranks) && g.Difference(h).Size() == 0:
		return Similar
	}
	return Unequal
}

// positions returns the position of each rank of the device.
func (g Group) positions() map[int]int {
	at := make(map[int]int, len(g.ranks))
	for i, r := range g.ranks {
		at[r] = i
	}
	return at
}

// check checks a rank of the group, the i-th argument of the caller.
func (g Group) check(op string, i, rank int) error {
	if uint(rank) < uint(len(g.ranks)) {
		return nil
	}
	want := fmt.Sprintf("a rank in 0..%d", len(g.ranks)-1)
	if len(g.ranks) == 0 {
		want = "none, the group is empty"
	}
	return &ArgumentError{op, fmt.Sprintf("rank number %d", i), rank, want}
}

// distinct checks that no rank is given twice.
func distinct(op string, ranks []int) error {
	seen := make(map[int]bool, len(ranks))
	for i, r := range ranks {
		if seen[r] {
			return &ArgumentError{op, fmt.Sprintf("rank number %d", i), r, "a rank that was not given before"}
		}
		seen[r] = true
	}
	return nil
}

// Incl returns the group of the given ranks of g, in the given order.
func (g Group) Incl(ranks ...int) (Group, error) {
	if err := g.checkAll("incl", ranks); err != nil {
		return Group{}, err
	}
	chosen := make([]int, len(ranks))
	for i, r := range ranks {
		chosen[i] = g.ranks[r]
	}
	return Group{chosen}, nil
}

// Excl returns g without the given ranks.
func (g Group) Excl(ranks ...int) (Group, error) {
	if err := g.checkAll("excl", ranks); err != nil {
		return Group{}, err
	}
	out := make([]bool, len(g.ranks))
	for _, r := range ranks {
		out[r] = true
	}
	var rest []int
	for i, w := range g.ranks {
		if !out[i] {
			rest = append(rest, w)
		}
	}
	return Group{rest}, nil
}

// A Range lists the ranks First, First+Stride, ... up to Last. Stride may be negative.
type Range struct{ First, Last, Stride int }

// InclRange returns the group of the ranks of g in all ranges.
func (g Group) InclRange(ranges ...Range) (Group, error) {
	ranks, err := g.expand("inclrange", ranges)
	if err != nil {
		return Group{}, err
	}
	return g.Incl(ranks...)
}

// ExclRange returns g without the ranks in any range.
func (g Group) ExclRange(ranges ...Range) (Group, error) {
	ranks, err := g.expand("exclrange", ranges)
	if err != nil {
		return Group{}, err
	}
	return g.Excl(ranks...)
}

// expand lists the ranks of ranges. Bounds are checked first, so that the list
// is never longer than the group where no rank comes twice.
func (g Group) expand(op string, ranges []Range) ([]int, error) {
	var ranks []int
	for i, r := range ranges {
		if r.Stride == 0 {
			return nil, &ArgumentError{op, fmt.Sprintf("the stride of range number %d", i), 0, "another number"}
		}
		for _, end := range []int{r.First, r.Last} {
			if err := g.check(op, i, end); err != nil {
				return nil, err
			}
		}
		step := max(-len(g.ranks), min(r.Stride, len(g.ranks))) // a greater one goes out of range, too
		for k := r.First; step > 0 && k <= r.Last || step < 0 && k >= r.Last; k += step {
			ranks = append(ranks, k)
		}
	}
	return ranks, nil
}

func (g Group) checkAll(op string, ranks []int) error {
	for i, r := range ranks {
		if err := g.check(op, i, r); err != nil {
			return err
		}
	}
	return distinct(op, ranks)
}

// Union returns the ranks of g, followed by those of h that are not in g.
func (g Group) Union(h Group) Group {
	return Group{append(g.Ranks(), h.Difference(g).ranks...)}
}

// Intersection returns the ranks of g that are in h, in the order of g.
func (g Group) Intersection(h Group) Group { return g.filter(h, true) }

// Difference returns the ranks of g that are not in h, in the order of g.
func (g Group) Difference(h Group) Group { return g.filter(h, false) }

func (g Group) filter(h Group, in bool) Group {
	at := h.positions()
	var ranks []int
	for _, r := range g.ranks {
		if _, found := at[r]; found == in {
			ranks = append(ranks, r)
		}
	}
	return Group{ranks}
}
