package lanes

import (
	"unsafe"

	"gobench/internal/simd/kernel"
)

// Kernels of package kernel.
var Penta = kernel.Penta{Forward: pentaForward, Transformed: pentaTransformed, BackX: pentaBackX, BackY: pentaBackY, BackZ: pentaBackZ}

func pentaForward(l *kernel.Lines) {
	one, half, c12, tau := every(1.0), every(0.5), every(0.56), every(l.Tau2)
	diff, shear, two, minus := every(l.Tau1*l.Delta), every(l.Tau1*0.196), every(2.0), every(-1.0)
	u0, r0 := 8*l.UComp[0], 8*l.RComp[0]
	u1, r1 := 8*l.UComp[1], 8*l.RComp[1]
	u2, r2 := 8*l.UComp[2], 8*l.RComp[2]
	u3, r3 := 8*l.UComp[3], 8*l.RComp[3]
	u4, r4 := 8*l.UComp[4], 8*l.RComp[4]
	un := 8 * l.Normal
	for lane := 0; lane < 64; lane += width {
		pu, pr := unsafe.Add(unsafe.Pointer(&l.U[l.UAt]), 8*l.UStep*(l.Lo-1)+lane), unsafe.Add(unsafe.Pointer(&l.R[l.RAt]), 8*l.RStep*l.Lo+lane)
		ps, po := unsafe.Add(unsafe.Pointer(&l.In[0]), lane), unsafe.Add(unsafe.Pointer(&l.Out[0]), lane)
		pk := unsafe.Add(unsafe.Pointer(&l.Kept[l.At]), 384*l.Lo+lane)
		f0l41, f0l51 := *at(ps, 64*0), *at(ps, 64*1)
		f0l42, f0l52 := *at(ps, 64*2), *at(ps, 64*3)
		f1l41, f1l51 := *at(ps, 64*4), *at(ps, 64*5)
		f1l42, f1l52 := *at(ps, 64*6), *at(ps, 64*7)
		f2l41, f2l51 := *at(ps, 64*8), *at(ps, 64*9)
		f2l42, f2l52 := *at(ps, 64*10), *at(ps, 64*11)
		q01, q02 := *at(ps, 64*12), *at(ps, 64*17)
		q11, q12 := *at(ps, 64*13), *at(ps, 64*18)
		q21, q22 := *at(ps, 64*14), *at(ps, 64*19)
		q31, q32 := *at(ps, 64*15), *at(ps, 64*20)
		q41, q42 := *at(ps, 64*16), *at(ps, 64*21)
		br := one.Div(*at(pu, u0))
		bv1, bv2, bv3 := (*at(pu, u1)).Mul(br), (*at(pu, u2)).Mul(br), (*at(pu, u3)).Mul(br)
		bs := half.Mul(bv3.MulAdd(bv3, bv2.MulAdd(bv2, bv1.Mul(bv1))))
		baa := c12.Mul((*at(pu, u4)).Mul(br).Sub(bs))
		ba := baa.Sqrt()
		bh := tau.Mul((*at(pu, un)).Mul(br))
		bw := tau.Mul(ba)
		bg := shear.MulAdd(br, diff)
		hm, wm, gm := bh, bw, bg
		pu = unsafe.Add(pu, 8*l.UStep)
		cr := one.Div(*at(pu, u0))
		cv1, cv2, cv3 := (*at(pu, u1)).Mul(cr), (*at(pu, u2)).Mul(cr), (*at(pu, u3)).Mul(cr)
		cs := half.Mul(cv3.MulAdd(cv3, cv2.MulAdd(cv2, cv1.Mul(cv1))))
		caa := c12.Mul((*at(pu, u4)).Mul(cr).Sub(cs))
		ca := caa.Sqrt()
		ch := tau.Mul((*at(pu, un)).Mul(cr))
		cw := tau.Mul(ca)
		cg := shear.MulAdd(cr, diff)
		h0, w0, g0 := ch, cw, cg
		for p := l.Lo; p < l.Hi; p++ {
			pu = unsafe.Add(pu, 8*l.UStep)
			d0 := *at(pr, r0)
			d1 := *at(pr, r1)
			d2 := *at(pr, r2)
			d3 := *at(pr, r3)
			d4 := *at(pr, r4)
			r := one.Div(*at(pu, u0))
			v1, v2, v3 := (*at(pu, u1)).Mul(r), (*at(pu, u2)).Mul(r), (*at(pu, u3)).Mul(r)
			s := half.Mul(v3.MulAdd(v3, v2.MulAdd(v2, v1.Mul(v1))))
			aa := c12.Mul((*at(pu, u4)).Mul(r).Sub(s))
			a := aa.Sqrt()
			h := tau.Mul((*at(pu, un)).Mul(r))
			w := tau.Mul(a)
			g := shear.MulAdd(r, diff)
			l1, z2, z4, l5 := every(l.Bands[5*p]), every(l.Bands[5*p+1]), every(l.Bands[5*p+3]), every(l.Bands[5*p+4])
			l3 := two.MulAdd(g0, every(l.Bands[5*p+2]+1))
			f0l2, f0l4 := z2.Sub(hm).Sub(gm), z4.Add(h).Sub(g)
			f1l2, f1l4 := f0l2.Sub(wm), f0l4.Add(w)
			f2l2, f2l4 := f0l2.Add(wm), f0l4.Sub(w)
			f0m := l1.MulAdd(f0l42, f0l2)
			f0g := minus.Div(f0m.MulAdd(f0l41, l1.MulAdd(f0l52, l3)))
			f0n := f0m.MulAdd(f0l51, f0l4)
			f0l42, f0l52 = f0l41, f0l51
			f0l41 = f0n.Mul(f0g)
			f0l51 = l5.Mul(f0g)
			*at(pk, 64*0) = f0l41
			*at(pk, 64*1) = f0l51
			f1m := l1.MulAdd(f1l42, f1l2)
			f1g := minus.Div(f1m.MulAdd(f1l41, l1.MulAdd(f1l52, l3)))
			f1n := f1m.MulAdd(f1l51, f1l4)
			f1l42, f1l52 = f1l41, f1l51
			f1l41 = f1n.Mul(f1g)
			f1l51 = l5.Mul(f1g)
			*at(pk, 64*2) = f1l41
			*at(pk, 64*3) = f1l51
			f2m := l1.MulAdd(f2l42, f2l2)
			f2g := minus.Div(f2m.MulAdd(f2l41, l1.MulAdd(f2l52, l3)))
			f2n := f2m.MulAdd(f2l51, f2l4)
			f2l42, f2l52 = f2l41, f2l51
			f2l41 = f2n.Mul(f2g)
			f2l51 = l5.Mul(f2g)
			*at(pk, 64*4) = f2l41
			*at(pk, 64*5) = f2l51
			n0 := f0m.MulAdd(q01, l1.MulAdd(q02, d0)).Mul(f0g)
			q02 = q01
			q01 = n0
			*at(pr, r0) = n0
			n1 := f0m.MulAdd(q11, l1.MulAdd(q12, d1)).Mul(f0g)
			q12 = q11
			q11 = n1
			*at(pr, r1) = n1
			n2 := f0m.MulAdd(q21, l1.MulAdd(q22, d2)).Mul(f0g)
			q22 = q21
			q21 = n2
			*at(pr, r2) = n2
			n3 := f1m.MulAdd(q31, l1.MulAdd(q32, d3)).Mul(f1g)
			q32 = q31
			q31 = n3
			*at(pr, r3) = n3
			n4 := f2m.MulAdd(q41, l1.MulAdd(q42, d4)).Mul(f2g)
			q42 = q41
			q41 = n4
			*at(pr, r4) = n4
			hm, wm, gm, g0 = h0, w0, g0, g
			h0, w0 = h, w
			if p+1 < l.Hi {
				pk, pr = unsafe.Add(pk, 384), unsafe.Add(pr, 8*l.RStep)
			}
		}
		*at(po, 64*0) = f0l41
		*at(po, 64*1) = f0l51
		*at(po, 64*2) = f0l42
		*at(po, 64*3) = f0l52
		*at(po, 64*4) = f1l41
		*at(po, 64*5) = f1l51
		*at(po, 64*6) = f1l42
		*at(po, 64*7) = f1l52
		*at(po, 64*8) = f2l41
		*at(po, 64*9) = f2l51
		*at(po, 64*10) = f2l42
		*at(po, 64*11) = f2l52
		*at(po, 64*12) = q01
		*at(po, 64*17) = q02
		*at(po, 64*13) = q11
		*at(po, 64*18) = q12
		*at(po, 64*14) = q21
		*at(po, 64*19) = q22
		*at(po, 64*15) = q31
		*at(po, 64*20) = q32
		*at(po, 64*16) = q41
		*at(po, 64*21) = q42
	}
	end()
}

