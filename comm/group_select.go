package comm

import "fmt"

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
