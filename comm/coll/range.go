package coll

import "gobench/comm/schedule"

// A layout returns the memory of the block of a rank.
type layout func(rank int) schedule.Mem

// ranks returns the n ranks from first on, modulo p.
func ranks(first, n, p int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = (first + i) % p
	}
	return list
}

// sideBySide returns the blocks of some ranks as one piece of memory if they are contiguous in this
// order.
func sideBySide(at layout, list []int) (schedule.Mem, bool) {
	all := at(list[0])
	for _, rank := range list[1:] {
		next := at(rank)
		if next.Buffer != all.Buffer || next.Off != all.Off+all.Len {
			return schedule.Mem{}, false
		}
		all.Len += next.Len
	}
	return all, true
}

// scratchFor allocates scratch memory for the blocks of some ranks, side by side, which are as long
// as those of a layout, and returns it with its own layout.
func scratchFor(b *schedule.Builder, like layout, list []int) (schedule.Mem, layout) {
	n := 0
	offsets := make(map[int]int, len(list))
	for _, rank := range list {
		offsets[rank] = n
		n += like(rank).Len
	}
	all := b.Scratch(n)
	return all, func(rank int) schedule.Mem { return all.At(offsets[rank], like(rank).Len) }
}

// pack returns the blocks of some ranks as one piece of memory to be sent. Blocks that are not
// contiguous are copied to scratch memory.
func pack(b *schedule.Builder, at layout, list []int) schedule.Mem {
	if all, ok := sideBySide(at, list); ok {
		return all
	}
	all, staged := scratchFor(b, at, list)
	for _, rank := range list {
		b.Copy(staged(rank), at(rank))
	}
	return all
}

// landing returns one piece of memory into which the blocks of some ranks are received, and a
// function that emits the copies to their places.
func landing(b *schedule.Builder, at layout, list []int) (schedule.Mem, func()) {
	if all, ok := sideBySide(at, list); ok {
		return all, func() {}
	}
	all, staged := scratchFor(b, at, list)
	return all, func() {
		for _, rank := range list {
			b.Copy(at(rank), staged(rank))
		}
	}
}

// cut divides a vector into parts of whole elements, one for each of n, that differ
// by at most one element.
func cut(b *schedule.Builder, m schedule.Mem, n int) layout {
	elements := m.Len / b.Elem
	return func(i int) schedule.Mem {
		from, to := i*elements/n*b.Elem, (i+1)*elements/n*b.Elem
		return m.At(from, to-from)
	}
}

// segments cuts a vector into pieces of at most the given size in bytes, whole elements
// each. A vector of no bytes is one piece.
func segments(b *schedule.Builder, m schedule.Mem, bytes int) []schedule.Mem {
	step := max(1, bytes/b.Elem) * b.Elem
	var list []schedule.Mem
	for off := 0; off < m.Len; off += step {
		list = append(list, m.At(off, min(step, m.Len-off)))
	}
	if list == nil {
		list = append(list, m)
	}
	return list
}

// power returns the largest power of two that is at most n.
func power(n int) int {
	p := 1
	for p*2 <= n {
		p *= 2
	}
	return p
}

func isPower(n int) bool { return n == power(n) }
