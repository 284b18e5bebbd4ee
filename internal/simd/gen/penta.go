package main

// Of the three factors the first solves components 0 to 2, the others 3 and 4.
var factorOf = [5]int{0, 0, 0, 1, 2}

// pentaText returns the kernels of simd.Penta.
func pentaText() string {
	var w writer
	pentaForward(&w, "Forward", false)
	pentaForward(&w, "Transformed", true)
	pentaBack(&w, "BackX", []string{
		"t1, t2 := root2*y2, half*(y3+y4)",
		"put(pr, r0, y1)\nput(pr, r1, zero-y0)\nput(pr, r2, root2*(y4-y3))\nput(pr, r3, t1-t2)\nput(pr, r4, zero-(t2+t1))",
	})
	pentaBack(&w, "BackY", []string{
		"t1, t2 := root2*y0, half*(y3+y4)",
		"put(pr, r0, root2*(y4-y3))\nput(pr, r1, y2)\nput(pr, r2, zero-y1)\nput(pr, r3, t1-t2)\nput(pr, r4, zero-(t2+t1))",
	})
	pentaBack(&w, "BackZ", nil)
	return w.String()
}

// speeds computes at pu what the bands need, with the given prefix: h, the convection, w, the
// sound, and g, the diffusion, all scaled.
func speeds(w *writer, prefix string) {
	f := func(format string) { w.f("%s", rename(format, prefix)) }
	f("$r := one/get(pu, u0)")
	f("$v1, $v2, $v3 := get(pu, u1)*$r, get(pu, u2)*$r, get(pu, u3)*$r")
	f("$s := half*($v1*$v1+$v2*$v2+$v3*$v3)")
	f("$aa := c12*(get(pu, u4)*$r-$s)")
	f("$a := root($aa)")
	f("$h := tau*(get(pu, un)*$r)")
	f("$w := tau*$a")
	f("$g := diff+shear*$r")
}

func pentaForward(w *writer, name string, transform bool) {
	w.f("func %s(l *Lines) {", name)
	w.f("one, half, c12, tau := every(1.0), every(0.5), every(0.56), every(l.Tau2)")
	w.f("diff, shear, two, minus := every(l.Tau1*l.Delta), every(l.Tau1*0.196), every(2.0), every(-1.0)")
	if transform {
		w.f("zero, c2, root2 := every(0.0), every(0.4), every(0.70710678118654752)")
	}
	for m := range 5 {
		w.f("u%d, r%d := 8*l.UComp[%d], 8*l.RComp[%d]", m, m, m, m)
	}
	w.f("un := 8*l.Normal")
	w.f("for lane := 0; lane < 64; lane += WIDTH {")
	w.f("pu, pr := unsafe.Add(unsafe.Pointer(&l.U[l.UAt]), 8*l.UStep*(l.Lo-1)+lane), unsafe.Add(unsafe.Pointer(&l.R[l.RAt]), 8*l.RStep*l.Lo+lane)")
	w.f("ps, po := unsafe.Add(unsafe.Pointer(&l.In[0]), lane), unsafe.Add(unsafe.Pointer(&l.Out[0]), lane)")
	w.f("pk := unsafe.Add(unsafe.Pointer(&l.Kept[l.At]), 384*l.Lo+lane)")
	for f := range 3 {
		for row := 1; row <= 2; row++ {
			w.f("f%dl4%d, f%dl5%d := get(ps, 64*%d), get(ps, 64*%d)", f, row, f, row, 4*f+2*row-2, 4*f+2*row-1)
		}
	}
	for m := range 5 {
		w.f("q%d1, q%d2 := get(ps, 64*%d), get(ps, 64*%d)", m, m, 12+m, 17+m)
	}
	speeds(w, "b")
	w.f("hm, wm, gm := bh, bw, bg")
	w.f("pu = unsafe.Add(pu, 8*l.UStep)")
	speeds(w, "c")
	w.f("h0, w0, g0 := ch, cw, cg")
	if transform {
		w.f("tr, tv1, tv2, tv3, ts, ta, taa := cr, cv1, cv2, cv3, cs, ca, caa")
	}
	w.f("for p := l.Lo; p < l.Hi; p++ {")
	w.f("pu = unsafe.Add(pu, 8*l.UStep)")
	if transform {
		for m := range 5 {
			w.f("e%d := get(pr, r%d)", m, m)
		}
		w.f("t1 := c2/taa*(ts*e0+e4-tv1*e1-tv2*e2-tv3*e3)")
		w.f("br := root2*tr")
		w.f("t2 := br*(tv1*e0-e1)")
		w.f("t3 := br*ta*t1")
		w.f("d0 := e0-t1\nd1 := zero-(tv3*e0-e3)*tr\nd2 := (tv2*e0-e2)*tr\nd3 := t3-t2\nd4 := t3+t2")
	} else {
		for m := range 5 {
			w.f("d%d := get(pr, r%d)", m, m)
		}
	}
	speeds(w, "")
	w.f("l1, z2, z4, l5 := every(l.Bands[5*p]), every(l.Bands[5*p+1]), every(l.Bands[5*p+3]), every(l.Bands[5*p+4])")
	w.f("l3 := every(l.Bands[5*p+2]+1)+two*g0")
	w.f("f0l2, f0l4 := z2-hm-gm, z4+h-g")
	w.f("f1l2, f1l4 := f0l2-wm, f0l4+w")
	w.f("f2l2, f2l4 := f0l2+wm, f0l4-w")
	for f := range 3 {
		w.f("f%dm := l1*f%dl42+f%dl2", f, f, f)
		w.f("f%dg := minus/(l3+l1*f%dl52+f%dm*f%dl41)", f, f, f, f)
		w.f("f%dn := f%dm*f%dl51+f%dl4", f, f, f, f)
		w.f("f%dl42, f%dl52 = f%dl41, f%dl51", f, f, f, f)
		w.f("f%dl41 = f%dn*f%dg", f, f, f)
		w.f("f%dl51 = l5*f%dg", f, f)
		w.f("put(pk, 64*%d, f%dl41)\nput(pk, 64*%d, f%dl51)", 2*f, f, 2*f+1, f)
	}
	for m, f := range factorOf {
		w.f("n%d := (d%d+l1*q%d2+f%dm*q%d1)*f%dg", m, m, m, f, m, f)
		w.f("q%d2 = q%d1\nq%d1 = n%d", m, m, m, m)
		w.f("put(pr, r%d, n%d)", m, m)
	}
	w.f("hm, wm, gm, g0 = h0, w0, g0, g")
	w.f("h0, w0 = h, w")
	if transform {
		w.f("tr, tv1, tv2, tv3, ts, ta, taa = r, v1, v2, v3, s, a, aa")
	}
	// a pointer behind its memory is an error to the garbage collector
	w.f("if p+1 < l.Hi {\npk, pr = unsafe.Add(pk, 384), unsafe.Add(pr, 8*l.RStep)\n}")
	w.f("}")
	for f := range 3 {
		for row := 1; row <= 2; row++ {
			w.f("put(po, 64*%d, f%dl4%d)\nput(po, 64*%d, f%dl5%d)", 4*f+2*row-2, f, row, 4*f+2*row-1, f, row)
		}
	}
	for m := range 5 {
		w.f("put(po, 64*%d, q%d1)\nput(po, 64*%d, q%d2)", 12+m, m, 17+m, m)
	}
	w.f("}\n}")
}

