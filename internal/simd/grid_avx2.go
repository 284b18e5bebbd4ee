//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// A stencil of 27 points is the sum of the contributions of the middle column of 9 points
// and of the columns before and after it, which have the same weights: with two weighted
// sums g and h per point, the result is g + h before + h after. Both are
// computed once per point, and h is shifted in registers.
//
// While the upper halves of registers are in use, no scalar arithmetic may be used: Go
// compiles it to SSE instructions, each of which then costs about 70 ns (Zen 3).

// rows holds the addresses of the nine rows of a stencil: the middle ones of three
// planes, and the bytes to the next row.
type rows struct {
	b, c, t unsafe.Pointer
	y       int
}

func rowsAt(u []float64, at, y, z int) rows {
	return rows{unsafe.Pointer(&u[at-z]), unsafe.Pointer(&u[at]), unsafe.Pointer(&u[at+z]), 8 * y}
}

func load(p unsafe.Pointer, i int) archsimd.Float64x4 {
	return archsimd.LoadFloat64x4Array(at[[4]float64](p, i))
}

// faces returns the sum of four rows for four points: i is in bytes, s and n are one
// row before and after it.
func (r *rows) faces(s, i, n int) archsimd.Float64x4 {
	return load(r.c, s).Add(load(r.c, n)).Add(load(r.b, i).Add(load(r.t, i)))
}

func (r *rows) edges(s, n int) archsimd.Float64x4 {
	return load(r.b, s).Add(load(r.b, n)).Add(load(r.t, s).Add(load(r.t, n)))
}

// joint returns the two lanes on either side of the border between two registers. before and after
// make registers from them that are shifted by one point.
func joint(x, y archsimd.Float64x4) archsimd.Float64x4 { return x.ConcatPermute128Scalars(1, 2, y) }

// before returns the points one before those in x; j is the joint with the register before it.
func before(j, x archsimd.Float64x4) archsimd.Float64x4 {
	return j.ConcatPermuteScalarsGrouped(1, 2, x)
}

// after returns the points one after those in x; j is the joint with the register after it.
func after(x, j archsimd.Float64x4) archsimd.Float64x4 { return x.ConcatPermuteScalarsGrouped(1, 2, j) }

// rest returns the box without the first n points of every row.
func (b Box) rest(n int) Box {
	b.At, b.N = b.At+n, b.N-n
	return b
}

func applyAVX2(out, base, in []float64, b Box, k *[4]float64) {
	b.within(min(len(out), len(base), len(in)))
	n := b.N &^ 3
	if n == 0 {
		plainApply(out, base, in, b, k)
		return
	}
	lanes := [4][4]float64{{k[0], k[0], k[0], k[0]}, {k[1], k[1], k[1], k[1]}, {k[2], k[2], k[2], k[2]}, {k[3], k[3], k[3], k[3]}}
	for j := range b.Rows {
		at := b.At + j*b.Y
		applyRow((*twelve)(unsafe.Pointer(&out[at])), (*twelve)(unsafe.Pointer(&base[at])), rowsAt(in, at, b.Y, b.Z), &lanes, 8*n)
	}
	if b.N&3 != 0 {
		plainApply(out, base, in, b.rest(n), k)
	}
}

// twelve holds neighbouring points. Go folds the offset of a field into a load if the
// pointer is a variable of the loop, but not an index: loops over several
// registers increment pointers and use fields.
type twelve struct{ a, b, c [4]float64 }

// second returns the pointer to the points eight further on.
func (p *twelve) second() *twelve { return (*twelve)(unsafe.Add(unsafe.Pointer(p), 64)) }

// inMiddle and beside return g and h of a point from the sums of its column.
func inMiddle(c, f, e, wc, wf, we archsimd.Float64x4) archsimd.Float64x4 {
	return e.MulAdd(we, f.MulAdd(wf, c.Mul(wc)))
}

func beside(c, f, e, wf, we, wk archsimd.Float64x4) archsimd.Float64x4 {
	return e.MulAdd(wk, f.MulAdd(we, c.Mul(wf)))
}

