//go:build goexperiment.simd && amd64 && !go1.27

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// A stencil of 27 points needs, for every point, the sums over the cross of rows
// around its own and the same sums one point before and after. Each sum is
// computed once, four points at a time, and moved sideways in registers.
//
// While the upper halves of registers are in use, no scalar may be computed: Go
// does that by instructions of SSE, each of which costs some 70 ns then (Zen 3).

func (s *Set) gridAVX2() {
	s.Grid = Stencils{Resid: residAVX2, Smooth: smoothAVX2, Restrict: restrictAVX2, Prolong: prolongAVX2, Norm: normAVX2}
}

// rows is the places of the nine rows of a stencil: the middle ones of three
// planes, and the bytes to the next row. Go folds no address into a load of a
// register: three pointers and three indices need fewest instructions.
type rows struct {
	b, c, t unsafe.Pointer
	y       int
}

func rowsAt(u []float64, at, y, z int) rows {
	return rows{unsafe.Pointer(&u[at-z]), unsafe.Pointer(&u[at]), unsafe.Pointer(&u[at+z]), 8 * y}
}

func load(p unsafe.Pointer, i int) archsimd.Float64x4 {
	return archsimd.LoadFloat64x4(at[[4]float64](p, i))
}

// faces is the sum of four rows for four points: i is in bytes, s and n are one
// row before and after it.
func (r *rows) faces(s, i, n int) archsimd.Float64x4 {
	return load(r.c, s).Add(load(r.c, n)).Add(load(r.b, i).Add(load(r.t, i)))
}

func (r *rows) edges(s, n int) archsimd.Float64x4 {
	return load(r.b, s).Add(load(r.b, n)).Add(load(r.t, s).Add(load(r.t, n)))
}

// joint returns the two lanes either side of the border between two registers,
// from which the next two functions make registers moved by one point.
func joint(x, y archsimd.Float64x4) archsimd.Float64x4 { return x.Select128FromPair(1, 2, y) }

// before returns the points one before those in x; j is the joint with the register before it.
func before(j, x archsimd.Float64x4) archsimd.Float64x4 { return j.SelectFromPairGrouped(1, 2, x) }

// after returns the points one after those in x; j is the joint with the register after it.
func after(x, j archsimd.Float64x4) archsimd.Float64x4 { return x.SelectFromPairGrouped(1, 2, j) }

// spread puts each of three numbers into all lanes.
func spread(x, y, z float64) [3][4]float64 {
	return [3][4]float64{{x, x, x, x}, {y, y, y, y}, {z, z, z, z}}
}

// rest is what is left of a box whose first n points of every row are done.
func (b Box) rest(n int) Box {
	b.At, b.N = b.At+n, b.N-n
	return b
}

func residAVX2(r, v, u []float64, b Box, a *[3]float64) {
	b.within(min(len(r), len(v), len(u)))
	n := 8 * (b.N &^ 3)
	if n == 0 {
		plainResid(r, v, u, b, a)
		return
	}
	k := spread(-a[0], -a[1], -a[2])
	a0, a1, a2 := archsimd.LoadFloat64x4(&k[0]), archsimd.LoadFloat64x4(&k[1]), archsimd.LoadFloat64x4(&k[2])
	for j := range b.Rows {
		p := rowsAt(u, b.At+j*b.Y, b.Y, b.Z)
		pr, pv := unsafe.Pointer(&r[b.At+j*b.Y]), unsafe.Pointer(&v[b.At+j*b.Y])
		f, e := p.faces(-p.y, 0, p.y), p.edges(-p.y, p.y)
		jf := joint(p.faces(-32-p.y, -32, -32+p.y), f)
		je := joint(p.edges(-32-p.y, -32+p.y), e)
		south, north := 32-p.y, 32+p.y
		for i := 0; i < n; i += 32 {
			nf, ne := p.faces(south, i+32, north), p.edges(south, north)
			south, north = south+32, north+32
			kf, ke := joint(f, nf), joint(e, ne)
			edges := before(jf, f).Add(after(f, kf)).Add(e)
			corners := before(je, e).Add(after(e, ke))
			x := load(p.c, i).MulAdd(a0, load(pv, i))
			x = edges.MulAdd(a1, x)
			corners.MulAdd(a2, x).Store(at[[4]float64](pr, i))
			f, e, jf, je = nf, ne, kf, ke
		}
	}
	archsimd.ClearAVXUpperBits()
	if b.N&3 != 0 {
		plainResid(r, v, u, b.rest(n/8), a)
	}
}

func smoothAVX2(u, r []float64, b Box, c *[3]float64) {
	b.within(min(len(u), len(r)))
	n := 8 * (b.N &^ 3)
	if n == 0 {
		plainSmooth(u, r, b, c)
		return
	}
	k := spread(c[0], c[1], c[2])
	c0, c1, c2 := archsimd.LoadFloat64x4(&k[0]), archsimd.LoadFloat64x4(&k[1]), archsimd.LoadFloat64x4(&k[2])
	for j := range b.Rows {
		p := rowsAt(r, b.At+j*b.Y, b.Y, b.Z)
		pu := unsafe.Pointer(&u[b.At+j*b.Y])
		x, f := load(p.c, 0), p.faces(-p.y, 0, p.y)
		jx, jf := joint(load(p.c, -32), x), joint(p.faces(-32-p.y, -32, -32+p.y), f)
		south, north := -p.y, p.y
		for i := 0; i < n; i += 32 {
			edges := p.edges(south, north)
			south, north = south+32, north+32
			nx, nf := load(p.c, i+32), p.faces(south, i+32, north)
			kx, kf := joint(x, nx), joint(f, nf)
			faces := before(jx, x).Add(after(x, kx)).Add(f)
			edges = before(jf, f).Add(after(f, kf)).Add(edges)
			s := x.MulAdd(c0, load(pu, i))
			s = faces.MulAdd(c1, s)
			edges.MulAdd(c2, s).Store(at[[4]float64](pu, i))
			x, f, jx, jf = nx, nf, kx, kf
		}
	}
	archsimd.ClearAVXUpperBits()
	if b.N&3 != 0 {
		plainSmooth(u, r, b.rest(n/8), c)
	}
}
