package main

import "math"

// mg counts pairs of operators as one pass; gobench moves less by fusing all operators of a level.
// Arrays of the finest grid are traversed 11 times per cycle: correction and residual read and
// write u, read v, and write r including the read for ownership (5); smoother and residual read r,
// read and write u, read v and write r (5); the restriction reads r (1). The next level, with
// arrays of an eighth of the size, is traversed ten times (the zero u is not read); lower levels
// stay in caches. A residual (4) and a norm precede the first cycle, a norm follows the last.
func mg(class string) (traffic, bool) {
	size, ok := map[string]struct{ n, niter float64 }{"S": {32, 4}, "W": {128, 4}, "A": {256, 4}, "B": {256, 20}, "C": {512, 20}}[class]
	points := size.n * size.n * size.n
	return traffic{
		operations: 58 * size.niter * points,
		bytes:      8 * points * (size.niter*(11+10.0/8) + 6),
		size:       3 * 8 * points,
	}, ok
}

// ft traverses complex arrays five times for each transform: lines along z read one array and write
// another including the read for ownership; planes are read and written. The first transform
// generates its planes, which needs no read except for ownership. Several ranks send the array in
// between (read, write, read for ownership).
func ft(class string, ranks int) (traffic, bool) {
	size, ok := map[string]struct{ n, niter float64 }{
		"S": {1 << 18, 6}, "W": {1 << 19, 6}, "A": {1 << 23, 6}, "B": {1 << 25, 20}, "C": {1 << 27, 20},
	}[class]
	log := math.Log(size.n)
	t := traffic{
		operations: size.n * (14.8157 + 7.19641*log + (5.23518+7.21113*log)*size.niter),
		bytes:      16 * size.n * 5 * (size.niter + 1),
		size:       2 * 16 * size.n,
	}
	if ranks > 1 {
		t.bytes, t.size = 16*size.n*8*(size.niter+1), 3*16*size.n
	}
	return t, ok
}
