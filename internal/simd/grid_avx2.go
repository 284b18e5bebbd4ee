//go:build goexperiment.simd && amd64 && !go1.27

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// A stencil of 27 points needs, for every point, the sums over the cross of rows
// around its own and the same sums one point before and after. Each sum is
// computed once, four points at a time, and moved sideways in registers.

func (s *Set) gridAVX2() {
	s.Grid = Stencils{Resid: residAVX2, Smooth: smoothAVX2, Restrict: restrictAVX2, Prolong: prolongAVX2, Norm: normAVX2}
}

// rows is the places of the nine rows of a stencil, for points in units of bytes.
type rows struct {
	c    unsafe.Pointer
	y, z int
}

func rowsAt(u []float64, at, y, z int) rows {
	return rows{unsafe.Pointer(&u[at]), 8 * y, 8 * z}
}

func (r rows) center(i int) archsimd.Float64x4 { return archsimd.LoadFloat64x4(at[[4]float64](r.c, i)) }

func (r rows) faces(i int) archsimd.Float64x4 {
	return archsimd.LoadFloat64x4(at[[4]float64](r.c, i-r.y)).
		Add(archsimd.LoadFloat64x4(at[[4]float64](r.c, i+r.y))).
		Add(archsimd.LoadFloat64x4(at[[4]float64](r.c, i-r.z)).
			Add(archsimd.LoadFloat64x4(at[[4]float64](r.c, i+r.z))))
}

func (r rows) edges(i int) archsimd.Float64x4 {
	return archsimd.LoadFloat64x4(at[[4]float64](r.c, i-r.y-r.z)).
		Add(archsimd.LoadFloat64x4(at[[4]float64](r.c, i+r.y-r.z))).
		Add(archsimd.LoadFloat64x4(at[[4]float64](r.c, i-r.y+r.z)).
			Add(archsimd.LoadFloat64x4(at[[4]float64](r.c, i+r.y+r.z))))
}

// one, oneFace and oneEdge are the same for a single point, in all lanes.
func (r rows) one(i int) archsimd.Float64x4 {
	return archsimd.BroadcastFloat64x4(*at[float64](r.c, i))
}

func (r rows) oneFace(i int) archsimd.Float64x4 {
	return archsimd.BroadcastFloat64x4((*at[float64](r.c, i-r.y) + *at[float64](r.c, i+r.y)) +
		(*at[float64](r.c, i-r.z) + *at[float64](r.c, i+r.z)))
}

func (r rows) oneEdge(i int) archsimd.Float64x4 {
	return archsimd.BroadcastFloat64x4((*at[float64](r.c, i-r.y-r.z) + *at[float64](r.c, i+r.y-r.z)) +
		(*at[float64](r.c, i-r.y+r.z) + *at[float64](r.c, i+r.y+r.z)))
}

// joint returns the two lanes either side of the border between two registers,
// from which the next two functions make registers moved by one point.
func joint(x, y archsimd.Float64x4) archsimd.Float64x4 { return x.Select128FromPair(1, 2, y) }

// before returns the points one before those in x; j is the joint with the register before it.
func before(j, x archsimd.Float64x4) archsimd.Float64x4 { return j.SelectFromPairGrouped(1, 2, x) }

// after returns the points one after those in x; j is the joint with the register after it.
func after(x, j archsimd.Float64x4) archsimd.Float64x4 { return x.SelectFromPairGrouped(1, 2, j) }

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
	zero := archsimd.BroadcastFloat64x4(0)
	a0 := zero.Sub(archsimd.BroadcastFloat64x4(a[0]))
	a1 := zero.Sub(archsimd.BroadcastFloat64x4(a[1]))
	a2 := zero.Sub(archsimd.BroadcastFloat64x4(a[2]))
	for k := range b.Rows {
		p := rowsAt(u, b.At+k*b.Y, b.Y, b.Z)
		pr, pv := unsafe.Pointer(&r[b.At+k*b.Y]), unsafe.Pointer(&v[b.At+k*b.Y])
		f, e := p.faces(0), p.edges(0)
		jf, je := joint(p.oneFace(-8), f), joint(p.oneEdge(-8), e)
		for i := 0; i < n; i += 32 {
			var nf, ne archsimd.Float64x4
			if i+32 < n {
				nf, ne = p.faces(i+32), p.edges(i+32)
			} else {
				nf, ne = p.oneFace(i+32), p.oneEdge(i+32)
			}
			kf, ke := joint(f, nf), joint(e, ne)
			edges := before(jf, f).Add(after(f, kf)).Add(e)
			corners := before(je, e).Add(after(e, ke))
			x := p.center(i).MulAdd(a0, archsimd.LoadFloat64x4(at[[4]float64](pv, i)))
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
	c0, c1, c2 := archsimd.BroadcastFloat64x4(c[0]), archsimd.BroadcastFloat64x4(c[1]), archsimd.BroadcastFloat64x4(c[2])
	for k := range b.Rows {
		p := rowsAt(r, b.At+k*b.Y, b.Y, b.Z)
		pu := unsafe.Pointer(&u[b.At+k*b.Y])
		x, f := p.center(0), p.faces(0)
		jx, jf := joint(p.one(-8), x), joint(p.oneFace(-8), f)
		for i := 0; i < n; i += 32 {
			var nx, nf archsimd.Float64x4
			if i+32 < n {
				nx, nf = p.center(i+32), p.faces(i+32)
			} else {
				nx, nf = p.one(i+32), p.oneFace(i+32)
			}
			kx, kf := joint(x, nx), joint(f, nf)
			faces := before(jx, x).Add(after(x, kx)).Add(f)
			edges := before(jf, f).Add(after(f, kf)).Add(p.edges(i))
			s := x.MulAdd(c0, archsimd.LoadFloat64x4(at[[4]float64](pu, i)))
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