// applyRow computes n bytes of a row, a multiple of 32.
func applyRow(out, base *twelve, p rows, lanes *[4][4]float64, n int) {
	wc, wf := archsimd.LoadFloat64x4Array(&lanes[0]), archsimd.LoadFloat64x4Array(&lanes[1])
	we, wk := archsimd.LoadFloat64x4Array(&lanes[2]), archsimd.LoadFloat64x4Array(&lanes[3])
	c, f, e := load(p.c, -32), p.faces(-32-p.y, -32, -32+p.y), p.edges(-32-p.y, -32+p.y)
	h := beside(c, f, e, wf, we, wk)
	c, f, e = load(p.c, 0), p.faces(-p.y, 0, p.y), p.edges(-p.y, p.y)
	g, k := inMiddle(c, f, e, wc, wf, we), beside(c, f, e, wf, we, wk)
	j := joint(h, k)
	h = k
	sb, b, nb := at[twelve](p.b, -p.y), at[twelve](p.b, 0), at[twelve](p.b, p.y)
	s, m, north := at[twelve](p.c, -p.y), at[twelve](p.c, 0), at[twelve](p.c, p.y)
	st, t, nt := at[twelve](p.t, -p.y), at[twelve](p.t, 0), at[twelve](p.t, p.y)
	for ; n >= 64; n -= 64 {
		c = archsimd.LoadFloat64x4Array(&m.b)
		f = archsimd.LoadFloat64x4Array(&s.b).Add(archsimd.LoadFloat64x4Array(&north.b)).Add(archsimd.LoadFloat64x4Array(&b.b).Add(archsimd.LoadFloat64x4Array(&t.b)))
		e = archsimd.LoadFloat64x4Array(&sb.b).Add(archsimd.LoadFloat64x4Array(&nb.b)).Add(archsimd.LoadFloat64x4Array(&st.b).Add(archsimd.LoadFloat64x4Array(&nt.b)))
		k = beside(c, f, e, wf, we, wk)
		i := joint(h, k)
		before(j, h).Add(after(h, i)).Add(archsimd.LoadFloat64x4Array(&base.a).Add(g)).StoreArray(&out.a)
		g, h, j = inMiddle(c, f, e, wc, wf, we), k, i

		c = archsimd.LoadFloat64x4Array(&m.c)
		f = archsimd.LoadFloat64x4Array(&s.c).Add(archsimd.LoadFloat64x4Array(&north.c)).Add(archsimd.LoadFloat64x4Array(&b.c).Add(archsimd.LoadFloat64x4Array(&t.c)))
		e = archsimd.LoadFloat64x4Array(&sb.c).Add(archsimd.LoadFloat64x4Array(&nb.c)).Add(archsimd.LoadFloat64x4Array(&st.c).Add(archsimd.LoadFloat64x4Array(&nt.c)))
		k = beside(c, f, e, wf, we, wk)
		i = joint(h, k)
		before(j, h).Add(after(h, i)).Add(archsimd.LoadFloat64x4Array(&base.b).Add(g)).StoreArray(&out.b)
		g, h, j = inMiddle(c, f, e, wc, wf, we), k, i

		sb, b, nb = sb.second(), b.second(), nb.second()
		s, m, north = s.second(), m.second(), north.second()
		st, t, nt = st.second(), t.second(), nt.second()
		out, base = out.second(), base.second()
	}
	if n > 0 {
		c = archsimd.LoadFloat64x4Array(&m.b)
		f = archsimd.LoadFloat64x4Array(&s.b).Add(archsimd.LoadFloat64x4Array(&north.b)).Add(archsimd.LoadFloat64x4Array(&b.b).Add(archsimd.LoadFloat64x4Array(&t.b)))
		e = archsimd.LoadFloat64x4Array(&sb.b).Add(archsimd.LoadFloat64x4Array(&nb.b)).Add(archsimd.LoadFloat64x4Array(&st.b).Add(archsimd.LoadFloat64x4Array(&nt.b)))
		i := joint(h, beside(c, f, e, wf, we, wk))
		before(j, h).Add(after(h, i)).Add(archsimd.LoadFloat64x4Array(&base.a).Add(g)).StoreArray(&out.a)
	}
	archsimd.ClearAVXUpperBits()
}
