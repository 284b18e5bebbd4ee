//go:build goexperiment.simd && amd64 && !go1.27

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// A stencil of 27 points is the sum of what the middle column of 9 points gives
// and of what the columns before and after it give, which are alike: two weighted
// sums per point, g and h, and the result is g + h before + h after. Both are
// computed once per point, for two rows at a time, which share half of their
// loads. A stretch of them stays in the nearest cache.
//
// While the upper halves of registers are in use, no scalar may be computed: Go
// does that by instructions of SSE, each of which costs some 70 ns then (Zen 3).

func (s *Set) gridAVX2() {
	s.Grid = Stencils{Apply: applyAVX2, Restrict: restrictAVX2, Prolong: prolongAVX2, Norm: normAVX2}
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

// joint returns the two lanes either side of the border between two registers.
func joint(x, y archsimd.Float64x4) archsimd.Float64x4 { return x.Select128FromPair(1, 2, y) }

// after returns the points one after those in x; j is the joint with the register after it.
func after(x, j archsimd.Float64x4) archsimd.Float64x4 { return x.SelectFromPairGrouped(1, 2, j) }

// rest is what is left of a box whose first n points of every row are done.
func (b Box) rest(n int) Box {
	b.At, b.N = b.At+n, b.N-n
	return b
}

// stretch is how many points of a row are computed at a time.
const stretch = 256

// columns is g and h of a stretch, with room for h of the points either side.
type columns struct{ g, h [stretch + 8]float64 }

// scratch is the columns of two rows. Go aligns nothing on the stack to a cache
// line, and registers stored across lines cost twice: rows takes care of that.
type scratch struct {
	columns [2]columns
	room    [8]float64
}

func (s *scratch) rows() (first, second *columns) {
	skip := -uintptr(unsafe.Pointer(s)) & 63
	both := (*[2]columns)(unsafe.Add(unsafe.Pointer(s), skip))
	return &both[0], &both[1]
}

func applyAVX2(out, base, in []float64, b Box, k *[4]float64) {
	b.within(min(len(out), len(base), len(in)))
	n := b.N &^ 3
	if n == 0 {
		plainApply(out, base, in, b, k)
		return
	}
	var room scratch
	first, second := room.rows()
	lanes := [4][4]float64{{k[0], k[0], k[0], k[0]}, {k[1], k[1], k[1], k[1]}, {k[2], k[2], k[2], k[2]}, {k[3], k[3], k[3], k[3]}}
	for x := 0; x < n; x += stretch {
		bytes := 8 * min(stretch, n-x)
		j := 0
		for ; j+1 < b.Rows; j += 2 {
			at := b.At + x + j*b.Y
			twoRows(first, second, rowsAt(in, at-4, b.Y, b.Z), &lanes, bytes+64)
			combine(unsafe.Pointer(&out[at]), unsafe.Pointer(&base[at]), first, bytes)
			combine(unsafe.Pointer(&out[at+b.Y]), unsafe.Pointer(&base[at+b.Y]), second, bytes)
		}
		if j < b.Rows {
			at := b.At + x + j*b.Y
			oneRow(first, rowsAt(in, at-4, b.Y, b.Z), &lanes, bytes+64)
			combine(unsafe.Pointer(&out[at]), unsafe.Pointer(&base[at]), first, bytes)
		}
	}
	archsimd.ClearAVXUpperBits()
	if b.N&3 != 0 {
		plainApply(out, base, in, b.rest(n), k)
	}
}

// inMiddle and beside return the two sums of a point from those of its column.
func inMiddle(c, f, e, wc, wf, we archsimd.Float64x4) archsimd.Float64x4 {
	return e.MulAdd(we, f.MulAdd(wf, c.Mul(wc)))
}

func beside(c, f, e, wf, we, wk archsimd.Float64x4) archsimd.Float64x4 {
	return e.MulAdd(wk, f.MulAdd(we, c.Mul(wf)))
}

func oneRow(s *columns, p rows, lanes *[4][4]float64, n int) {
	wc, wf := archsimd.LoadFloat64x4(&lanes[0]), archsimd.LoadFloat64x4(&lanes[1])
	we, wk := archsimd.LoadFloat64x4(&lanes[2]), archsimd.LoadFloat64x4(&lanes[3])
	g, h := unsafe.Pointer(&s.g), unsafe.Pointer(&s.h)
	for i := 0; i < n; i += 32 {
		c, f, e := load(p.c, i), p.faces(i-p.y, i, i+p.y), p.edges(i-p.y, i+p.y)
		inMiddle(c, f, e, wc, wf, we).Store(at[[4]float64](g, i))
		beside(c, f, e, wf, we, wk).Store(at[[4]float64](h, i))
	}
}

// twoRows computes the columns of the row at p and of the next.
func twoRows(s, t *columns, p rows, lanes *[4][4]float64, n int) {
	wc, wf := archsimd.LoadFloat64x4(&lanes[0]), archsimd.LoadFloat64x4(&lanes[1])
	we, wk := archsimd.LoadFloat64x4(&lanes[2]), archsimd.LoadFloat64x4(&lanes[3])
	g, h := unsafe.Pointer(&s.g), unsafe.Pointer(&s.h)
	gg, hh := unsafe.Pointer(&t.g), unsafe.Pointer(&t.h)
	y := p.y
	for i := 0; i < n; i += 32 {
		b1 := load(p.b, i).Add(load(p.t, i))
		b2 := load(p.b, i+y).Add(load(p.t, i+y))
		c1, c2 := load(p.c, i), load(p.c, i+y)
		e := load(p.b, i-y).Add(load(p.t, i-y)).Add(b2)
		f := load(p.c, i-y).Add(c2).Add(b1)
		inMiddle(c1, f, e, wc, wf, we).Store(at[[4]float64](g, i))
		beside(c1, f, e, wf, we, wk).Store(at[[4]float64](h, i))
		e = load(p.b, i+2*y).Add(load(p.t, i+2*y)).Add(b1)
		f = load(p.c, i+2*y).Add(c1).Add(b2)
		inMiddle(c2, f, e, wc, wf, we).Store(at[[4]float64](gg, i))
		beside(c2, f, e, wf, we, wk).Store(at[[4]float64](hh, i))
	}
}

// combine sets n bytes of out to base + g + h before + h after. The columns begin
// four points earlier.
func combine(out, base unsafe.Pointer, s *columns, n int) {
	g, before := unsafe.Pointer(&s.g[4]), unsafe.Pointer(&s.h[3])
	for i := 0; i < n; i += 32 {
		load(base, i).Add(load(g, i)).Add(load(before, i).Add(load(before, i+16))).Store(at[[4]float64](out, i))
	}
}
