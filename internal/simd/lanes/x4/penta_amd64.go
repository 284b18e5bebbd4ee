// Code generated from ../x1/penta.go; DO NOT EDIT.

//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package lanes

import (
	"unsafe"

	"gobench/internal/simd/kernel"
)

// Penta holds the solvers of SP. Of the three factors, f0 to f2, the first solves components 0 to
// 2, the others 3 and 4.
var Penta = kernel.Penta{
	Forward:     func(l *kernel.Lines) { pentaForward(l, false) },
	Transformed: func(l *kernel.Lines) { pentaForward(l, true) },
	BackX:       func(l *kernel.Lines) { pentaBack(l, 0) },
	BackY:       func(l *kernel.Lines) { pentaBack(l, 1) },
	BackZ:       pentaBackZ,
}

// keptPenta is the bytes kept of a position.
const keptPenta = 8 * kernel.PentaKept * kernel.LineLanes

// pentaForward eliminates. Its speeds h, sounds w and diffusions g belong to the position after
// p; 0 and m belong to p and to the position before.
func pentaForward(l *kernel.Lines, transform bool) {
	zero, one, half, two, minus := every(0), every(1), every(0.5), every(2), every(-1)
	c2, c12, root2, tau := every(0.4), every(0.56), every(0.70710678118654752), every(l.Tau2)
	diff, shear := every(l.Tau1*l.Delta), every(l.Tau1*0.196)
	u0, u1, u2, u3, u4 := 8*l.UComp[0], 8*l.UComp[1], 8*l.UComp[2], 8*l.UComp[3], 8*l.UComp[4]
	r0, r1, r2, r3, r4 := 8*l.RComp[0], 8*l.RComp[1], 8*l.RComp[2], 8*l.RComp[3], 8*l.RComp[4]
	un := 8 * l.Normal
	bands := unsafe.Pointer(unsafe.SliceData(l.Bands[:5*l.Hi]))
	u, r, kept, work := unsafe.Pointer(&l.U[l.UAt]), unsafe.Pointer(&l.R[l.RAt]), unsafe.Pointer(&l.Kept[l.At]), unsafe.Pointer(&l.Work[0])
	in, out := unsafe.Pointer(&l.In[0]), unsafe.Pointer(&l.Out[0])
	for lane := 0; lane < 8*kernel.LineLanes; lane += width {
		pu := unsafe.Add(u, 8*l.UStep*(l.Lo-1)+lane)
		pr := unsafe.Add(r, 8*l.RStep*l.Lo+lane)
		pk := unsafe.Add(kept, keptPenta*l.Lo+lane)
		pw := unsafe.Add(work, lane) // what the transform needs of position p
		ps, po := unsafe.Add(in, lane), unsafe.Add(out, lane)
		f0l41, f0l51, f0l42, f0l52 := *at(ps, 64*0), *at(ps, 64*1), *at(ps, 64*2), *at(ps, 64*3)
		f1l41, f1l51, f1l42, f1l52 := *at(ps, 64*4), *at(ps, 64*5), *at(ps, 64*6), *at(ps, 64*7)
		f2l41, f2l51, f2l42, f2l52 := *at(ps, 64*8), *at(ps, 64*9), *at(ps, 64*10), *at(ps, 64*11)
		q01, q11, q21, q31, q41 := *at(ps, 64*12), *at(ps, 64*13), *at(ps, 64*14), *at(ps, 64*15), *at(ps, 64*16)
		q02, q12, q22, q32, q42 := *at(ps, 64*17), *at(ps, 64*18), *at(ps, 64*19), *at(ps, 64*20), *at(ps, 64*21)
		r := one.Div(*at(pu, u0))
		v1, v2, v3 := at(pu, u1).Mul(r), at(pu, u2).Mul(r), at(pu, u3).Mul(r)
		s := half.Mul(v3.MulAdd(v3, v2.MulAdd(v2, v1.Mul(v1))))
		a := c12.Mul(at(pu, u4).Mul(r).Sub(s)).Sqrt()
		hm, wm, gm := tau.Mul(at(pu, un).Mul(r)), tau.Mul(a), shear.MulAdd(r, diff)
		pu = unsafe.Add(pu, 8*l.UStep)
		r = one.Div(*at(pu, u0))
		v1, v2, v3 = at(pu, u1).Mul(r), at(pu, u2).Mul(r), at(pu, u3).Mul(r)
		s = half.Mul(v3.MulAdd(v3, v2.MulAdd(v2, v1.Mul(v1))))
		aa := c12.Mul(at(pu, u4).Mul(r).Sub(s))
		a = aa.Sqrt()
		*at(pw, 64*0), *at(pw, 64*1), *at(pw, 64*2), *at(pw, 64*3) = r, v1, v2, v3
		*at(pw, 64*4), *at(pw, 64*5), *at(pw, 64*6) = s, a, aa
		h0, w0, g0 := tau.Mul(at(pu, un).Mul(r)), tau.Mul(a), shear.MulAdd(r, diff)
		for p := l.Lo; p < l.Hi; p++ {
			if transform {
				r, v1, v2, v3 := *at(pw, 64*0), *at(pw, 64*1), *at(pw, 64*2), *at(pw, 64*3)
				d0, d1, d2, d3, d4 := *at(pr, r0), *at(pr, r1), *at(pr, r2), *at(pr, r3), *at(pr, r4)
				t1 := c2.Div(*at(pw, 64*6)).Mul(at(pw, 64*4).MulAdd(d0, d4).Sub(v1.Mul(d1)).Sub(v2.Mul(d2)).Sub(v3.Mul(d3)))
				b := root2.Mul(r)
				t2, t3 := b.Mul(v1.Mul(d0).Sub(d1)), b.Mul(*at(pw, 64*5)).Mul(t1)
				*at(pr, r0), *at(pr, r1) = d0.Sub(t1), zero.Sub(v3.Mul(d0).Sub(d3)).Mul(r)
				*at(pr, r2), *at(pr, r3), *at(pr, r4) = v2.Mul(d0).Sub(d2).Mul(r), t3.Sub(t2), t3.Add(t2)
			}
			pu = unsafe.Add(pu, 8*l.UStep)
			r := one.Div(*at(pu, u0))
			v1, v2, v3 := at(pu, u1).Mul(r), at(pu, u2).Mul(r), at(pu, u3).Mul(r)
			s := half.Mul(v3.MulAdd(v3, v2.MulAdd(v2, v1.Mul(v1))))
			aa := c12.Mul(at(pu, u4).Mul(r).Sub(s))
			a := aa.Sqrt()
			if transform {
				*at(pw, 64*0), *at(pw, 64*1), *at(pw, 64*2), *at(pw, 64*3) = r, v1, v2, v3
				*at(pw, 64*4), *at(pw, 64*5), *at(pw, 64*6) = s, a, aa
			}
			h, w, g := tau.Mul(at(pu, un).Mul(r)), tau.Mul(a), shear.MulAdd(r, diff)
			b := (*[5]float64)(unsafe.Add(bands, 40*p))
			l1, z2, z4 := every(b[0]), every(b[1]), every(b[3])
			*at(pw, 64*7) = every(b[4]) // in a register it would be a scalar there
			l3 := two.MulAdd(g0, every(b[2]).Add(one))
			f0l2, f0l4 := z2.Sub(hm).Sub(gm), z4.Add(h).Sub(g)

			f0m := l1.MulAdd(f0l42, f0l2)
			f0g := minus.Div(f0m.MulAdd(f0l41, l1.MulAdd(f0l52, l3)))
			f0l42, f0l52, f0l41, f0l51 = f0l41, f0l51, f0m.MulAdd(f0l51, f0l4).Mul(f0g), at(pw, 64*7).Mul(f0g)
			*at(pk, 64*0), *at(pk, 64*1) = f0l41, f0l51
			f1m := l1.MulAdd(f1l42, f0l2.Sub(wm))
			f1g := minus.Div(f1m.MulAdd(f1l41, l1.MulAdd(f1l52, l3)))
			f1l42, f1l52, f1l41, f1l51 = f1l41, f1l51, f1m.MulAdd(f1l51, f0l4.Add(w)).Mul(f1g), at(pw, 64*7).Mul(f1g)
			*at(pk, 64*2), *at(pk, 64*3) = f1l41, f1l51
			f2m := l1.MulAdd(f2l42, f0l2.Add(wm))
			f2g := minus.Div(f2m.MulAdd(f2l41, l1.MulAdd(f2l52, l3)))
			f2l42, f2l52, f2l41, f2l51 = f2l41, f2l51, f2m.MulAdd(f2l51, f0l4.Sub(w)).Mul(f2g), at(pw, 64*7).Mul(f2g)
			*at(pk, 64*4), *at(pk, 64*5) = f2l41, f2l51

			q01, q02 = f0m.MulAdd(q01, l1.MulAdd(q02, *at(pr, r0))).Mul(f0g), q01
			*at(pr, r0) = q01
			q11, q12 = f0m.MulAdd(q11, l1.MulAdd(q12, *at(pr, r1))).Mul(f0g), q11
			*at(pr, r1) = q11
			q21, q22 = f0m.MulAdd(q21, l1.MulAdd(q22, *at(pr, r2))).Mul(f0g), q21
			*at(pr, r2) = q21
			q31, q32 = f1m.MulAdd(q31, l1.MulAdd(q32, *at(pr, r3))).Mul(f1g), q31
			*at(pr, r3) = q31
			q41, q42 = f2m.MulAdd(q41, l1.MulAdd(q42, *at(pr, r4))).Mul(f2g), q41
			*at(pr, r4) = q41
			// A pointer behind its memory is an error to the garbage collector.
			if p+1 < l.Hi {
				pk, pr = unsafe.Add(pk, keptPenta), unsafe.Add(pr, 8*l.RStep)
			}
			hm, wm, gm, h0, w0, g0 = h0, w0, g0, h, w, g
		}
		*at(po, 64*0), *at(po, 64*1), *at(po, 64*2), *at(po, 64*3) = f0l41, f0l51, f0l42, f0l52
		*at(po, 64*4), *at(po, 64*5), *at(po, 64*6), *at(po, 64*7) = f1l41, f1l51, f1l42, f1l52
		*at(po, 64*8), *at(po, 64*9), *at(po, 64*10), *at(po, 64*11) = f2l41, f2l51, f2l42, f2l52
		*at(po, 64*12), *at(po, 64*13), *at(po, 64*14), *at(po, 64*15), *at(po, 64*16) = q01, q11, q21, q31, q41
		*at(po, 64*17), *at(po, 64*18), *at(po, 64*19), *at(po, 64*20), *at(po, 64*21) = q02, q12, q22, q32, q42
	}
	end()
}