func pentaTransformed(l *kernel.Lines) {
	one, half, c12, tau := every(1.0), every(0.5), every(0.56), every(l.Tau2)
	diff, shear, two, minus := every(l.Tau1*l.Delta), every(l.Tau1*0.196), every(2.0), every(-1.0)
	zero, c2, root2 := every(0.0), every(0.4), every(0.70710678118654752)
	u0, r0 := 8*l.UComp[0], 8*l.RComp[0]
	u1, r1 := 8*l.UComp[1], 8*l.RComp[1]
	u2, r2 := 8*l.UComp[2], 8*l.RComp[2]
	u3, r3 := 8*l.UComp[3], 8*l.RComp[3]
	u4, r4 := 8*l.UComp[4], 8*l.RComp[4]
	un := 8 * l.Normal
	for lane := 0; lane < 64; lane += width {
		pu, pr := unsafe.Add(unsafe.Pointer(&l.U[l.UAt]), 8*l.UStep*(l.Lo-1)+lane), unsafe.Add(unsafe.Pointer(&l.R[l.RAt]), 8*l.RStep*l.Lo+lane)
		ps, po := unsafe.Add(unsafe.Pointer(&l.In[0]), lane), unsafe.Add(unsafe.Pointer(&l.Out[0]), lane)
		pk := unsafe.Add(unsafe.Pointer(&l.Kept[l.At]), 384*l.Lo+lane)
		f0l41, f0l51 := *at(ps, 64*0), *at(ps, 64*1)
		f0l42, f0l52 := *at(ps, 64*2), *at(ps, 64*3)
		f1l41, f1l51 := *at(ps, 64*4), *at(ps, 64*5)
		f1l42, f1l52 := *at(ps, 64*6), *at(ps, 64*7)
		f2l41, f2l51 := *at(ps, 64*8), *at(ps, 64*9)
		f2l42, f2l52 := *at(ps, 64*10), *at(ps, 64*11)
		q01, q02 := *at(ps, 64*12), *at(ps, 64*17)
		q11, q12 := *at(ps, 64*13), *at(ps, 64*18)
		q21, q22 := *at(ps, 64*14), *at(ps, 64*19)
		q31, q32 := *at(ps, 64*15), *at(ps, 64*20)
		q41, q42 := *at(ps, 64*16), *at(ps, 64*21)
		br := one.Div(*at(pu, u0))
		bv1, bv2, bv3 := (*at(pu, u1)).Mul(br), (*at(pu, u2)).Mul(br), (*at(pu, u3)).Mul(br)
		bs := half.Mul(bv3.MulAdd(bv3, bv2.MulAdd(bv2, bv1.Mul(bv1))))
		baa := c12.Mul((*at(pu, u4)).Mul(br).Sub(bs))
		ba := baa.Sqrt()
		bh := tau.Mul((*at(pu, un)).Mul(br))
		bw := tau.Mul(ba)
		bg := shear.MulAdd(br, diff)
		hm, wm, gm := bh, bw, bg
		pu = unsafe.Add(pu, 8*l.UStep)
		cr := one.Div(*at(pu, u0))
		cv1, cv2, cv3 := (*at(pu, u1)).Mul(cr), (*at(pu, u2)).Mul(cr), (*at(pu, u3)).Mul(cr)
		cs := half.Mul(cv3.MulAdd(cv3, cv2.MulAdd(cv2, cv1.Mul(cv1))))
		caa := c12.Mul((*at(pu, u4)).Mul(cr).Sub(cs))
		ca := caa.Sqrt()
		ch := tau.Mul((*at(pu, un)).Mul(cr))
		cw := tau.Mul(ca)
		cg := shear.MulAdd(cr, diff)
		h0, w0, g0 := ch, cw, cg
		tr, tv1, tv2, tv3, ts, ta, taa := cr, cv1, cv2, cv3, cs, ca, caa
		for p := l.Lo; p < l.Hi; p++ {
			pu = unsafe.Add(pu, 8*l.UStep)
			e0 := *at(pr, r0)
			e1 := *at(pr, r1)
			e2 := *at(pr, r2)
			e3 := *at(pr, r3)
			e4 := *at(pr, r4)
			t1 := c2.Div(taa).Mul(ts.MulAdd(e0, e4).Sub(tv1.Mul(e1)).Sub(tv2.Mul(e2)).Sub(tv3.Mul(e3)))
			br := root2.Mul(tr)
			t2 := br.Mul(tv1.Mul(e0).Sub(e1))
			t3 := br.Mul(ta).Mul(t1)
			d0 := e0.Sub(t1)
			d1 := zero.Sub(tv3.Mul(e0).Sub(e3).Mul(tr))
			d2 := tv2.Mul(e0).Sub(e2).Mul(tr)
			d3 := t3.Sub(t2)
			d4 := t3.Add(t2)
			r := one.Div(*at(pu, u0))
			v1, v2, v3 := (*at(pu, u1)).Mul(r), (*at(pu, u2)).Mul(r), (*at(pu, u3)).Mul(r)
			s := half.Mul(v3.MulAdd(v3, v2.MulAdd(v2, v1.Mul(v1))))
			aa := c12.Mul((*at(pu, u4)).Mul(r).Sub(s))
			a := aa.Sqrt()
			h := tau.Mul((*at(pu, un)).Mul(r))
			w := tau.Mul(a)
			g := shear.MulAdd(r, diff)
			l1, z2, z4, l5 := every(l.Bands[5*p]), every(l.Bands[5*p+1]), every(l.Bands[5*p+3]), every(l.Bands[5*p+4])
			l3 := two.MulAdd(g0, every(l.Bands[5*p+2]+1))
			f0l2, f0l4 := z2.Sub(hm).Sub(gm), z4.Add(h).Sub(g)
			f1l2, f1l4 := f0l2.Sub(wm), f0l4.Add(w)
			f2l2, f2l4 := f0l2.Add(wm), f0l4.Sub(w)
			f0m := l1.MulAdd(f0l42, f0l2)
			f0g := minus.Div(f0m.MulAdd(f0l41, l1.MulAdd(f0l52, l3)))
			f0n := f0m.MulAdd(f0l51, f0l4)
			f0l42, f0l52 = f0l41, f0l51
			f0l41 = f0n.Mul(f0g)
			f0l51 = l5.Mul(f0g)
			*at(pk, 64*0) = f0l41
			*at(pk, 64*1) = f0l51
			f1m := l1.MulAdd(f1l42, f1l2)
			f1g := minus.Div(f1m.MulAdd(f1l41, l1.MulAdd(f1l52, l3)))
			f1n := f1m.MulAdd(f1l51, f1l4)
			f1l42, f1l52 = f1l41, f1l51
			f1l41 = f1n.Mul(f1g)
			f1l51 = l5.Mul(f1g)
			*at(pk, 64*2) = f1l41
			*at(pk, 64*3) = f1l51
			f2m := l1.MulAdd(f2l42, f2l2)
			f2g := minus.Div(f2m.MulAdd(f2l41, l1.MulAdd(f2l52, l3)))
			f2n := f2m.MulAdd(f2l51, f2l4)
			f2l42, f2l52 = f2l41, f2l51
			f2l41 = f2n.Mul(f2g)
			f2l51 = l5.Mul(f2g)
			*at(pk, 64*4) = f2l41
			*at(pk, 64*5) = f2l51
			n0 := f0m.MulAdd(q01, l1.MulAdd(q02, d0)).Mul(f0g)
			q02 = q01
			q01 = n0
			*at(pr, r0) = n0
			n1 := f0m.MulAdd(q11, l1.MulAdd(q12, d1)).Mul(f0g)
			q12 = q11
			q11 = n1
			*at(pr, r1) = n1
			n2 := f0m.MulAdd(q21, l1.MulAdd(q22, d2)).Mul(f0g)
			q22 = q21
			q21 = n2
			*at(pr, r2) = n2
			n3 := f1m.MulAdd(q31, l1.MulAdd(q32, d3)).Mul(f1g)
			q32 = q31
			q31 = n3
			*at(pr, r3) = n3
			n4 := f2m.MulAdd(q41, l1.MulAdd(q42, d4)).Mul(f2g)
			q42 = q41
			q41 = n4
			*at(pr, r4) = n4
			hm, wm, gm, g0 = h0, w0, g0, g
			h0, w0 = h, w
			tr, tv1, tv2, tv3, ts, ta, taa = r, v1, v2, v3, s, a, aa
			if p+1 < l.Hi {
				pk, pr = unsafe.Add(pk, 384), unsafe.Add(pr, 8*l.RStep)
			}
		}
		*at(po, 64*0) = f0l41
		*at(po, 64*1) = f0l51
		*at(po, 64*2) = f0l42
		*at(po, 64*3) = f0l52
		*at(po, 64*4) = f1l41
		*at(po, 64*5) = f1l51
		*at(po, 64*6) = f1l42
		*at(po, 64*7) = f1l52
		*at(po, 64*8) = f2l41
		*at(po, 64*9) = f2l51
		*at(po, 64*10) = f2l42
		*at(po, 64*11) = f2l52
		*at(po, 64*12) = q01
		*at(po, 64*17) = q02
		*at(po, 64*13) = q11
		*at(po, 64*18) = q12
		*at(po, 64*14) = q21
		*at(po, 64*19) = q22
		*at(po, 64*15) = q31
		*at(po, 64*20) = q32
		*at(po, 64*16) = q41
		*at(po, 64*21) = q42
	}
	end()
}

