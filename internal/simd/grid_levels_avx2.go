//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// Restriction and prolongation between two levels of a grid, and the norm of one.

func restrictAVX2(coarse, fine []float64, to, from, n, y, z int) {
	Box{At: from, N: 2*n - 1, Rows: 1, Y: y, Z: z}.within(len(fine))
	m := n &^ 3
	if m == 0 {
		plainRestrict(coarse, fine, to, from, n, y, z)
		return
	}
	k := [3][4]float64{{0.5, 0.5, 0.5, 0.5}, {0.25, 0.25, 0.25, 0.25}, {0.125, 0.125, 0.125, 0.125}}
	half, quarter, eighth := archsimd.LoadFloat64x4Array(&k[0]), archsimd.LoadFloat64x4Array(&k[1]), archsimd.LoadFloat64x4Array(&k[2])
	out := unsafe.Pointer(unsafe.SliceData(coarse[to : to+n]))
	p := rowsAt(fine, from-1, y, z)
	// Sums of columns are separated into the points before and in the middle of the
	// stencils; the first begins one before a middle.
	sb, b, nb := at[twelve](p.b, -p.y), at[twelve](p.b, 0), at[twelve](p.b, p.y)
	s, c, nr := at[twelve](p.c, -p.y), at[twelve](p.c, 0), at[twelve](p.c, p.y)
	st, t, nt := at[twelve](p.t, -p.y), at[twelve](p.t, 0), at[twelve](p.t, p.y)
	var middle, start archsimd.Float64x4 // of the four before
	for i := 0; i < 8*m; i += 32 {
		f := archsimd.LoadFloat64x4Array(&s.a).Add(archsimd.LoadFloat64x4Array(&nr.a)).Add(archsimd.LoadFloat64x4Array(&b.a).Add(archsimd.LoadFloat64x4Array(&t.a)))
		g := archsimd.LoadFloat64x4Array(&sb.a).Add(archsimd.LoadFloat64x4Array(&nb.a)).Add(archsimd.LoadFloat64x4Array(&st.a).Add(archsimd.LoadFloat64x4Array(&nt.a)))
		lo := archsimd.LoadFloat64x4Array(&c.a).Mul(half).Add(f.MulAdd(quarter, g.Mul(eighth)))
		f = archsimd.LoadFloat64x4Array(&s.b).Add(archsimd.LoadFloat64x4Array(&nr.b)).Add(archsimd.LoadFloat64x4Array(&b.b).Add(archsimd.LoadFloat64x4Array(&t.b)))
		g = archsimd.LoadFloat64x4Array(&sb.b).Add(archsimd.LoadFloat64x4Array(&nb.b)).Add(archsimd.LoadFloat64x4Array(&st.b).Add(archsimd.LoadFloat64x4Array(&nt.b)))
		hi := archsimd.LoadFloat64x4Array(&c.b).Mul(half).Add(f.MulAdd(quarter, g.Mul(eighth)))
		first, last := lo.ConcatPermute128Scalars(0, 2, hi), lo.ConcatPermute128Scalars(1, 3, hi)
		begin := first.ConcatPermuteScalarsGrouped(0, 2, last)
		if i > 0 {
			start.Add(after(start, joint(start, begin))).MulAdd(half, middle).StoreArray(at[[4]float64](out, i-32))
		}
		start, middle = begin, first.ConcatPermuteScalarsGrouped(1, 3, last)
		sb, b, nb = sb.second(), b.second(), nb.second()
		s, c, nr = s.second(), c.second(), nr.second()
		st, t, nt = st.second(), t.second(), nt.second()
	}
	end := 16 * m
	edge := load(p.c, end).Mul(half).Add(p.faces(end-p.y, end, end+p.y).MulAdd(quarter, p.edges(end-p.y, end+p.y).Mul(eighth)))
	start.Add(after(start, joint(start, edge))).MulAdd(half, middle).StoreArray(at[[4]float64](out, 8*m-32))
	archsimd.ClearAVXUpperBits()
	if m < n {
		plainRestrict(coarse, fine, to+m, from+2*m, n-m, y, z)
	}
}

