package devicetest

import (
	"encoding/binary"
	"errors"
	"runtime"

	"gobench/device"
)

// regionRules test device.RegionAllocator. A device that does not implement it, or has no regions
// with its options, passes.
func regionRules() []rule {
	return []rule{
		{name: "puts and gets of a region", ranks: []int{2, 3}, run: putsAndGets},
		{name: "updates of a region", ranks: []int{2, 3}, run: updates},
	}
}

// region allocates n bytes of each rank, the ranks in reverse order, and returns the number of this
// rank in it. It returns nil if the device has no regions.
func (r *rank) region(n int) (g device.Region, me int) {
	a, ok := r.bare.(device.RegionAllocator)
	if !ok {
		return nil, 0
	}
	var ranks []int
	for rank := r.Size() - 1; rank >= 0; rank-- {
		ranks = append(ranks, rank)
	}
	g, err := a.AllocRegion(r.lastContext-1, ranks, n)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, 0
	}
	r.must(err, "allocating a region")
	if len(g.Bytes()) != n {
		r.fail("a region of %d bytes has %d", n, len(g.Bytes()))
	}
	return g, r.Size() - 1 - r.Rank()
}

// flush completes the operations on all ranks of a region.
func (r *rank) flush(g device.Region) {
	for target := range r.Size() {
		r.must(g.Flush(target), "flush of rank %d of a region", target)
	}
}

// putsAndGets writes a block of each rank to the memory of each other one, and reads it back.
func putsAndGets(r *rank) {
	lengths := []int{0, 1, 8, 61, 4 << 10, 64<<10 + 1, 1 << 20}
	longest := lengths[len(lengths)-1]
	g, me := r.region(r.Size() * longest)
	if g == nil {
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

// updates counts on the first rank of a region, by sums and by compare-and-swap, and combines
// several operators, each of which follows the one before.
func updates(r *rank) {
	const rounds, between, word = 60, 7, 8
	g, me := r.region((2 + r.Size()) * word)
	if g == nil {
		return
	}
	var kept [][]byte // until the region is flushed
	number := func(n uint64) []byte {
		kept = append(kept, binary.NativeEndian.AppendUint64(nil, n))
		return kept[len(kept)-1]
	}
	update := func(operator string, data, result []byte, target, index int) {
		r.must(g.Update(&device.Update{Operator: operator, Element: "int64", Data: data, Result: result}, target, index*word), "%s", operator)
	}
	sums, swaps := g.Offers("sum", "int64"), g.Offers(device.OpSwap, "int64")
	results, swapped := make([][]byte, rounds), make([]byte, word)
	for i := range results {
		if results[i] = make([]byte, word); sums {
			update("sum", number(1), results[i], 0, 0)
		}
		if swaps {
			for before, seen := uint64(0), uint64(1); seen != before; {
				before = seen
				update(device.OpSwap, binary.NativeEndian.AppendUint64(number(before), before+1), swapped, 0, 1)
				r.must(g.Flush(0), "flush")
				seen = binary.NativeEndian.Uint64(swapped)
			}
		}
		if i%between == 0 {
			r.must(g.Flush(0), "flush")
		}
	}
	if sums {
		update("sum", number(41), nil, 0, 2+me)
		update("sum", number(1), nil, 0, 2+me)
	}
	r.flush(g)
	runtime.KeepAlive(kept)
	for i := 1; sums && i < rounds; i++ {
		if before, now := binary.NativeEndian.Uint64(results[i-1]), binary.NativeEndian.Uint64(results[i]); now <= before {
			r.fail("sum %d found %d, and the one before %d", i, now, before)
		}
	}
	r.sync()
	for index := range 2 + r.Size() {
		want := uint64(r.Size() * rounds)
		if index > 1 {
			want = 42
		}
		if got := binary.NativeEndian.Uint64(g.Bytes()[index*word:]); me == 0 && (index == 1 && swaps || index != 1 && sums) && got != want {
			r.fail("integer %d is %d after updates, want %d", index, got, want)
		}
	}
	r.sync()
	r.must(g.Close(), "closing a region")
}
