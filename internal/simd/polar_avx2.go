//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package simd

import (
	"simd/archsimd"
	"unsafe"
)

// Three things make this loop fast. The logarithm is written out in it, because a call of a
// function that is not inlined spills all vectors to memory. Shifts are by vectors, and there is no
// scalar arithmetic: for both Go 1.26 uses SSE instructions of the old encoding, each of which
// costs about a hundred cycles between AVX instructions. Pairs are counted by comparisons, from 3
// on (one pair in 190) in a branch.
func polarAVX2(x, y []float64, sums *PolarSums) {
	y = y[:len(x)]
	var from [10]archsimd.Int64x4 // minus the pairs from k on
	var counts [10]int64
	px, py := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
	one, two, minusTwo, half := archsimd.BroadcastFloat64x4(1), archsimd.BroadcastFloat64x4(2), archsimd.BroadcastFloat64x4(-2), archsimd.BroadcastFloat64x4(0.5)
	three := archsimd.BroadcastFloat64x4(3)
	positive := archsimd.BroadcastUint64x4(1<<63 - 1)
	shift, exponent, offset := archsimd.BroadcastUint64x4(52), archsimd.BroadcastUint64x4(integer), archsimd.BroadcastFloat64x4(bias)
	change, digits, root := archsimd.BroadcastUint64x4(toHalf), archsimd.BroadcastUint64x4(fraction), archsimd.BroadcastUint64x4(sqrtHalf)
	c1, c2, c3, c4 := archsimd.BroadcastFloat64x4(lg1), archsimd.BroadcastFloat64x4(lg2), archsimd.BroadcastFloat64x4(lg3), archsimd.BroadcastFloat64x4(lg4)
	c5, c6, c7 := archsimd.BroadcastFloat64x4(lg5), archsimd.BroadcastFloat64x4(lg6), archsimd.BroadcastFloat64x4(lg7)
	hi, lo := archsimd.BroadcastFloat64x4(ln2Hi), archsimd.BroadcastFloat64x4(ln2Lo)

	for lane := 0; lane < PolarLanes; lane += 4 {
		sumX := archsimd.LoadFloat64x4Array((*[4]float64)(sums.X[lane:]))
		sumY := archsimd.LoadFloat64x4Array((*[4]float64)(sums.Y[lane:]))
		var from0, from1, from2 archsimd.Int64x4
		for i := lane * 8; i+32 <= len(x)*8; i += PolarLanes * 8 {
			a := two.Mul(archsimd.LoadFloat64x4Array(at[[4]float64](px, i))).Sub(one)
			b := two.Mul(archsimd.LoadFloat64x4Array(at[[4]float64](py, i))).Sub(one)
			t := a.Mul(a).Add(b.Mul(b))
			inside := t.LessEqual(one)

			bits := t.AsUint64x4().Add(change)
			k := bits.ShiftRight(shift).Or(exponent).AsFloat64x4().Sub(offset)
			f := bits.And(digits).Add(root).AsFloat64x4().Sub(one)
			square := half.Mul(f).Mul(f)
			s := f.Div(two.Add(f))
			z := s.Mul(s)
			w := z.Mul(z)
			r := z.Mul(c1.Add(w.Mul(c3.Add(w.Mul(c5.Add(w.Mul(c7))))))).Add(w.Mul(c2.Add(w.Mul(c4.Add(w.Mul(c6))))))
			ln := s.Mul(square.Add(r)).Add(k.Mul(lo)).Sub(square).Add(f).Add(k.Mul(hi))

			g := minusTwo.Mul(ln).Div(t).Sqrt()
			a, b = a.Mul(g).Masked(inside), b.Mul(g).Masked(inside)
			sumX, sumY = sumX.Add(a), sumY.Add(b)
			far := a.AsUint64x4().And(positive).AsFloat64x4().Max(b.AsUint64x4().And(positive).AsFloat64x4())
			from0 = from0.Add(inside.ToInt64x4())
			from1 = from1.Add(far.GreaterEqual(one).ToInt64x4())
			from2 = from2.Add(far.GreaterEqual(two).ToInt64x4())
			if far.GreaterEqual(three).ToBits() != 0 {
				bound := three
				for k := 3; k < 10; k++ {
					from[k] = from[k].Add(far.GreaterEqual(bound).ToInt64x4())
					bound = bound.Add(one)
				}
			}
		}
		from[0], from[1], from[2] = from[0].Add(from0), from[1].Add(from1), from[2].Add(from2)
		sumX.StoreArray((*[4]float64)(sums.X[lane:]))
		sumY.StoreArray((*[4]float64)(sums.Y[lane:]))
	}
	for k := range from {
		pair := from[k].GetLo().Add(from[k].GetHi())
		counts[k] = -(pair.GetElem(0) + pair.GetElem(1))
	}
	archsimd.ClearAVXUpperBits()
	sums.add(&counts)
}

// add counts pairs of which from[k] are k or more.
func (s *PolarSums) add(from *[10]int64) {
	for k := range 9 {
		s.Counts[k] += from[k] - from[k+1]
	}
	s.Counts[9] += from[9]
}
