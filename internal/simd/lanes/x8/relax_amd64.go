// Code generated from ../x1/relax.go; DO NOT EDIT.

//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package lanes

import (
	"unsafe"

	"gobench/internal/simd/kernel"
)

// Relax holds the parts of a sweep of LU in which points do not depend on one another.
var Relax = kernel.Relax{Look: relaxLook, Products: relaxProducts, ProductsAdd: relaxProductsAdd}

// at returns the vector i bytes behind p.
func at(p unsafe.Pointer, i int) *vec { return (*vec)(unsafe.Add(p, i)) }

func relaxLook(a *kernel.RelaxRow) {
	pu, pr, pp := unsafe.Pointer(&a.U[a.At]), unsafe.Pointer(&a.R[a.At]), unsafe.Pointer(&a.P[0])
	pt, py, pz := unsafe.Pointer(&a.T[0]), unsafe.Pointer(&a.Y[0]), unsafe.Pointer(&a.Z[a.Plane])
	c := 8 * a.Comp
	one, half, c1, c2, viscosity := every(1.0), every(0.5), every(1.4), every(0.4), every(0.1)
	diagonal, heat, keep, add := every(a.Diagonal), every(a.Heat), every(a.Keep), every(a.Add)
	m1, m2, m3 := every(a.Momentum[0]), every(a.Momentum[1]), every(a.Momentum[2])
	for i := 0; i < 8*a.N; i += width {
		r := one.Div(*at(pu, i))
		v1, v2, v3, e := at(pu, i+c).Mul(r), at(pu, i+2*c).Mul(r), at(pu, i+3*c).Mul(r), at(pu, i+4*c).Mul(r)
		s := half.Mul(v3.MulAdd(v3, v2.MulAdd(v2, v1.Mul(v1))))
		kr := viscosity.Mul(r)
		k1, k2, k3, k4 := kr.Mul(m1), kr.Mul(m2), kr.Mul(m3), kr.Mul(heat)
		*at(pp, i) = v1
		*at(pp, i+c) = v2
		*at(pp, i+2*c) = v3
		*at(pp, i+3*c) = e
		*at(pp, i+4*c) = s
		*at(pp, i+5*c) = c1.Mul(e).Sub(c2.Mul(s))
		*at(pp, i+6*c) = kr
		*at(pp, i+7*c) = k1
		*at(pp, i+8*c) = k2
		*at(pp, i+9*c) = k3
		*at(pp, i+10*c) = one.Div(diagonal.Add(k1))
		*at(pp, i+11*c) = one.Div(diagonal.Add(k2))
		*at(pp, i+12*c) = one.Div(diagonal.Add(k3))
		*at(pp, i+13*c) = one.Div(diagonal.Add(k4))
		*at(pp, i+14*c) = k4
		*at(pt, i+0*c) = add.MulAdd(at(py, i+0*c).Add(*at(pz, i+0*c)), keep.Mul(*at(pr, i+0*c)))
		*at(pt, i+1*c) = add.MulAdd(at(py, i+1*c).Add(*at(pz, i+1*c)), keep.Mul(*at(pr, i+1*c)))
		*at(pt, i+2*c) = add.MulAdd(at(py, i+2*c).Add(*at(pz, i+2*c)), keep.Mul(*at(pr, i+2*c)))
		*at(pt, i+3*c) = add.MulAdd(at(py, i+3*c).Add(*at(pz, i+3*c)), keep.Mul(*at(pr, i+3*c)))
		*at(pt, i+4*c) = add.MulAdd(at(py, i+4*c).Add(*at(pz, i+4*c)), keep.Mul(*at(pr, i+4*c)))
	}
	end()
}

func relaxProducts(a *kernel.RelaxRow) {
	pr, pp, py, pz := unsafe.Pointer(&a.R[a.At]), unsafe.Pointer(&a.P[0]), unsafe.Pointer(&a.Y[0]), unsafe.Pointer(&a.Z[a.Plane])
	c := 8 * a.Comp
	c2, cool, warm, third := every(0.4), every(1-1.96), every(1.96), every(1.0/3)
	fy, dy, hy := every(a.Convect[1]), every(a.Diffuse[1]), every(a.Shift[1])
	fz, dz, hz := every(a.Convect[2]), every(a.Diffuse[2]), every(a.Shift[2])
	for i := 0; i < 8*a.N; i += width {
		q0, q1, q2, q3, q4 := *at(pr, i), *at(pr, i+c), *at(pr, i+2*c), *at(pr, i+3*c), *at(pr, i+4*c)
		v1, v2, v3 := *at(pp, i), *at(pp, i+c), *at(pp, i+2*c)
		w1, w2, w3 := q1.Sub(v1.Mul(q0)), q2.Sub(v2.Mul(q0)), q3.Sub(v3.Mul(q0))
		vw := v3.MulAdd(w3, v2.MulAdd(w2, v1.Mul(w1)))
		pressure := c2.Mul(q4.Sub(vw).Sub(at(pp, i+4*c).Mul(q0)))
		heat := warm.MulAdd(q4.Sub(at(pp, i+3*c).Mul(q0)), cool.Mul(vw))
		kr, head := *at(pp, i+6*c), *at(pp, i+5*c)
		ky := dy.Mul(kr)
		ty := third.Mul(w2)
		*at(py, i) = fy.Mul(q2).Sub(hy.Mul(q0))
		*at(py, i+1*c) = fy.Mul(v2.MulAdd(q1, v1.Mul(w2))).Sub(ky.Mul(w1)).Sub(hy.Mul(q1))
		*at(py, i+2*c) = fy.Mul(v2.MulAdd(q2, v2.Mul(w2)).Add(pressure)).Sub(ky.Mul(w2.Add(ty))).Sub(hy.Mul(q2))
		*at(py, i+3*c) = fy.Mul(v2.MulAdd(q3, v3.Mul(w2))).Sub(ky.Mul(w3)).Sub(hy.Mul(q3))
		*at(py, i+4*c) = fy.Mul(head.MulAdd(w2, v2.Mul(pressure.Add(q4)))).Sub(ky.Mul(v2.MulAdd(ty, heat))).Sub(hy.Mul(q4))
		kz := dz.Mul(kr)
		tz := third.Mul(w3)
		*at(pz, i) = fz.Mul(q3).Sub(hz.Mul(q0))
		*at(pz, i+1*c) = fz.Mul(v3.MulAdd(q1, v1.Mul(w3))).Sub(kz.Mul(w1)).Sub(hz.Mul(q1))
		*at(pz, i+2*c) = fz.Mul(v3.MulAdd(q2, v2.Mul(w3))).Sub(kz.Mul(w2)).Sub(hz.Mul(q2))
		*at(pz, i+3*c) = fz.Mul(v3.MulAdd(q3, v3.Mul(w3)).Add(pressure)).Sub(kz.Mul(w3.Add(tz))).Sub(hz.Mul(q3))
		*at(pz, i+4*c) = fz.Mul(head.MulAdd(w3, v3.Mul(pressure.Add(q4)))).Sub(kz.Mul(v3.MulAdd(tz, heat))).Sub(hz.Mul(q4))
	}
	end()
}

func relaxProductsAdd(a *kernel.RelaxRow) {
	relaxProducts(a)
	pu, pr, gain := unsafe.Pointer(&a.U[a.At]), unsafe.Pointer(&a.R[a.At]), every(a.Gain)
	for m := range 5 {
		for i := 8 * m * a.Comp; i < 8*(m*a.Comp+a.N); i += width {
			*at(pu, i) = gain.MulAdd(*at(pr, i), *at(pu, i))
		}
	}
	end()
}
