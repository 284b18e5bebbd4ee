package simd

// A Box is the part of a three-dimensional grid on which a kernel works. The grid is stored as rows
// along x: the box has N points from index At on in each of Rows rows, Y elements apart;
// the planes below and above are Z elements away.
type Box struct{ At, N, Rows, Y, Z int }

// reach returns the first and last index that a stencil of 27 points around the
// box touches when it works with registers of four numbers.
func (b Box) reach() (first, last int) {
	return b.At - 4 - b.Y - b.Z, b.At + b.N + 3 + b.Rows*b.Y + b.Z
}

// within panics unless the stencil around the box stays in grids of n elements.
func (b Box) within(n int) {
	if first, last := b.reach(); b.N > 0 && b.Rows > 0 && (first < 0 || last >= n || b.Y < 0 || b.Z < 0) {
		panic("simd: a box reaches out of its grid")
	}
}

// Stencils holds the operators of a multigrid solver on grids of float64. C is a point, F the sum
// of its 6 neighbours across a face, E of the 12 across an edge and K of the 8 across a corner. The
// result differs from that of plain Go by rounding, at most 16 units in the last place of the sum
// of the magnitudes of all terms. Grids of one call have the same layout and do not overlap, except
// where stated. The three elements before and after those that a stencil needs must exist; their
// values do not matter. Nothing is allocated; a box that reaches out of a grid panics.
type Stencils struct {
	// Apply sets out = base + k[0] C + k[1] F + k[2] E + k[3] K of in. out may be base.
	Apply func(out, base, in []float64, b Box, k *[4]float64)
	// Restrict sets n points of coarse from index at on to 1/2 C + 1/4 F + 1/8 E +
	// 1/16 K of every second point of fine, the first of which is that at index
	// from; y and z are the distances of fine.
	Restrict func(coarse, fine []float64, at, from, n, y, z int)
	// Prolong adds interpolated values of coarse to 2n points of fine from index at on:
	// with m the mean of the four rows that begin at the indices in rows,
	// the points 2i and 2i+1 get (m[i]+m[i+1])/2 and m[i+1].
	Prolong func(fine, coarse []float64, at int, rows [4]int, n int)
	// Norm returns the sum of squares and the largest magnitude of a box.
	Norm func(r []float64, b Box) (squares, largest float64)
}

// cross holds the nine rows of a stencil: the middle one, the sums of the four beside
// it in y or z, and of the four beside it in both.
type cross struct{ c, s, n, b, t, sb, nb, st, nt []float64 }

func crossAt(u []float64, at, n, y, z int) cross {
	row := func(i int) []float64 { return u[i-1 : i+n+1] }
	return cross{c: row(at), s: row(at - y), n: row(at + y), b: row(at - z), t: row(at + z),
		sb: row(at - y - z), nb: row(at + y - z), st: row(at - y + z), nt: row(at + y + z)}
}

func (x *cross) faces(i int) float64 { return (x.s[i] + x.n[i]) + (x.b[i] + x.t[i]) }
func (x *cross) edges(i int) float64 { return (x.sb[i] + x.nb[i]) + (x.st[i] + x.nt[i]) }

func plainApply(out, base, in []float64, b Box, k *[4]float64) {
	b.within(min(len(out), len(base), len(in)))
	for j := range b.Rows {
		at := b.At + j*b.Y
		x := crossAt(in, at, b.N, b.Y, b.Z)
		column := func(i int) (g, h float64) {
			c, f, e := x.c[i], x.faces(i), x.edges(i)
			return k[0]*c + k[1]*f + k[2]*e, k[1]*c + k[2]*f + k[3]*e
		}
		_, before := column(0)
		g, h := column(1)
		to, from := out[at:at+b.N], base[at:at+b.N]
		for i := range to {
			next, after := column(i + 2)
			to[i] = from[i] + g + (before + after)
			before, g, h = h, next, after
		}
	}
}

func plainRestrict(coarse, fine []float64, at, from, n, y, z int) {
	Box{At: from, N: 2*n - 1, Rows: 1, Y: y, Z: z}.within(len(fine))
	if n <= 0 {
		return
	}
	x := crossAt(fine, from, 2*n-1, y, z)
	weigh := func(i int) float64 { return 0.5*x.c[i] + 0.25*x.faces(i) + 0.125*x.edges(i) }
	left := weigh(0)
	for i := range coarse[at : at+n] {
		right := weigh(2*i + 2)
		coarse[at+i] = weigh(2*i+1) + 0.5*(left+right)
		left = right
	}
}

func plainProlong(fine, coarse []float64, at int, rows [4]int, n int) {
	if n <= 0 {
		return
	}
	row := func(k int) []float64 { return coarse[rows[k] : rows[k]+n+1] }
	a, b, c, d := row(0), row(1), row(2), row(3)
	mean := func(i int) float64 { return 0.25 * ((a[i] + b[i]) + (c[i] + d[i])) }
	out := fine[at : at+2*n]
	left := mean(0)
	for i := range n {
		right := mean(i + 1)
		out[2*i] += 0.5 * (left + right)
		out[2*i+1] += right
		left = right
	}
}

func plainNorm(r []float64, b Box) (squares, largest float64) {
	for j := range b.Rows {
		at := b.At + j*b.Y
		for _, v := range r[at : at+b.N] {
			squares += v * v
			if v < 0 {
				v = -v
			}
			if v > largest {
				largest = v
			}
		}
	}
	return squares, largest
}
