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

// both is the columns of two rows.
type both struct{ first, second columns }

// scratch is room for both. Go aligns nothing on the stack to a cache line, and
// registers stored across lines cost twice: aligned takes care of that.
type scratch struct {
	rows both
	room [8]float64
}

func (s *scratch) aligned() *both {
	return (*both)(unsafe.Add(unsafe.Pointer(s), -uintptr(unsafe.Pointer(s))&63))
}

func applyAVX2(out, base, in []float64, b Box, k *[4]float64) {
	b.within(min(len(out), len(base), len(in)))
	n := b.N &^ 3
	if n == 0 {
		plainApply(out, base, in, b, k)
		return
	}
	var room scratch
	s := room.aligned()
	lanes := [4][4]float64{{k[0], k[0], k[0], k[0]}, {k[1], k[1], k[1], k[1]}, {k[2], k[2], k[2], k[2]}, {k[3], k[3], k[3], k[3]}}
	for x := 0; x < n; x += stretch {
		bytes := 8 * min(stretch, n-x)
		j := 0
		for ; j+1 < b.Rows; j += 2 {
			at := b.At + x + j*b.Y
			pair := (bytes + 64) &^ 63
			twoRows(s, rowsAt(in, at-4, b.Y, b.Z), &lanes, pair)
			if pair < bytes+64 {
				left := pair / 8
				oneRow(&s.first, left, rowsAt(in, at-4+left, b.Y, b.Z), &lanes, 32)
				oneRow(&s.second, left, rowsAt(in, at-4+left+b.Y, b.Y, b.Z), &lanes, 32)
			}
			combine(unsafe.Pointer(&out[at]), unsafe.Pointer(&base[at]), &s.first, bytes)
			combine(unsafe.Pointer(&out[at+b.Y]), unsafe.Pointer(&base[at+b.Y]), &s.second, bytes)
		}
		if j < b.Rows {
			at := b.At + x + j*b.Y
			oneRow(&s.first, 0, rowsAt(in, at-4, b.Y, b.Z), &lanes, bytes+64)
			combine(unsafe.Pointer(&out[at]), unsafe.Pointer(&base[at]), &s.first, bytes)
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

// oneRow computes n bytes of columns of the row at p, from point first on.
func oneRow(s *columns, first int, p rows, lanes *[4][4]float64, n int) {
	wc, wf := archsimd.LoadFloat64x4(&lanes[0]), archsimd.LoadFloat64x4(&lanes[1])
	we, wk := archsimd.LoadFloat64x4(&lanes[2]), archsimd.LoadFloat64x4(&lanes[3])
	g, h := unsafe.Pointer(&s.g[first]), unsafe.Pointer(&s.h[first])
	for i := 0; i < n; i += 32 {
		c, f, e := load(p.c, i), p.faces(i-p.y, i, i+p.y), p.edges(i-p.y, i+p.y)
		inMiddle(c, f, e, wc, wf, we).Store(at[[4]float64](g, i))
		beside(c, f, e, wf, we, wk).Store(at[[4]float64](h, i))
	}
}

// eight and sixteen are neighbouring points. Go folds the offset of a field into a
// load if the pointer to it is a variable of the loop, and no index: loops over
// several registers at a time move pointers and take fields.
type eight struct{ a, b [4]float64 }

type sixteen struct{ a, b, c, d [4]float64 }

// next returns the pointer to what follows in memory.
func next[T any](p *T) *T { return (*T)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))) }

