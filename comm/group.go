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
