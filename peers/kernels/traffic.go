package main

import (
	"math"
	"math/bits"
)

// traffic is the minimum memory traffic and the working set of a run of a kernel.
type traffic struct {
	operations float64 // by NPB's formula
	bytes      float64 // of one run
	size       float64 // bytes that are walked through again and again
}

// trafficOf returns the traffic of a cell, or false for kernels that memory does not limit.
// docs/notes/npb.md derives the numbers.
func trafficOf(c cell) (traffic, bool) {
	switch c.kernel {
	case "cg":
		return cg(c.class, c.ranks)
	case "ft":
		return ft(c.class, c.ranks)
	case "is":
		return is(c.class, c.ranks)
	case "mg":
		return mg(c.class)
	}
	return traffic{}, false
}

// cg reads the matrix 26 times in each iteration: 12 bytes for each entry, or 10 if 16 bits suffice
// for the columns of a rank's block. Vectors stay in caches.
func cg(class string, ranks int) (traffic, bool) {
	size, ok := map[string]struct{ n, nonzer, niter, entries float64 }{
		"S": {1400, 7, 15, 78148}, "W": {7000, 8, 15, 508402}, "A": {14000, 11, 15, 1853104}, "B": {75000, 13, 75, 13708072},
	}[class]
	w, entry := size.nonzer*(size.nonzer+1), 12.0
	if l := bits.Len(uint(ranks)) - 1; math.Ceil(size.n/float64(int(1)<<(l-l/2))) <= 1<<16 {
		entry = 10
	}
	return traffic{
		operations: 2 * size.niter * size.n * (3 + w + 25*(5+w) + 3),
		bytes:      size.niter * 26 * entry * size.entries,
		size:       entry * size.entries,
	}, ok
}

// is reads the keys twice, for bucket sizes and for counting. Several ranks first sort them into
// buckets (read, write, and the read for ownership of a write), send them (the same), and read them
// once more.
func is(class string, ranks int) (traffic, bool) {
	bits, ok := map[string]int{"S": 16, "W": 20, "A": 23, "B": 25, "C": 27}[class]
	keys := float64(int64(1) << bits)
	t := traffic{operations: 10 * keys, bytes: 10 * 8 * keys, size: 4 * keys}
	if ranks > 1 {
		t.bytes, t.size = 10*32*keys, 12*keys
	}
	return t, ok
}
