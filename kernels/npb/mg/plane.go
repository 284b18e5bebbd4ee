package mg

import "gobench/internal/simd"

// chunk is the number of rows of a plane that are done at a time, so that their ends are still in
// the L1 cache when the periodic ghosts are set.
const chunk = 16

// apply sets rows [from, to) of plane z of out to base plus the stencil of in, and their ghosts
// along x if the rank has whole rows.
func (s *solver) apply(l *level, out, base, in []float64, weights *[4]float64, z, from, to int) {
	for y := from; y < to; y += chunk {
		rows := min(chunk, to-y)
		s.kernels.Apply(out, base, in, simd.Box{At: l.at(1, y, z), N: l.n[0], Rows: rows, Y: l.y, Z: l.z}, weights)
		l.wrapX(out, z, y, y+rows)
	}
}

// wrapX sets the periodic ghosts along x of rows [from, to) of a plane if ranks have whole rows.
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

// wrapY sets the periodic ghosts along y of a plane if ranks have whole planes.
func (l *level) wrapY(a []float64, z int) {
	if l.parts[1] > 1 {
		return
	}
	n := l.n[1]
	copy(a[l.at(0, 0, z):][:l.n[0]+2], a[l.at(0, n, z):])
	copy(a[l.at(0, n+1, z):][:l.n[0]+2], a[l.at(0, 1, z):])
}

// wrapZ sets the periodic ghosts along z if ranks have all planes.
func (l *level) wrapZ(a []float64) {
	if l.parts[2] > 1 {
		return
	}
	n := l.n[2]
	copy(a[:l.z], a[n*l.z:])
	copy(a[(n+1)*l.z:(n+2)*l.z], a[l.z:])
}

// prolong adds the interpolation of the level below to rows [first, end) of plane z of level k,
// including ghosts ("interp"). Index 2j of an axis is point j of the level below, 2j+1 lies half
// way to the next. Below the top, u is assumed to be zero before.
func (s *solver) prolong(k, z, first, end int) {
	fine, coarse, to, from := &s.level[k], &s.level[k-1], s.u[k], s.u[k-1]
	var shift [3]int // index in coarse of this rank's lower ghost
	if k-1 == s.gathered {
		for i := range shift {
			shift[i] = fine.first[i] / 2
		}
	}
	n := fine.n[0]
	low, high := z/2+shift[2], (z+1)/2+shift[2]
	for y := first; y < end; y++ {
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

// restrict sets the points of rows [from, to) of plane z of the level below k from the planes
// around 2z of k ("rprj3"), and their ghosts along x.
func (s *solver) restrict(k, z, from, to int) {
	fine := &s.level[k]
	coarse, out := s.below(k)
	for y := from; y < to; y++ {
		s.kernels.Restrict(out, s.r[k], coarse.at(1, y, z), fine.at(2, 2*y, 2*z), coarse.n[0], fine.y, fine.z)
	}
	coarse.wrapX(out, z, from, to)
}

// below returns the level and the array to which the residual of level k is restricted.
func (s *solver) below(k int) (*level, []float64) {
	if k-1 == s.gathered && s.gathered > 0 {
		return &s.staging, s.stage
	}
	return &s.level[k-1], s.r[k-1]
}

// base returns the right-hand side of level k: the charges at the top, else the residual that was
// restricted from the level above.
func (s *solver) base(k int) []float64 {
	if k == s.top() {
		return s.v
	}
	return s.r[k]
}