// twoRows computes n bytes of columns of the row at p and of the next; n is a
// multiple of 64.
func twoRows(s *both, p rows, lanes *[4][4]float64, n int) {
	wc, wf := archsimd.LoadFloat64x4(&lanes[0]), archsimd.LoadFloat64x4(&lanes[1])
	we, wk := archsimd.LoadFloat64x4(&lanes[2]), archsimd.LoadFloat64x4(&lanes[3])
	bs, bm, bn, bf := at[eight](p.b, -p.y), at[eight](p.b, 0), at[eight](p.b, p.y), at[eight](p.b, 2*p.y)
	ts, tm, tn, tf := at[eight](p.t, -p.y), at[eight](p.t, 0), at[eight](p.t, p.y), at[eight](p.t, 2*p.y)
	cs, cm, cn, cf := at[eight](p.c, -p.y), at[eight](p.c, 0), at[eight](p.c, p.y), at[eight](p.c, 2*p.y)
	to := s
	for end := at[both](unsafe.Pointer(s), n); uintptr(unsafe.Pointer(to)) < uintptr(unsafe.Pointer(end)); {
		b1 := archsimd.LoadFloat64x4(&bm.a).Add(archsimd.LoadFloat64x4(&tm.a))
		b2 := archsimd.LoadFloat64x4(&bn.a).Add(archsimd.LoadFloat64x4(&tn.a))
		c1, c2 := archsimd.LoadFloat64x4(&cm.a), archsimd.LoadFloat64x4(&cn.a)
		e := archsimd.LoadFloat64x4(&bs.a).Add(archsimd.LoadFloat64x4(&ts.a)).Add(b2)
		f := archsimd.LoadFloat64x4(&cs.a).Add(c2).Add(b1)
		inMiddle(c1, f, e, wc, wf, we).Store((*[4]float64)(to.first.g[:4]))
		beside(c1, f, e, wf, we, wk).Store((*[4]float64)(to.first.h[:4]))
		e = archsimd.LoadFloat64x4(&bf.a).Add(archsimd.LoadFloat64x4(&tf.a)).Add(b1)
		f = archsimd.LoadFloat64x4(&cf.a).Add(c1).Add(b2)
		inMiddle(c2, f, e, wc, wf, we).Store((*[4]float64)(to.second.g[:4]))
		beside(c2, f, e, wf, we, wk).Store((*[4]float64)(to.second.h[:4]))

		b1 = archsimd.LoadFloat64x4(&bm.b).Add(archsimd.LoadFloat64x4(&tm.b))
		b2 = archsimd.LoadFloat64x4(&bn.b).Add(archsimd.LoadFloat64x4(&tn.b))
		c1, c2 = archsimd.LoadFloat64x4(&cm.b), archsimd.LoadFloat64x4(&cn.b)
		e = archsimd.LoadFloat64x4(&bs.b).Add(archsimd.LoadFloat64x4(&ts.b)).Add(b2)
		f = archsimd.LoadFloat64x4(&cs.b).Add(c2).Add(b1)
		inMiddle(c1, f, e, wc, wf, we).Store((*[4]float64)(to.first.g[4:8]))
		beside(c1, f, e, wf, we, wk).Store((*[4]float64)(to.first.h[4:8]))
		e = archsimd.LoadFloat64x4(&bf.b).Add(archsimd.LoadFloat64x4(&tf.b)).Add(b1)
		f = archsimd.LoadFloat64x4(&cf.b).Add(c1).Add(b2)
		inMiddle(c2, f, e, wc, wf, we).Store((*[4]float64)(to.second.g[4:8]))
		beside(c2, f, e, wf, we, wk).Store((*[4]float64)(to.second.h[4:8]))

		bs, bm, bn, bf = next(bs), next(bm), next(bn), next(bf)
		ts, tm, tn, tf = next(ts), next(tm), next(tn), next(tf)
		cs, cm, cn, cf = next(cs), next(cm), next(cn), next(cf)
		to = at[both](unsafe.Pointer(to), 64)
	}
}

// combine sets n bytes of out to base + g + h before + h after. The columns begin
// four points earlier.
func combine(out, base unsafe.Pointer, s *columns, n int) {
	from, to, c := (*sixteen)(base), (*sixteen)(out), s
	for ; n >= 128; n -= 128 {
		archsimd.LoadFloat64x4(&from.a).Add(archsimd.LoadFloat64x4((*[4]float64)(c.g[4:8]))).
			Add(archsimd.LoadFloat64x4((*[4]float64)(c.h[3:7])).Add(archsimd.LoadFloat64x4((*[4]float64)(c.h[5:9])))).Store(&to.a)
		archsimd.LoadFloat64x4(&from.b).Add(archsimd.LoadFloat64x4((*[4]float64)(c.g[8:12]))).
			Add(archsimd.LoadFloat64x4((*[4]float64)(c.h[7:11])).Add(archsimd.LoadFloat64x4((*[4]float64)(c.h[9:13])))).Store(&to.b)
		archsimd.LoadFloat64x4(&from.c).Add(archsimd.LoadFloat64x4((*[4]float64)(c.g[12:16]))).
			Add(archsimd.LoadFloat64x4((*[4]float64)(c.h[11:15])).Add(archsimd.LoadFloat64x4((*[4]float64)(c.h[13:17])))).Store(&to.c)
		archsimd.LoadFloat64x4(&from.d).Add(archsimd.LoadFloat64x4((*[4]float64)(c.g[16:20]))).
			Add(archsimd.LoadFloat64x4((*[4]float64)(c.h[15:19])).Add(archsimd.LoadFloat64x4((*[4]float64)(c.h[17:21])))).Store(&to.d)
		from, to, c = next(from), next(to), at[columns](unsafe.Pointer(c), 128)
	}
	for i := 0; i < n; i += 32 {
		g, before, after := at[[4]float64](unsafe.Pointer(&c.g[4]), i), at[[4]float64](unsafe.Pointer(&c.h[3]), i), at[[4]float64](unsafe.Pointer(&c.h[5]), i)
		load(unsafe.Pointer(from), i).Add(archsimd.LoadFloat64x4(g)).
			Add(archsimd.LoadFloat64x4(before).Add(archsimd.LoadFloat64x4(after))).Store(at[[4]float64](unsafe.Pointer(to), i))
	}
}
