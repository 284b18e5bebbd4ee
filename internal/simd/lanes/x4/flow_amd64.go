// Code generated from ../flow.go.tmpl; DO NOT EDIT.

//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package lanes

import (
	"unsafe"

	"gobench/internal/simd/kernel"
)

// Flow holds the kernels of the operator D.
var Flow = kernel.Flow{Primitives: flowPrimitives, Residual: flowResidual}

func flowPrimitives(a *kernel.Row) {
	pu, pw := unsafe.Pointer(&a.U[a.At-8]), unsafe.Pointer(&a.W[a.Next-8])
	c := 8 * a.Comp
	one, half := every(1.0), every(0.5)
	for i := 0; i < 8*a.Comp; i += width {
		r := one.Div(*at(pu, i))
		m1, m2, m3 := *at(pu, i+c), *at(pu, i+2*c), *at(pu, i+3*c)
		v1, v2, v3 := m1.Mul(r), m2.Mul(r), m3.Mul(r)
		q := half.Mul(v3.MulAdd(m3, v2.MulAdd(m2, v1.Mul(m1))))
		*at(pw, i) = v1
		*at(pw, i+c) = v2
		*at(pw, i+2*c) = v3
		*at(pw, i+3*c) = q
		*at(pw, i+4*c) = q.Mul(r)
		*at(pw, i+5*c) = at(pu, i+4*c).Mul(r)
	}
	end()
}

