// Code generated from ../x2/solver.go; DO NOT EDIT.

//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package lanes

import (
	"unsafe"

	plain "gobench/internal/simd/lanes/x1"
)

// Dot returns the sum of a[i] * b[i].
func Dot(a, b []float64) float64 {
	b = b[:len(a)]
	n := len(a) &^ (width/2 - 1) // four vectors
	pa, pb := start(a), start(b)
	var s0, s1, s2, s3 vec
	for i := 0; i < 8*n; i += 4 * width {
		s0 = at(pa, i).MulAdd(*at(pb, i), s0)
		s1 = at(pa, i+width).MulAdd(*at(pb, i+width), s1)
		s2 = at(pa, i+2*width).MulAdd(*at(pb, i+2*width), s2)
		s3 = at(pa, i+3*width).MulAdd(*at(pb, i+3*width), s3)
	}
	return sum(s0.Add(s1).Add(s2.Add(s3))) + plain.Dot(a[n:], b[n:])
}

// sum returns the sum of the numbers of a vector, and ends the use of vectors.
func sum(v vec) (s float64) {
	var numbers [width / 8]float64
	*at(start(numbers[:]), 0) = v
	end()
	for _, x := range numbers {
		s += x
	}
	return s
}

// Update steps: z += alpha p and r -= alpha q. It returns the sum of the squares of the new r.
func Update(z, r, p, q []float64, alpha float64) float64 {
	r, p, q = r[:len(z)], p[:len(z)], q[:len(z)]
	n := len(z) &^ (width/4 - 1) // two vectors
	return update(start(z), start(r), start(p), start(q), 8*n, alpha) + plain.Update(z[n:], r[n:], p[n:], q[n:], alpha)
}

// update is apart because scalars between vectors are slow.
func update(pz, pr, pp, pq unsafe.Pointer, n int, alpha float64) float64 {
	var s0, s1 vec
	forth := every(alpha)
	back := s0.Sub(forth)
	for i := 0; i < n; i += 2 * width {
		r0, r1 := back.MulAdd(*at(pq, i), *at(pr, i)), back.MulAdd(*at(pq, i+width), *at(pr, i+width))
		z0, z1 := forth.MulAdd(*at(pp, i), *at(pz, i)), forth.MulAdd(*at(pp, i+width), *at(pz, i+width))
		*at(pr, i), *at(pr, i+width), *at(pz, i), *at(pz, i+width) = r0, r1, z0, z1
		s0, s1 = r0.MulAdd(r0, s0), r1.MulAdd(r1, s1)
	}
	return sum(s0.Add(s1))
}

// Direction sets p = r + beta p.
func Direction(p, r []float64, beta float64) {
	r = r[:len(p)]
	n := len(p) &^ (width/4 - 1)
	plain.Direction(p[n:], r[n:], beta)
	pp, pr, k := start(p), start(r), every(beta)
	for i := 0; i < 8*n; i += 2 * width {
		x, y := k.MulAdd(*at(pp, i), *at(pr, i)), k.MulAdd(*at(pp, i+width), *at(pr, i+width))
		*at(pp, i), *at(pp, i+width) = x, y
	}
	end()
}
