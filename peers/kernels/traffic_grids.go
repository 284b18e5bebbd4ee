package main

import "math"

// mg does operators two and two, which is what the bound is for: gobench moves less by
// doing all of a level at once. Arrays of the finest grid are walked through 11 times in a
// cycle: correction and residual together read and write u, read v and write r, which is
// read first (5); smoother and residual read r, read and write u, read v and write r (5);
// the restriction reads r (1). The level below, whose arrays are an eighth, is walked
// through ten times (the zero u is not read); those below it stay in caches. Before the
// first cycle there are a residual (4) and a norm, after the last a norm.
func mg(class string) (traffic, bool) {
	size, ok := map[string]struct{ n, niter float64 }{"S": {32, 4}, "W": {128, 4}, "A": {256, 4}, "B": {256, 20}, "C": {512, 20}}[class]
	points := size.n * size.n * size.n
	return traffic{
		operations: 58 * size.niter * points,
		bytes:      8 * points * (size.niter*(11+10.0/8) + 6),
		size:       3 * 8 * points,
	}, ok
}

// ft walks through arrays of complex numbers five times for every transform: lines
// along z read one and write another, which is read first; planes are read and
// written. The first transform makes its planes (no read of theirs is needed but
// the one that a write makes). Several ranks send the array in between (read,
// write and the read that a write makes).
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