func pentaBackX(l *kernel.Lines) {
	half, root2 := every(0.5), every(0.70710678118654752)
	zero := every(0.0)
	r0 := 8 * l.RComp[0]
	r1 := 8 * l.RComp[1]
	r2 := 8 * l.RComp[2]
	r3 := 8 * l.RComp[3]
	r4 := 8 * l.RComp[4]
	for lane := 0; lane < 64; lane += width {
		pr := unsafe.Add(unsafe.Pointer(&l.R[l.RAt]), 8*l.RStep*(l.Hi-1)+lane)
		ps, po := unsafe.Add(unsafe.Pointer(&l.In[0]), lane), unsafe.Add(unsafe.Pointer(&l.Out[0]), lane)
		pk := unsafe.Add(unsafe.Pointer(&l.Kept[l.At]), 384*(l.Hi-1)+lane)
		y01, y02 := *at(ps, 64*0), *at(ps, 64*5)
		y11, y12 := *at(ps, 64*1), *at(ps, 64*6)
		y21, y22 := *at(ps, 64*2), *at(ps, 64*7)
		y31, y32 := *at(ps, 64*3), *at(ps, 64*8)
		y41, y42 := *at(ps, 64*4), *at(ps, 64*9)
		for p := l.Hi - 1; p >= l.Lo; p-- {
			f0l4, f0l5 := *at(pk, 64*0), *at(pk, 64*1)
			f1l4, f1l5 := *at(pk, 64*2), *at(pk, 64*3)
			f2l4, f2l5 := *at(pk, 64*4), *at(pk, 64*5)
			y0 := f0l5.MulAdd(y02, f0l4.MulAdd(y01, *at(pr, r0)))
			y02 = y01
			y01 = y0
			y1 := f0l5.MulAdd(y12, f0l4.MulAdd(y11, *at(pr, r1)))
			y12 = y11
			y11 = y1
			y2 := f0l5.MulAdd(y22, f0l4.MulAdd(y21, *at(pr, r2)))
			y22 = y21
			y21 = y2
			y3 := f1l5.MulAdd(y32, f1l4.MulAdd(y31, *at(pr, r3)))
			y32 = y31
			y31 = y3
			y4 := f2l5.MulAdd(y42, f2l4.MulAdd(y41, *at(pr, r4)))
			y42 = y41
			y41 = y4
			t1, t2 := root2.Mul(y2), half.Mul(y3.Add(y4))
			*at(pr, r0) = y1
			*at(pr, r1) = zero.Sub(y0)
			*at(pr, r2) = root2.Mul(y4.Sub(y3))
			*at(pr, r3) = t1.Sub(t2)
			*at(pr, r4) = zero.Sub(t2.Add(t1))
			if p > l.Lo {
				pr, pk = unsafe.Add(pr, -8*l.RStep), unsafe.Add(pk, -384)
			}
		}
		*at(po, 64*0) = y01
		*at(po, 64*5) = y02
		*at(po, 64*1) = y11
		*at(po, 64*6) = y12
		*at(po, 64*2) = y21
		*at(po, 64*7) = y22
		*at(po, 64*3) = y31
		*at(po, 64*8) = y32
		*at(po, 64*4) = y41
		*at(po, 64*9) = y42
	}
	end()
}

