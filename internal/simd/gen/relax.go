package main

// relaxText returns the kernels of simd.Relax.
func relaxText() string {
	var w writer
	w.f(`func Look(a *RelaxRow) {
	pu, pr, pp := unsafe.Pointer(&a.U[a.At]), unsafe.Pointer(&a.R[a.At]), unsafe.Pointer(&a.P[0])
	pt, py, pz := unsafe.Pointer(&a.T[0]), unsafe.Pointer(&a.Y[0]), unsafe.Pointer(&a.Z[a.Plane])
	c := 8*a.Comp
	one, half, c1, c2, viscosity := every(1.0), every(0.5), every(1.4), every(0.4), every(0.1)
	diagonal, heat, keep, add := every(a.Diagonal), every(a.Heat), every(a.Keep), every(a.Add)
	m1, m2, m3 := every(a.Momentum[0]), every(a.Momentum[1]), every(a.Momentum[2])
	for i := 0; i < 8*a.N; i += WIDTH {
		r := one/get(pu, i)
		v1, v2, v3, e := get(pu, i+c)*r, get(pu, i+2*c)*r, get(pu, i+3*c)*r, get(pu, i+4*c)*r
		s := half*(v1*v1+v2*v2+v3*v3)
		kr := viscosity*r
		k1, k2, k3, k4 := kr*m1, kr*m2, kr*m3, kr*heat
		put(pp, i, v1)
		put(pp, i+c, v2)
		put(pp, i+2*c, v3)
		put(pp, i+3*c, e)
		put(pp, i+4*c, s)
		put(pp, i+5*c, c1*e-c2*s)
		put(pp, i+6*c, kr)
		put(pp, i+7*c, k1)
		put(pp, i+8*c, k2)
		put(pp, i+9*c, k3)
		put(pp, i+10*c, one/(diagonal+k1))
		put(pp, i+11*c, one/(diagonal+k2))
		put(pp, i+12*c, one/(diagonal+k3))
		put(pp, i+13*c, one/(diagonal+k4))
		put(pp, i+14*c, k4)`)
	for m := range 5 {
		w.f("put(pt, i+%d*c, keep*get(pr, i+%d*c)+add*(get(py, i+%d*c)+get(pz, i+%d*c)))", m, m, m, m)
	}
	w.f("}\n}")
	for _, add := range []bool{false, true} {
		name := "Products"
		if add {
			name = "ProductsAdd"
		}
		w.f("func %s(a *RelaxRow) {", name)
		w.f("pr, pp, py, pz := unsafe.Pointer(&a.R[a.At]), unsafe.Pointer(&a.P[0]), unsafe.Pointer(&a.Y[0]), unsafe.Pointer(&a.Z[a.Plane])")
		if add {
			w.f("pu := unsafe.Pointer(&a.U[a.At])\ngain := every(a.Gain)")
		}
		w.f("c := 8*a.Comp")
		w.f("c2, cool, warm, third := every(0.4), every(1-1.96), every(1.96), every(1.0/3)")
		for n, axis := range []string{"y", "z"} {
			w.f("f%s, d%s, h%s := every(a.Convect[%d]), every(a.Diffuse[%d]), every(a.Shift[%d])", axis, axis, axis, n+1, n+1, n+1)
		}
		w.f("for i := 0; i < 8*a.N; i += WIDTH {")
		w.f("q0, q1, q2, q3, q4 := get(pr, i), get(pr, i+c), get(pr, i+2*c), get(pr, i+3*c), get(pr, i+4*c)")
		w.f("v1, v2, v3 := get(pp, i), get(pp, i+c), get(pp, i+2*c)")
		w.f("w1, w2, w3 := q1-v1*q0, q2-v2*q0, q3-v3*q0")
		w.f("vw := v1*w1+v2*w2+v3*w3")
		w.f("pressure := c2*(q4-vw-get(pp, i+4*c)*q0)")
		w.f("heat := cool*vw+warm*(q4-get(pp, i+3*c)*q0)")
		w.f("kr, head := get(pp, i+6*c), get(pp, i+5*c)")
		for n, axis := range []string{"y", "z"} {
			k := n + 2
			w.f("k%s := d%s*kr", axis, axis)
			w.f("t%s := third*w%d", axis, k)
			w.f("put(p%s, i, f%s*q%d-h%s*q0)", axis, axis, k, axis)
			for m := 1; m <= 3; m++ {
				if m == k {
					w.f("put(p%s, i+%d*c, f%s*(v%d*w%d+v%d*q%d+pressure)-k%s*(w%d+t%s)-h%s*q%d)", axis, m, axis, m, k, k, m, axis, m, axis, axis, m)
				} else {
					w.f("put(p%s, i+%d*c, f%s*(v%d*w%d+v%d*q%d)-k%s*w%d-h%s*q%d)", axis, m, axis, m, k, k, m, axis, m, axis, m)
				}
			}
			w.f("put(p%s, i+4*c, f%s*(v%d*(pressure+q4)+head*w%d)-k%s*(heat+v%d*t%s)-h%s*q4)", axis, axis, k, k, axis, k, axis, axis)
		}
		if add {
			for m := range 5 {
				w.f("put(pu, i+%d*c, get(pu, i+%d*c)+gain*q%d)", m, m, m)
			}
		}
		w.f("}\n}")
	}
	return w.String()
}
