//go:build goexperiment.simd && amd64 && !go1.27

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// What lies between two levels of a grid, and the norm of one.

func restrictAVX2(coarse, fine []float64, to, from, n, y, z int) {
	Box{At: from, N: 2*n - 1, Rows: 1, Y: y, Z: z}.within(len(fine))
	m := n &^ 3
	if m == 0 {
		plainRestrict(coarse, fine, to, from, n, y, z)
		return
	}
	half, quarter, eighth := archsimd.BroadcastFloat64x4(0.5), archsimd.BroadcastFloat64x4(0.25), archsimd.BroadcastFloat64x4(0.125)
	out := unsafe.Pointer(unsafe.SliceData(coarse[to : to+n]))
	p := rowsAt(fine, from-1, y, z)
	// The first of two points is one before the middle of the stencil, at offset 0.
	lo := p.center(0).Mul(half).Add(p.faces(0).MulAdd(quarter, p.edges(0).Mul(eighth)))
	hi := p.center(32).Mul(half).Add(p.faces(32).MulAdd(quarter, p.edges(32).Mul(eighth)))
	for i := 0; ; i += 4 {
		first, last := lo.Select128FromPair(0, 2, hi), lo.Select128FromPair(1, 3, hi)
		before, middle := first.SelectFromPairGrouped(0, 2, last), first.SelectFromPairGrouped(1, 3, last)
		if i+4 == m {
			k := 16*i + 64
			edge := p.one(k).Mul(half).Add(p.oneFace(k).MulAdd(quarter, p.oneEdge(k).Mul(eighth)))
			next := after(before, joint(before, edge))
			before.Add(next).MulAdd(half, middle).Store(at[[4]float64](out, 8*i))
			break
		}
		k := 16*i + 64
		lo = p.center(k).Mul(half).Add(p.faces(k).MulAdd(quarter, p.edges(k).Mul(eighth)))
		hi = p.center(k + 32).Mul(half).Add(p.faces(k+32).MulAdd(quarter, p.edges(k+32).Mul(eighth)))
		next := after(before, joint(before, lo))
		before.Add(next).MulAdd(half, middle).Store(at[[4]float64](out, 8*i))
	}
	archsimd.ClearAVXUpperBits()
	if m < n {
		plainRestrict(coarse, fine, to+m, from+2*m, n-m, y, z)
	}
}

func prolongAVX2(fine, coarse []float64, to int, rows *[4]int, n int) {
	m := n &^ 3
	if m == 0 {
		plainProlong(fine, coarse, to, rows, n)
		return
	}
	row := func(k int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(coarse[rows[k] : rows[k]+n+1])) }
	a, b, c, d := row(0), row(1), row(2), row(3)
	out := unsafe.Pointer(unsafe.SliceData(fine[to : to+2*n]))
	quarter, half := archsimd.BroadcastFloat64x4(0.25), archsimd.BroadcastFloat64x4(0.5)
	for i := 0; i < 8*m; i += 32 {
		left := archsimd.LoadFloat64x4(at[[4]float64](a, i)).Add(archsimd.LoadFloat64x4(at[[4]float64](b, i))).
			Add(archsimd.LoadFloat64x4(at[[4]float64](c, i)).Add(archsimd.LoadFloat64x4(at[[4]float64](d, i)))).Mul(quarter)
		right := archsimd.LoadFloat64x4(at[[4]float64](a, i+8)).Add(archsimd.LoadFloat64x4(at[[4]float64](b, i+8))).
			Add(archsimd.LoadFloat64x4(at[[4]float64](c, i+8)).Add(archsimd.LoadFloat64x4(at[[4]float64](d, i+8)))).Mul(quarter)
		between := left.Add(right).Mul(half)
		lo, hi := between.SelectFromPairGrouped(0, 2, right), between.SelectFromPairGrouped(1, 3, right)
		o, q := at[[4]float64](out, 2*i), at[[4]float64](out, 2*i+32)
		archsimd.LoadFloat64x4(o).Add(lo.Select128FromPair(0, 2, hi)).Store(o)
		archsimd.LoadFloat64x4(q).Add(lo.Select128FromPair(1, 3, hi)).Store(q)
	}
	archsimd.ClearAVXUpperBits()
	if m < n {
		plainProlong(fine, coarse, to+2*m, &[4]int{rows[0] + m, rows[1] + m, rows[2] + m, rows[3] + m}, n-m)
	}
}

func normAVX2(r []float64, b Box) (squares, largest float64) {
	n := 8 * (b.N &^ 7)
	if n == 0 {
		return plainNorm(r, b)
	}
	zero := archsimd.BroadcastFloat64x4(0)
	s0, s1, high, low := zero, zero, zero, zero
	for k := range b.Rows {
		p := unsafe.Pointer(unsafe.SliceData(r[b.At+k*b.Y : b.At+k*b.Y+b.N]))
		for i := 0; i < n; i += 64 {
			x, y := archsimd.LoadFloat64x4(at[[4]float64](p, i)), archsimd.LoadFloat64x4(at[[4]float64](p, i+32))
			s0, s1 = x.MulAdd(x, s0), y.MulAdd(y, s1)
			high, low = high.Max(x), low.Min(x)
			high, low = high.Max(y), low.Min(y)
		}
	}
	var sums, highs, lows [4]float64
	s0.Add(s1).Store(&sums)
	high.Store(&highs)
	low.Store(&lows)
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