func pentaBackY(l *kernel.Lines) {
	half, root2 := every(0.5), every(0.70710678118654752)
	zero := every(0.0)
	r0 := 8 * l.RComp[0]
	r1 := 8 * l.RComp[1]
	r2 := 8 * l.RComp[2]
	r3 := 8 * l.RComp[3]
	r4 := 8 * l.RComp[4]
	for lane := 0; lane < 64; lane += width {
		pr := unsafe.Add(unsafe.Pointer(&l.R[l.RAt]), 8*l.RStep*(l.Hi-1)+lane)
		ps, po := unsafe.Add(unsafe.Pointer(&l.In[0]), lane), unsafe.Add(unsafe.Pointer(&l.Out[0]), lane)
		pk := unsafe.Add(unsafe.Pointer(&l.Kept[l.At]), 384*(l.Hi-1)+lane)
		y01, y02 := *at(ps, 64*0), *at(ps, 64*5)
		y11, y12 := *at(ps, 64*1), *at(ps, 64*6)
		y21, y22 := *at(ps, 64*2), *at(ps, 64*7)
		y31, y32 := *at(ps, 64*3), *at(ps, 64*8)
		y41, y42 := *at(ps, 64*4), *at(ps, 64*9)
		for p := l.Hi - 1; p >= l.Lo; p-- {
			f0l4, f0l5 := *at(pk, 64*0), *at(pk, 64*1)
			f1l4, f1l5 := *at(pk, 64*2), *at(pk, 64*3)
			f2l4, f2l5 := *at(pk, 64*4), *at(pk, 64*5)
			y0 := f0l5.MulAdd(y02, f0l4.MulAdd(y01, *at(pr, r0)))
			y02 = y01
			y01 = y0
			y1 := f0l5.MulAdd(y12, f0l4.MulAdd(y11, *at(pr, r1)))
			y12 = y11
			y11 = y1
			y2 := f0l5.MulAdd(y22, f0l4.MulAdd(y21, *at(pr, r2)))
			y22 = y21
			y21 = y2
			y3 := f1l5.MulAdd(y32, f1l4.MulAdd(y31, *at(pr, r3)))
			y32 = y31
			y31 = y3
			y4 := f2l5.MulAdd(y42, f2l4.MulAdd(y41, *at(pr, r4)))
			y42 = y41
			y41 = y4
			t1, t2 := root2.Mul(y0), half.Mul(y3.Add(y4))
			*at(pr, r0) = root2.Mul(y4.Sub(y3))
			*at(pr, r1) = y2
			*at(pr, r2) = zero.Sub(y1)
			*at(pr, r3) = t1.Sub(t2)
			*at(pr, r4) = zero.Sub(t2.Add(t1))
			if p > l.Lo {
				pr, pk = unsafe.Add(pr, -8*l.RStep), unsafe.Add(pk, -384)
			}
		}
		*at(po, 64*0) = y01
		*at(po, 64*5) = y02
		*at(po, 64*1) = y11
		*at(po, 64*6) = y12
		*at(po, 64*2) = y21
		*at(po, 64*7) = y22
		*at(po, 64*3) = y31
		*at(po, 64*8) = y32
		*at(po, 64*4) = y41
		*at(po, 64*9) = y42
	}
	end()
}