// pentaBack substitutes, and transforms the solution to the variables of the next axis. y is the
// negative of the solution.
func pentaBack(l *kernel.Lines, along int) {
	zero, half, root2 := every(0), every(0.5), every(0.70710678118654752)
	r0, r1, r2, r3, r4 := 8*l.RComp[0], 8*l.RComp[1], 8*l.RComp[2], 8*l.RComp[3], 8*l.RComp[4]
	if along == 1 { // the transform of x with the components turned
		r0, r1, r2 = r1, r2, r0
	}
	r, kept := unsafe.Pointer(&l.R[l.RAt]), unsafe.Pointer(&l.Kept[l.At])
	in, out := unsafe.Pointer(&l.In[0]), unsafe.Pointer(&l.Out[0])
	for lane := 0; lane < 8*kernel.LineLanes; lane += width {
		pr := unsafe.Add(r, 8*l.RStep*(l.Hi-1)+lane)
		pk := unsafe.Add(kept, keptPenta*(l.Hi-1)+lane)
		ps, po := unsafe.Add(in, lane), unsafe.Add(out, lane)
		y01, y11, y21, y31, y41 := *at(ps, 64*0), *at(ps, 64*1), *at(ps, 64*2), *at(ps, 64*3), *at(ps, 64*4)
		y02, y12, y22, y32, y42 := *at(ps, 64*5), *at(ps, 64*6), *at(ps, 64*7), *at(ps, 64*8), *at(ps, 64*9)
		for p := l.Hi - 1; p >= l.Lo; p-- {
			f0l4, f0l5 := *at(pk, 64*0), *at(pk, 64*1)
			y0 := f0l5.MulAdd(y02, f0l4.MulAdd(y01, *at(pr, r0)))
			y1 := f0l5.MulAdd(y12, f0l4.MulAdd(y11, *at(pr, r1)))
			y2 := f0l5.MulAdd(y22, f0l4.MulAdd(y21, *at(pr, r2)))
			y3 := at(pk, 64*3).MulAdd(y32, at(pk, 64*2).MulAdd(y31, *at(pr, r3)))
			y4 := at(pk, 64*5).MulAdd(y42, at(pk, 64*4).MulAdd(y41, *at(pr, r4)))
			y01, y11, y21, y31, y41, y02, y12, y22, y32, y42 = y0, y1, y2, y3, y4, y01, y11, y21, y31, y41
			t1, t2 := root2.Mul(y2), half.Mul(y3.Add(y4))
			*at(pr, r0), *at(pr, r1), *at(pr, r2) = y1, zero.Sub(y0), root2.Mul(y4.Sub(y3))
			*at(pr, r3), *at(pr, r4) = t1.Sub(t2), zero.Sub(t2.Add(t1))
			if p > l.Lo {
				pr, pk = unsafe.Add(pr, -8*l.RStep), unsafe.Add(pk, -keptPenta)
			}
		}
		*at(po, 64*0), *at(po, 64*1), *at(po, 64*2), *at(po, 64*3), *at(po, 64*4) = y01, y11, y21, y31, y41
		*at(po, 64*5), *at(po, 64*6), *at(po, 64*7), *at(po, 64*8), *at(po, 64*9) = y02, y12, y22, y32, y42
	}
	end()
}

