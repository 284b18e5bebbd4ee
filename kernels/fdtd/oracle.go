package fdtd

// oracle is a reference implementation of the scheme in the package comment, on a window of the
// grid: whole fields, H before E, without blocks, vectors or threads. Its fields include one layer
// of points around the window: point (i, j) of the grid lies at [j-y+1][i-x+1].
type oracle[T Real] struct {
	p         Problem
	block     // the window
	c         T
	e, hx, hy [][]T
}

// newOracle returns the oracle of a window, with all fields 0. Ez outside of the window stays 0.
// Where the border of the window is not a wall, points within n points of it are wrong after n
// steps.
func newOracle[T Real](p Problem, window block) *oracle[T] {
	field := func() [][]T {
		rows, all := make([][]T, window.ny+2), make([]T, (window.nx+2)*(window.ny+2))
		for j := range rows {
			rows[j], all = all[:window.nx+2], all[window.nx+2:]
		}
		return rows
	}
	return &oracle[T]{p: p, block: window, c: T(p.Courant), e: field(), hx: field(), hy: field()}
}

// whole returns the window that covers the grid.
func whole(p Problem) block { return block{0, 0, p.NX, p.NY} }

// scatter fills all fields with distinct pseudorandom numbers.
func (o *oracle[T]) scatter() {
	for j := 0; j <= o.ny; j++ {
		for i := 0; i <= o.nx; i++ {
			x, y := o.x+i-1, o.y+j-1
			if j > 0 && i > 0 {
				o.e[j][i] = scattered[T](o.p, x, y, 0)
			}
			if i > 0 {
				o.hx[j][i] = scattered[T](o.p, x, y, 1)
			}
			if j > 0 {
				o.hy[j][i] = scattered[T](o.p, x, y, 2)
			}
		}
	}
}

// advance does step n, with the wavelet w.
func (o *oracle[T]) advance(w T) {
	for j := 0; j <= o.ny; j++ {
		e, above, hx, hy := o.e[j], o.e[min(j+1, o.ny+1)], o.hx[j], o.hy[j]
		for i := 0; i <= o.nx; i++ {
			if i > 0 {
				d := o.c * (e[i] - above[i])
				hx[i] += T(d)
			}
			if j > 0 {
				d := o.c * (e[i+1] - e[i])
				hy[i] += T(d)
			}
		}
	}
	for j := 1; j <= o.ny; j++ {
		e, hx, below, hy := o.e[j], o.hx[j], o.hx[j-1], o.hy[j]
		for i := 1; i <= o.nx; i++ {
			d := o.c * ((hy[i] - hy[i-1]) - (hx[i] - below[i]))
			e[i] += T(d)
		}
	}
	if s := o.p.Source; o.has(s.X, s.Y) {
		o.e[s.Y-o.y+1][s.X-o.x+1] += w
	}
}

// digest returns the value of Solver.Digest for the same fields, if the window is the grid.
func (o *oracle[T]) digest() uint64 {
	sum := uint64(0)
	for k, f := range [][][]T{o.e, o.hx, o.hy} {
		for j, row := range f[1 : o.ny+1] {
			sum += digestRow(o.p, k, o.x, o.y+j, row[1:o.nx+1])
		}
	}
	return sum
}

// scattered returns a pseudorandom number between -1 and 1 for point (x, y) of a field: 24 bits of
// a hash (the finaliser of splitmix64), which both precisions represent exactly.
func scattered[T Real](p Problem, x, y, field int) T {
	z := uint64(3*((y+1)*(p.NX+2)+x+1)+field+1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return T(int64(z>>40)-1<<23) / (1 << 23)
}