func flowResidual(a *kernel.Row) {
	pu, pf, pr, pw := unsafe.Pointer(&a.U[a.At]), unsafe.Pointer(&a.F[a.At]), unsafe.Pointer(&a.R[a.At]), unsafe.Pointer(&a.W[a.Here])
	c := 8 * a.Comp
	stepx, stepy, stepz := 8, 8*a.Y, 8*a.Z
	wxm, wxp := unsafe.Add(pw, -8), unsafe.Add(pw, 8)
	wym, wzm := unsafe.Pointer(&a.W[a.SideY[0]]), unsafe.Pointer(&a.W[a.SideZ[0]])
	wyp, wzp := unsafe.Pointer(&a.W[a.SideY[1]]), unsafe.Pointer(&a.W[a.SideZ[1]])
	px0 := unsafe.Pointer(&a.X[0][0])
	px1 := unsafe.Pointer(&a.X[1][0])
	px2 := unsafe.Pointer(&a.X[2][0])
	px3 := unsafe.Pointer(&a.X[3][0])
	px4 := unsafe.Pointer(&a.X[4][0])
	ps := unsafe.Pointer(&a.Scale[0])
	// Constants are in memory: in registers the compiler keeps them as scalars, and moves these by
	// instructions that are slow between those of vectors.
	var k struct {
		c2, centre, y0, y1, y3, y4, z0, z1, z3, z4 vec
		half, flow, normal, square, kinetic, heat  [3]vec // along each axis
	}
	k.c2, k.centre = every(0.4), every(a.YZ[0][2]).Add(every(a.YZ[1][2]))
	k.y0, k.y1, k.y3, k.y4 = every(a.YZ[0][0]), every(a.YZ[0][1]), every(a.YZ[0][3]), every(a.YZ[0][4])
	k.z0, k.z1, k.z3, k.z4 = every(a.YZ[1][0]), every(a.YZ[1][1]), every(a.YZ[1][3]), every(a.YZ[1][4])
	for i := range 3 {
		v := every(a.Viscous[i])
		k.half[i], k.flow[i], k.normal[i] = every(-1).Mul(every(a.Half[i])), v, v.Mul(every(4.0/3))
		k.square[i], k.kinetic[i], k.heat[i] = v.Mul(every(1-1.96)), v.Mul(every(1.0/6)), v.Mul(every(1.96))
	}
	for i := 0; i < 8*a.N; i += width {
		w := k.centre.Add(*at(px2, i))
		r0 := w.MulAdd(*at(pu, i+0*c), *at(pf, i+0*c))
		r1 := w.MulAdd(*at(pu, i+1*c), *at(pf, i+1*c))
		r2 := w.MulAdd(*at(pu, i+2*c), *at(pf, i+2*c))
		r3 := w.MulAdd(*at(pu, i+3*c), *at(pf, i+3*c))
		r4 := w.MulAdd(*at(pu, i+4*c), *at(pf, i+4*c))
		v1 := *at(pw, i+0*c)
		dv1 := v1.Add(v1)
		v2 := *at(pw, i+1*c)
		dv2 := v2.Add(v2)
		v3 := *at(pw, i+2*c)
		dv3 := v3.Add(v3)
		ds, de := *at(pw, i+4*c), *at(pw, i+5*c)
		ds = ds.Add(ds)
		de = de.Add(de)
		w = *at(px0, i)
		r0 = w.MulAdd(*at(pu, i+0*c-2*stepx), r0)
		r1 = w.MulAdd(*at(pu, i+1*c-2*stepx), r1)
		r2 = w.MulAdd(*at(pu, i+2*c-2*stepx), r2)
		r3 = w.MulAdd(*at(pu, i+3*c-2*stepx), r3)
		r4 = w.MulAdd(*at(pu, i+4*c-2*stepx), r4)
		w = *at(px4, i)
		r0 = w.MulAdd(*at(pu, i+0*c+2*stepx), r0)
		r1 = w.MulAdd(*at(pu, i+1*c+2*stepx), r1)
		r2 = w.MulAdd(*at(pu, i+2*c+2*stepx), r2)
		r3 = w.MulAdd(*at(pu, i+3*c+2*stepx), r3)
		r4 = w.MulAdd(*at(pu, i+4*c+2*stepx), r4)
		xm0 := *at(pu, i+0*c-stepx)
		xm1 := *at(pu, i+1*c-stepx)
		xm2 := *at(pu, i+2*c-stepx)
		xm3 := *at(pu, i+3*c-stepx)
		xm4 := *at(pu, i+4*c-stepx)
		w = *at(px1, i)
		r0 = w.MulAdd(xm0, r0)
		r1 = w.MulAdd(xm1, r1)
		r2 = w.MulAdd(xm2, r2)
		r3 = w.MulAdd(xm3, r3)
		r4 = w.MulAdd(xm4, r4)
		xmv := *at(wxm, i+0*c)
		xmq := k.c2.Mul(xm4.Sub(*at(wxm, i+3*c)))
		xp0 := *at(pu, i+0*c+stepx)
		xp1 := *at(pu, i+1*c+stepx)
		xp2 := *at(pu, i+2*c+stepx)
		xp3 := *at(pu, i+3*c+stepx)
		xp4 := *at(pu, i+4*c+stepx)
		w = *at(px3, i)
		r0 = w.MulAdd(xp0, r0)
		r1 = w.MulAdd(xp1, r1)
		r2 = w.MulAdd(xp2, r2)
		r3 = w.MulAdd(xp3, r3)
		r4 = w.MulAdd(xp4, r4)
		xpv := *at(wxp, i+0*c)
		xpq := k.c2.Mul(xp4.Sub(*at(wxp, i+3*c)))
		r0 = k.half[0].MulAdd(xp1.Sub(xm1), r0)
		r1 = k.half[0].MulAdd(xp1.MulAdd(xpv, xpq).Sub(xm1.MulAdd(xmv, xmq)), r1)
		r1 = k.normal[0].MulAdd(xpv.Add(xmv).Sub(dv1), r1)
		r2 = k.half[0].MulAdd(xp2.Mul(xpv).Sub(xm2.Mul(xmv)), r2)
		r2 = k.flow[0].MulAdd(at(wxp, i+1*c).Add(*at(wxm, i+1*c)).Sub(dv2), r2)
		r3 = k.half[0].MulAdd(xp3.Mul(xpv).Sub(xm3.Mul(xmv)), r3)
		r3 = k.flow[0].MulAdd(at(wxp, i+2*c).Add(*at(wxm, i+2*c)).Sub(dv3), r3)
		r4 = k.half[0].MulAdd(xp4.Add(xpq).Mul(xpv).Sub(xm4.Add(xmq).Mul(xmv)), r4)
		r4 = k.square[0].MulAdd(at(wxp, i+4*c).Add(*at(wxm, i+4*c)).Sub(ds), r4)
		r4 = k.kinetic[0].MulAdd(xpv.MulAdd(xpv, xmv.Mul(xmv).Sub(dv1.Mul(v1))), r4)
		r4 = k.heat[0].MulAdd(at(wxp, i+5*c).Add(*at(wxm, i+5*c)).Sub(de), r4)
		w = k.y0
		r0 = w.MulAdd(*at(pu, i+0*c-2*stepy), r0)
		r1 = w.MulAdd(*at(pu, i+1*c-2*stepy), r1)
		r2 = w.MulAdd(*at(pu, i+2*c-2*stepy), r2)
		r3 = w.MulAdd(*at(pu, i+3*c-2*stepy), r3)
		r4 = w.MulAdd(*at(pu, i+4*c-2*stepy), r4)
		w = k.y4
		r0 = w.MulAdd(*at(pu, i+0*c+2*stepy), r0)
		r1 = w.MulAdd(*at(pu, i+1*c+2*stepy), r1)
		r2 = w.MulAdd(*at(pu, i+2*c+2*stepy), r2)
		r3 = w.MulAdd(*at(pu, i+3*c+2*stepy), r3)
		r4 = w.MulAdd(*at(pu, i+4*c+2*stepy), r4)
		ym0 := *at(pu, i+0*c-stepy)
		ym1 := *at(pu, i+1*c-stepy)
		ym2 := *at(pu, i+2*c-stepy)
		ym3 := *at(pu, i+3*c-stepy)
		ym4 := *at(pu, i+4*c-stepy)
		w = k.y1
		r0 = w.MulAdd(ym0, r0)
		r1 = w.MulAdd(ym1, r1)
		r2 = w.MulAdd(ym2, r2)
		r3 = w.MulAdd(ym3, r3)
		r4 = w.MulAdd(ym4, r4)
		ymv := *at(wym, i+1*c)
		ymq := k.c2.Mul(ym4.Sub(*at(wym, i+3*c)))
		yp0 := *at(pu, i+0*c+stepy)
		yp1 := *at(pu, i+1*c+stepy)
		yp2 := *at(pu, i+2*c+stepy)
		yp3 := *at(pu, i+3*c+stepy)
		yp4 := *at(pu, i+4*c+stepy)
		w = k.y3
		r0 = w.MulAdd(yp0, r0)
		r1 = w.MulAdd(yp1, r1)
		r2 = w.MulAdd(yp2, r2)
		r3 = w.MulAdd(yp3, r3)
		r4 = w.MulAdd(yp4, r4)
		ypv := *at(wyp, i+1*c)
		ypq := k.c2.Mul(yp4.Sub(*at(wyp, i+3*c)))
		r0 = k.half[1].MulAdd(yp2.Sub(ym2), r0)
		r1 = k.half[1].MulAdd(yp1.Mul(ypv).Sub(ym1.Mul(ymv)), r1)
		r1 = k.flow[1].MulAdd(at(wyp, i+0*c).Add(*at(wym, i+0*c)).Sub(dv1), r1)
		r2 = k.half[1].MulAdd(yp2.MulAdd(ypv, ypq).Sub(ym2.MulAdd(ymv, ymq)), r2)
		r2 = k.normal[1].MulAdd(ypv.Add(ymv).Sub(dv2), r2)
		r3 = k.half[1].MulAdd(yp3.Mul(ypv).Sub(ym3.Mul(ymv)), r3)
		r3 = k.flow[1].MulAdd(at(wyp, i+2*c).Add(*at(wym, i+2*c)).Sub(dv3), r3)
		r4 = k.half[1].MulAdd(yp4.Add(ypq).Mul(ypv).Sub(ym4.Add(ymq).Mul(ymv)), r4)
		r4 = k.square[1].MulAdd(at(wyp, i+4*c).Add(*at(wym, i+4*c)).Sub(ds), r4)
		r4 = k.kinetic[1].MulAdd(ypv.MulAdd(ypv, ymv.Mul(ymv).Sub(dv2.Mul(v2))), r4)
		r4 = k.heat[1].MulAdd(at(wyp, i+5*c).Add(*at(wym, i+5*c)).Sub(de), r4)
		w = k.z0
		r0 = w.MulAdd(*at(pu, i+0*c-2*stepz), r0)
		r1 = w.MulAdd(*at(pu, i+1*c-2*stepz), r1)
		r2 = w.MulAdd(*at(pu, i+2*c-2*stepz), r2)
		r3 = w.MulAdd(*at(pu, i+3*c-2*stepz), r3)
		r4 = w.MulAdd(*at(pu, i+4*c-2*stepz), r4)
		w = k.z4
		r0 = w.MulAdd(*at(pu, i+0*c+2*stepz), r0)
		r1 = w.MulAdd(*at(pu, i+1*c+2*stepz), r1)
		r2 = w.MulAdd(*at(pu, i+2*c+2*stepz), r2)
		r3 = w.MulAdd(*at(pu, i+3*c+2*stepz), r3)
		r4 = w.MulAdd(*at(pu, i+4*c+2*stepz), r4)
		zm0 := *at(pu, i+0*c-stepz)
		zm1 := *at(pu, i+1*c-stepz)
		zm2 := *at(pu, i+2*c-stepz)
		zm3 := *at(pu, i+3*c-stepz)
		zm4 := *at(pu, i+4*c-stepz)
		w = k.z1
		r0 = w.MulAdd(zm0, r0)
		r1 = w.MulAdd(zm1, r1)
		r2 = w.MulAdd(zm2, r2)
		r3 = w.MulAdd(zm3, r3)
		r4 = w.MulAdd(zm4, r4)
		zmv := *at(wzm, i+2*c)
		zmq := k.c2.Mul(zm4.Sub(*at(wzm, i+3*c)))
		zp0 := *at(pu, i+0*c+stepz)
		zp1 := *at(pu, i+1*c+stepz)
		zp2 := *at(pu, i+2*c+stepz)
		zp3 := *at(pu, i+3*c+stepz)
		zp4 := *at(pu, i+4*c+stepz)
		w = k.z3
		r0 = w.MulAdd(zp0, r0)
		r1 = w.MulAdd(zp1, r1)
		r2 = w.MulAdd(zp2, r2)
		r3 = w.MulAdd(zp3, r3)
		r4 = w.MulAdd(zp4, r4)
		zpv := *at(wzp, i+2*c)
		zpq := k.c2.Mul(zp4.Sub(*at(wzp, i+3*c)))
		r0 = k.half[2].MulAdd(zp3.Sub(zm3), r0)
		r1 = k.half[2].MulAdd(zp1.Mul(zpv).Sub(zm1.Mul(zmv)), r1)
		r1 = k.flow[2].MulAdd(at(wzp, i+0*c).Add(*at(wzm, i+0*c)).Sub(dv1), r1)
		r2 = k.half[2].MulAdd(zp2.Mul(zpv).Sub(zm2.Mul(zmv)), r2)
		r2 = k.flow[2].MulAdd(at(wzp, i+1*c).Add(*at(wzm, i+1*c)).Sub(dv2), r2)
		r3 = k.half[2].MulAdd(zp3.MulAdd(zpv, zpq).Sub(zm3.MulAdd(zmv, zmq)), r3)
		r3 = k.normal[2].MulAdd(zpv.Add(zmv).Sub(dv3), r3)
		r4 = k.half[2].MulAdd(zp4.Add(zpq).Mul(zpv).Sub(zm4.Add(zmq).Mul(zmv)), r4)
		r4 = k.square[2].MulAdd(at(wzp, i+4*c).Add(*at(wzm, i+4*c)).Sub(ds), r4)
		r4 = k.kinetic[2].MulAdd(zpv.MulAdd(zpv, zmv.Mul(zmv).Sub(dv3.Mul(v3))), r4)
		r4 = k.heat[2].MulAdd(at(wzp, i+5*c).Add(*at(wzm, i+5*c)).Sub(de), r4)
		w = *at(ps, i)
		*at(pr, i+0*c) = w.Mul(r0)
		*at(pr, i+1*c) = w.Mul(r1)
		*at(pr, i+2*c) = w.Mul(r2)
		*at(pr, i+3*c) = w.Mul(r3)
		*at(pr, i+4*c) = w.Mul(r4)
	}
	end()
}