// five points to four points of a row and the one after them.
type five [5]float64

func (p *five) next() *five { return (*five)(unsafe.Add(unsafe.Pointer(p), 32)) }

func prolongAVX2(fine, coarse []float64, to int, rows [4]int, n int) {
	m := n &^ 3
	if m == 0 {
		plainProlong(fine, coarse, to, rows, n)
		return
	}
	row := func(k int) *five { return (*five)(unsafe.Pointer(unsafe.SliceData(coarse[rows[k] : rows[k]+n+1]))) }
	a, b, c, d := row(0), row(1), row(2), row(3)
	out := (*twelve)(unsafe.Pointer(unsafe.SliceData(fine[to : to+2*n])))
	k := [2][4]float64{{0.25, 0.25, 0.25, 0.25}, {0.5, 0.5, 0.5, 0.5}}
	quarter, half := archsimd.LoadFloat64x4Array(&k[0]), archsimd.LoadFloat64x4Array(&k[1])
	for i := m; i > 0; i -= 4 {
		left := archsimd.LoadFloat64x4Array((*[4]float64)(a[:4])).Add(archsimd.LoadFloat64x4Array((*[4]float64)(b[:4]))).
			Add(archsimd.LoadFloat64x4Array((*[4]float64)(c[:4])).Add(archsimd.LoadFloat64x4Array((*[4]float64)(d[:4])))).Mul(quarter)
		right := archsimd.LoadFloat64x4Array((*[4]float64)(a[1:])).Add(archsimd.LoadFloat64x4Array((*[4]float64)(b[1:]))).
			Add(archsimd.LoadFloat64x4Array((*[4]float64)(c[1:])).Add(archsimd.LoadFloat64x4Array((*[4]float64)(d[1:])))).Mul(quarter)
		between := left.Add(right).Mul(half)
		lo, hi := between.ConcatPermuteScalarsGrouped(0, 2, right), between.ConcatPermuteScalarsGrouped(1, 3, right)
		archsimd.LoadFloat64x4Array(&out.a).Add(lo.ConcatPermute128Scalars(0, 2, hi)).StoreArray(&out.a)
		archsimd.LoadFloat64x4Array(&out.b).Add(lo.ConcatPermute128Scalars(1, 3, hi)).StoreArray(&out.b)
		a, b, c, d = a.next(), b.next(), c.next(), d.next()
		out = out.second()
	}
	archsimd.ClearAVXUpperBits()
	if m < n {
		plainProlong(fine, coarse, to+2*m, [4]int{rows[0] + m, rows[1] + m, rows[2] + m, rows[3] + m}, n-m)
	}
}

func normAVX2(r []float64, b Box) (squares, largest float64) {
	n := 8 * (b.N &^ 7)
	if n == 0 {
		return plainNorm(r, b)
	}
	var s0, s1, high, low archsimd.Float64x4
	for k := range b.Rows {
		p := unsafe.Pointer(unsafe.SliceData(r[b.At+k*b.Y : b.At+k*b.Y+b.N]))
		for i := 0; i < n; i += 64 {
			x, y := archsimd.LoadFloat64x4Array(at[[4]float64](p, i)), archsimd.LoadFloat64x4Array(at[[4]float64](p, i+32))
			s0, s1 = x.MulAdd(x, s0), y.MulAdd(y, s1)
			high, low = high.Max(x), low.Min(x)
			high, low = high.Max(y), low.Min(y)
		}
	}
	var sums, highs, lows [4]float64
	s0.Add(s1).StoreArray(&sums)
	high.StoreArray(&highs)
	low.StoreArray(&lows)
	archsimd.ClearAVXUpperBits()
	for i := range sums {
		squares += sums[i]
		largest = max(largest, highs[i], -lows[i])
	}
	if b.N&7 != 0 {
		s, l := plainNorm(r, b.rest(n/8))
		squares, largest = squares+s, max(largest, l)
	}
	return squares, largest
}