func pentaBackZ(l *kernel.Lines) {
	half, root2 := every(0.5), every(0.70710678118654752)
	one, c12, heat := every(1.0), every(0.56), every(2.5)
	r0 := 8 * l.RComp[0]
	u0 := 8 * l.UComp[0]
	r1 := 8 * l.RComp[1]
	u1 := 8 * l.UComp[1]
	r2 := 8 * l.RComp[2]
	u2 := 8 * l.UComp[2]
	r3 := 8 * l.RComp[3]
	u3 := 8 * l.UComp[3]
	r4 := 8 * l.RComp[4]
	u4 := 8 * l.UComp[4]
	for lane := 0; lane < 64; lane += width {
		pr := unsafe.Add(unsafe.Pointer(&l.R[l.RAt]), 8*l.RStep*(l.Hi-1)+lane)
		pu := unsafe.Add(unsafe.Pointer(&l.U[l.UAt]), 8*l.UStep*(l.Hi-1)+lane)
		ps, po := unsafe.Add(unsafe.Pointer(&l.In[0]), lane), unsafe.Add(unsafe.Pointer(&l.Out[0]), lane)
		pk := unsafe.Add(unsafe.Pointer(&l.Kept[l.At]), 384*(l.Hi-1)+lane)
		y01, y02 := *at(ps, 64*0), *at(ps, 64*5)
		y11, y12 := *at(ps, 64*1), *at(ps, 64*6)
		y21, y22 := *at(ps, 64*2), *at(ps, 64*7)
		y31, y32 := *at(ps, 64*3), *at(ps, 64*8)
		y41, y42 := *at(ps, 64*4), *at(ps, 64*9)
		for p := l.Hi - 1; p >= l.Lo; p-- {
			f0l4, f0l5 := *at(pk, 64*0), *at(pk, 64*1)
			f1l4, f1l5 := *at(pk, 64*2), *at(pk, 64*3)
			f2l4, f2l5 := *at(pk, 64*4), *at(pk, 64*5)
			y0 := f0l5.MulAdd(y02, f0l4.MulAdd(y01, *at(pr, r0)))
			y02 = y01
			y01 = y0
			y1 := f0l5.MulAdd(y12, f0l4.MulAdd(y11, *at(pr, r1)))
			y12 = y11
			y11 = y1
			y2 := f0l5.MulAdd(y22, f0l4.MulAdd(y21, *at(pr, r2)))
			y22 = y21
			y21 = y2
			y3 := f1l5.MulAdd(y32, f1l4.MulAdd(y31, *at(pr, r3)))
			y32 = y31
			y31 = y3
			y4 := f2l5.MulAdd(y42, f2l4.MulAdd(y41, *at(pr, r4)))
			y42 = y41
			y41 = y4
			d := *at(pu, u0)
			r := one.Div(d)
			v1, v2, v3 := (*at(pu, u1)).Mul(r), (*at(pu, u2)).Mul(r), (*at(pu, u3)).Mul(r)
			s := half.Mul(v3.MulAdd(v3, v2.MulAdd(v2, v1.Mul(v1))))
			aa := c12.Mul((*at(pu, u4)).Mul(r).Sub(s))
			a := aa.Sqrt()
			bd := root2.Mul(d)
			t1 := bd.Div(a).Mul(y3.Add(y4))
			t2, t3 := y2.Add(t1), bd.Mul(y3.Sub(y4))
			*at(pu, u0) = d.Sub(t2)
			*at(pu, u1) = (*at(pu, u1)).Sub(v1.Mul(t2).Sub(d.Mul(y1)))
			*at(pu, u2) = (*at(pu, u2)).Sub(d.MulAdd(y0, v2.Mul(t2)))
			*at(pu, u3) = (*at(pu, u3)).Sub(v3.MulAdd(t2, t3))
			*at(pu, u4) = (*at(pu, u4)).Sub(v3.MulAdd(t3, heat.Mul(aa).MulAdd(t1, d.MulAdd(v2.Mul(y0).Sub(v1.Mul(y1)), s.Mul(t2)))))
			if p > l.Lo {
				pu = unsafe.Add(pu, -8*l.UStep)
				pr, pk = unsafe.Add(pr, -8*l.RStep), unsafe.Add(pk, -384)
			}
		}
		*at(po, 64*0) = y01
		*at(po, 64*5) = y02
		*at(po, 64*1) = y11
		*at(po, 64*6) = y12
		*at(po, 64*2) = y21
		*at(po, 64*7) = y22
		*at(po, 64*3) = y31
		*at(po, 64*8) = y32
		*at(po, 64*4) = y41
		*at(po, 64*9) = y42
	}
	end()
}
