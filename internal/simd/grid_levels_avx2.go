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
	k := [3][4]float64{{0.5, 0.5, 0.5, 0.5}, {0.25, 0.25, 0.25, 0.25}, {0.125, 0.125, 0.125, 0.125}}
	half, quarter, eighth := archsimd.LoadFloat64x4(&k[0]), archsimd.LoadFloat64x4(&k[1]), archsimd.LoadFloat64x4(&k[2])
	out := unsafe.Pointer(unsafe.SliceData(coarse[to : to+n]))
	p := rowsAt(fine, from-1, y, z)
	// What is left of a row's sums are taken apart into the points before and in
	// the middle of the stencils; the first begins one before a middle.
	south, north := -p.y, p.y
	var middle, start archsimd.Float64x4 // of the four before
	for i := 0; i < 16*m; i += 64 {
		lo := load(p.c, i).Mul(half).Add(p.faces(south, i, north).MulAdd(quarter, p.edges(south, north).Mul(eighth)))
		south, north = south+32, north+32
		hi := load(p.c, i+32).Mul(half).Add(p.faces(south, i+32, north).MulAdd(quarter, p.edges(south, north).Mul(eighth)))
		south, north = south+32, north+32
		first, last := lo.Select128FromPair(0, 2, hi), lo.Select128FromPair(1, 3, hi)
		begin := first.SelectFromPairGrouped(0, 2, last)
		if i > 0 {
			start.Add(after(start, joint(start, begin))).MulAdd(half, middle).Store(at[[4]float64](out, i/2-32))
		}
		start, middle = begin, first.SelectFromPairGrouped(1, 3, last)
	}
	edge := load(p.c, 16*m).Mul(half).Add(p.faces(south, 16*m, north).MulAdd(quarter, p.edges(south, north).Mul(eighth)))
	start.Add(after(start, joint(start, edge))).MulAdd(half, middle).Store(at[[4]float64](out, 8*m-32))
	archsimd.ClearAVXUpperBits()
	if m < n {
		plainRestrict(coarse, fine, to+m, from+2*m, n-m, y, z)
	}
}

func prolongAVX2(fine, coarse []float64, to int, rows [4]int, n int) {
	m := n &^ 3
	if m == 0 {
		plainProlong(fine, coarse, to, rows, n)
		return
	}
	row := func(k int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(coarse[rows[k] : rows[k]+n+1])) }
	a, b, c, d := row(0), row(1), row(2), row(3)
	out := unsafe.Pointer(unsafe.SliceData(fine[to : to+2*n]))
	k := [2][4]float64{{0.25, 0.25, 0.25, 0.25}, {0.5, 0.5, 0.5, 0.5}}
	quarter, half := archsimd.LoadFloat64x4(&k[0]), archsimd.LoadFloat64x4(&k[1])
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