// pentaBackZ substitutes, transforms the solution to conserved variables and adds it.
func pentaBackZ(l *kernel.Lines) {
	one, half, root2, c12, heat := every(1), every(0.5), every(0.70710678118654752), every(0.56), every(2.5)
	u0, u1, u2, u3, u4 := 8*l.UComp[0], 8*l.UComp[1], 8*l.UComp[2], 8*l.UComp[3], 8*l.UComp[4]
	r0, r1, r2, r3, r4 := 8*l.RComp[0], 8*l.RComp[1], 8*l.RComp[2], 8*l.RComp[3], 8*l.RComp[4]
	u, r, kept := unsafe.Pointer(&l.U[l.UAt]), unsafe.Pointer(&l.R[l.RAt]), unsafe.Pointer(&l.Kept[l.At])
	in, out := unsafe.Pointer(&l.In[0]), unsafe.Pointer(&l.Out[0])
	for lane := 0; lane < 8*kernel.LineLanes; lane += width {
		pu := unsafe.Add(u, 8*l.UStep*(l.Hi-1)+lane)
		pr := unsafe.Add(r, 8*l.RStep*(l.Hi-1)+lane)
		pk := unsafe.Add(kept, keptPenta*(l.Hi-1)+lane)
		ps, po := unsafe.Add(in, lane), unsafe.Add(out, lane)
		y01, y11, y21, y31, y41 := *at(ps, 64*0), *at(ps, 64*1), *at(ps, 64*2), *at(ps, 64*3), *at(ps, 64*4)
		y02, y12, y22, y32, y42 := *at(ps, 64*5), *at(ps, 64*6), *at(ps, 64*7), *at(ps, 64*8), *at(ps, 64*9)
		for p := l.Hi - 1; p >= l.Lo; p-- {
			f0l4, f0l5 := *at(pk, 64*0), *at(pk, 64*1)
			y0 := f0l5.MulAdd(y02, f0l4.MulAdd(y01, *at(pr, r0)))
			y1 := f0l5.MulAdd(y12, f0l4.MulAdd(y11, *at(pr, r1)))
			y2 := f0l5.MulAdd(y22, f0l4.MulAdd(y21, *at(pr, r2)))
			y3 := at(pk, 64*3).MulAdd(y32, at(pk, 64*2).MulAdd(y31, *at(pr, r3)))
			y4 := at(pk, 64*5).MulAdd(y42, at(pk, 64*4).MulAdd(y41, *at(pr, r4)))
			y01, y11, y21, y31, y41, y02, y12, y22, y32, y42 = y0, y1, y2, y3, y4, y01, y11, y21, y31, y41
			d := *at(pu, u0)
			r := one.Div(d)
			v1, v2, v3 := at(pu, u1).Mul(r), at(pu, u2).Mul(r), at(pu, u3).Mul(r)
			s := half.Mul(v3.MulAdd(v3, v2.MulAdd(v2, v1.Mul(v1))))
			aa := c12.Mul(at(pu, u4).Mul(r).Sub(s))
			bd := root2.Mul(d)
			t1 := bd.Div(aa.Sqrt()).Mul(y3.Add(y4))
			t2, t3 := y2.Add(t1), bd.Mul(y3.Sub(y4))
			*at(pu, u0) = d.Sub(t2)
			*at(pu, u1) = at(pu, u1).Sub(v1.Mul(t2).Sub(d.Mul(y1)))
			*at(pu, u2) = at(pu, u2).Sub(d.MulAdd(y0, v2.Mul(t2)))
			*at(pu, u3) = at(pu, u3).Sub(v3.MulAdd(t2, t3))
			*at(pu, u4) = at(pu, u4).Sub(v3.MulAdd(t3, heat.Mul(aa).MulAdd(t1, d.MulAdd(v2.Mul(y0).Sub(v1.Mul(y1)), s.Mul(t2)))))
			if p > l.Lo {
				pu, pr, pk = unsafe.Add(pu, -8*l.UStep), unsafe.Add(pr, -8*l.RStep), unsafe.Add(pk, -keptPenta)
			}
		}
		*at(po, 64*0), *at(po, 64*1), *at(po, 64*2), *at(po, 64*3), *at(po, 64*4) = y01, y11, y21, y31, y41
		*at(po, 64*5), *at(po, 64*6), *at(po, 64*7), *at(po, 64*8), *at(po, 64*9) = y02, y12, y22, y32, y42
	}
	end()
}
