package devicetest

import (
	"errors"
	"runtime"

	"gobench/device"
)

// regionRules test device.RegionAllocator. A device that does not implement it, or has no regions
// with its options, passes.
func regionRules() []rule {
	return []rule{
		{name: "puts and gets of a region", ranks: []int{2, 3}, run: putsAndGets},
		{name: "a region of all ranks or of none", ranks: []int{2, 3}, run: allOrNone},
	}
}

// region allocates n bytes of each rank, the ranks in reverse order, and returns the number of this
// rank in it. It returns nil if a rank has no regions.
func (r *rank) region(n int) (g device.Region, me int, err error) {
	var ranks []int
	for rank := r.Size() - 1; rank >= 0; rank-- {
		ranks = append(ranks, rank)
	}
	a, ok := r.bare.(device.RegionAllocator)
	if !r.agreed(ok && a.Regions(ranks)) {
		return nil, 0, nil
	}
	if g, err = a.AllocRegion(r.lastContext-1, ranks, n); errors.Is(err, errors.ErrUnsupported) {
		return nil, 0, nil
	}
	if err == nil && len(g.Bytes()) != n {
		r.fail("a region of %d bytes has %d", n, len(g.Bytes()))
	}
	return g, r.Size() - 1 - r.Rank(), err
}

// allOrNone allocates regions, which may fail on a rank.
func allOrNone(r *rank) {
	for range 10 {
		g, _, err := r.region(64)
		switch all := r.agreed(err == nil); {
		case !all && err == nil:
			r.fail("a region was allocated that another rank could not allocate")
		case g != nil && all:
			r.must(g.Close(), "closing a region")
		}
	}
}

// flush completes the operations on all ranks of a region.
func (r *rank) flush(g device.Region) {
	for target := range r.Size() {
		r.must(g.Flush(target), "flush of rank %d of a region", target)
	}
}

// deathInPuts kills a rank to whose memory others write. Without regions it dies all the same.
func deathInPuts(r *rank, victim int) {
	data := make([]byte, 1<<20)
	g, _, err := r.region(len(data))
	r.must(err, "allocating a region")
	target := r.Size() - 1 - victim
	for r.killVictim(victim); g != nil && err == nil; {
		if err = g.Put(data, target, 0); err == nil {
			err = g.Flush(target)
		}
	}
	if g != nil {
		r.lost(err, victim, "put")
	}
	r.checkLost(victim)
}

// putsAndGets writes a block of each rank to the memory of each other one, and reads it back.
func putsAndGets(r *rank) {
	lengths := []int{0, 1, 8, 61, 4 << 10, 64<<10 + 1, 1 << 20}
	longest := lengths[len(lengths)-1]
	g, me, err := r.region(r.Size() * longest)
	if r.must(err, "allocating a region"); g == nil {
		return
	}
	data := make([][]byte, r.Size())
	for i, length := range lengths {
		for target := range r.Size() {
			if data[target] = fill(make([]byte, length), key(me, target, i)); target != me {
				r.must(g.Put(data[target], target, me*longest), "put of %d bytes", length)
			}
		}
		r.flush(g)
		runtime.KeepAlive(data)
		r.sync()
		for source := range r.Size() {
			if source != me {
				r.check(g.Bytes()[source*longest:][:length], key(source, me, i), "what was put")
			}
		}
		for target := range r.Size() {
			source := (target + 1) % r.Size()
			if target == me {
				continue
			}
			got := newGuarded(length)
			r.must(g.Get(got.buf, target, source*longest), "get of %d bytes", length)
			r.must(g.Flush(target), "flush")
			r.check(got.buf, key(source, target, i), "what was got")
			r.intact(got)
		}
		r.sync()
	}
	r.must(g.Close(), "closing a region")
}