// pentaBack writes a back substitution, whose y is the negative solution, with the transform that
// follows it. Without one it does the
// last transform and adds the result to u.
func pentaBack(w *writer, name string, transform []string) {
	w.f("func %s(l *Lines) {", name)
	w.f("half, root2 := every(0.5), every(0.70710678118654752)")
	if transform == nil {
		w.f("one, c12, heat := every(1.0), every(0.56), every(2.5)")
	} else {
		w.f("zero := every(0.0)")
	}
	for m := range 5 {
		w.f("r%d := 8*l.RComp[%d]", m, m)
		if transform == nil {
			w.f("u%d := 8*l.UComp[%d]", m, m)
		}
	}
	w.f("for lane := 0; lane < 64; lane += WIDTH {")
	w.f("pr := unsafe.Add(unsafe.Pointer(&l.R[l.RAt]), 8*l.RStep*(l.Hi-1)+lane)")
	if transform == nil {
		w.f("pu := unsafe.Add(unsafe.Pointer(&l.U[l.UAt]), 8*l.UStep*(l.Hi-1)+lane)")
	}
	w.f("ps, po := unsafe.Add(unsafe.Pointer(&l.In[0]), lane), unsafe.Add(unsafe.Pointer(&l.Out[0]), lane)")
	w.f("pk := unsafe.Add(unsafe.Pointer(&l.Kept[l.At]), 384*(l.Hi-1)+lane)")
	for m := range 5 {
		w.f("y%d1, y%d2 := get(ps, 64*%d), get(ps, 64*%d)", m, m, m, 5+m)
	}
	w.f("for p := l.Hi-1; p >= l.Lo; p-- {")
	for f := range 3 {
		w.f("f%dl4, f%dl5 := get(pk, 64*%d), get(pk, 64*%d)", f, f, 2*f, 2*f+1)
	}
	for m, f := range factorOf {
		w.f("y%d := get(pr, r%d)+f%dl4*y%d1+f%dl5*y%d2", m, m, f, m, f, m)
		w.f("y%d2 = y%d1\ny%d1 = y%d", m, m, m, m)
	}
	for _, line := range transform {
		w.f("%s", line)
	}
	if transform == nil {
		w.f("d := get(pu, u0)")
		w.f("r := one/d")
		w.f("v1, v2, v3 := get(pu, u1)*r, get(pu, u2)*r, get(pu, u3)*r")
		w.f("s := half*(v1*v1+v2*v2+v3*v3)")
		w.f("aa := c12*(get(pu, u4)*r-s)")
		w.f("a := root(aa)")
		w.f("bd := root2*d")
		w.f("t1 := bd/a*(y3+y4)")
		w.f("t2, t3 := y2+t1, bd*(y3-y4)")
		w.f("put(pu, u0, d-t2)")
		w.f("put(pu, u1, get(pu, u1)-(v1*t2-d*y1))")
		w.f("put(pu, u2, get(pu, u2)-(v2*t2+d*y0))")
		w.f("put(pu, u3, get(pu, u3)-(v3*t2+t3))")
		w.f("put(pu, u4, get(pu, u4)-(s*t2+d*(v2*y0-v1*y1)+heat*aa*t1+v3*t3))")
	}
	w.f("if p > l.Lo {")
	if transform == nil {
		w.f("pu = unsafe.Add(pu, -8*l.UStep)")
	}
	w.f("pr, pk = unsafe.Add(pr, -8*l.RStep), unsafe.Add(pk, -384)\n}")
	w.f("}")
	for m := range 5 {
		w.f("put(po, 64*%d, y%d1)\nput(po, 64*%d, y%d2)", m, m, 5+m, m)
	}
	w.f("}\n}")
}
