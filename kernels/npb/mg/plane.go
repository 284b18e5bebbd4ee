package mg

import "gobench/internal/simd"

// chunk is how many rows of a plane are done at a time, so that their ends are
// still in the nearest caches when the periodic ghosts are set.
const chunk = 16

// apply sets rows [from, to) of plane z of out to base + the stencil of in, and
// those ghosts along x of these rows that this rank has itself.
func (s *solver) apply(l *level, out, base, in []float64, weights *[4]float64, z, from, to int) {
	for y := from; y < to; y += chunk {
		rows := min(chunk, to-y)
		s.kernels.Apply(out, base, in, simd.Box{At: l.at(1, y, z), N: l.n[0], Rows: rows, Y: l.y, Z: l.z}, weights)
		l.wrapX(out, z, y, y+rows)
	}
}

// wrapX sets the ghosts along x of rows [from, to) of a plane where one rank has
// whole rows.
func (l *level) wrapX(a []float64, z, from, to int) {
	if l.parts[0] > 1 {
		return
	}
	n := l.n[0]
	for y := from; y < to; y++ {
		row := a[l.at(0, y, z):][:n+2]
		row[0], row[n+1] = row[n], row[1]
	}
}

// wrapY sets the ghosts along y of a plane where one rank has whole planes.
func (l *level) wrapY(a []float64, z int) {
	if l.parts[1] > 1 {
		return
	}
	n := l.n[1]
	copy(a[l.at(0, 0, z):][:l.n[0]+2], a[l.at(0, n, z):])
	copy(a[l.at(0, n+1, z):][:l.n[0]+2], a[l.at(0, 1, z):])
}

// wrapZ sets the ghosts along z where one rank has all planes.
func (l *level) wrapZ(a []float64) {
	if l.parts[2] > 1 {
		return
	}
	n := l.n[2]
	copy(a[:l.z], a[n*l.z:])
	copy(a[(n+1)*l.z:(n+2)*l.z], a[l.z:])
}

// prolong adds to plane z of level k, ghosts and all, what lies between the points of
// the level below ("interp"). Index 2j of an axis is point j of that, 2j+1 is half way
// to the next. Below the top u is taken to be zero before.
func (s *solver) prolong(k, z int) {
	fine, coarse, to, from := &s.level[k], &s.level[k-1], s.u[k], s.u[k-1]
	var shift [3]int // index in coarse of this rank's lower ghost
	if k-1 == s.gathered {
		for i := range shift {
			shift[i] = fine.first[i] / 2
		}
	}
	n := fine.n[0]
	low, high := z/2+shift[2], (z+1)/2+shift[2]
	for y := range fine.n[1] + 2 {
		south, north := y/2+shift[1], (y+1)/2+shift[1]
		rows := [4]int{
			coarse.at(shift[0], south, low), coarse.at(shift[0], north, low),
			coarse.at(shift[0], south, high), coarse.at(shift[0], north, high),
		}
		at := fine.at(0, y, z)
		row := to[at : at+n+2]
		if k < s.top() {
			clear(row)
		}
		s.kernels.Prolong(to, from, at+1, rows, n/2)
		mean := func(i int) float64 {
			return 0.25 * ((from[rows[0]+i] + from[rows[1]+i]) + (from[rows[2]+i] + from[rows[3]+i]))
		}
		row[0] += mean(0)
		row[n+1] += 0.5 * (mean(n/2) + mean(n/2+1))
	}
}

// restrict sets the points of rows [from, to) of plane z of the level below k from
// the planes around 2z of k ("rprj3"), and the ghosts in it.
func (s *solver) restrict(k, z, from, to int) {
	fine := &s.level[k]
	coarse, out := s.below(k)
	for y := from; y < to; y++ {
		s.kernels.Restrict(out, s.r[k], coarse.at(1, y, z), fine.at(2, 2*y, 2*z), coarse.n[0], fine.y, fine.z)
	}
	coarse.wrapX(out, z, from, to)
	coarse.wrapY(out, z)
}

// below returns the level and the array that the residual of level k is restricted to.
func (s *solver) below(k int) (*level, []float64) {
	if k-1 == s.gathered && s.gathered > 0 {
		return &s.staging, s.stage
	}
	return &s.level[k-1], s.r[k-1]
}

// base is what the residual of level k is taken from: the charges at the top, what
// the level above left below it.
func (s *solver) base(k int) []float64 {
	if k == s.top() {
		return s.v
	}
	return s.r[k]
}
