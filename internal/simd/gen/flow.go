package main

import (
	"fmt"
	"strings"
)

var programs = []program{
	{"flow", "Flow", flowText()},
	{"block", "Blocks", blockText()},
	{"penta", "Penta", pentaText()},
}

// A writer collects the text of a program.
type writer struct{ strings.Builder }

// f appends a line.
func (w *writer) f(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// sides are the neighbours before and after a point along an axis.
var sides = [2]string{"m", "p"}

// flowText returns the kernels of simd.Flow.
func flowText() string {
	var w writer
	w.f(`func Primitives(a *Row) {
	pu, pw := unsafe.Pointer(&a.U[a.At-8]), unsafe.Pointer(&a.W[a.Next-8])
	c := 8*a.Comp
	one, half := every(1.0), every(0.5)
	for i := 0; i < 8*a.Comp; i += WIDTH {
		r := one/get(pu, i)
		m1, m2, m3 := get(pu, i+c), get(pu, i+2*c), get(pu, i+3*c)
		v1, v2, v3 := m1*r, m2*r, m3*r
		q := half*(v1*m1+v2*m2+v3*m3)
		put(pw, i, v1)
		put(pw, i+c, v2)
		put(pw, i+2*c, v3)
		put(pw, i+3*c, q)
		put(pw, i+4*c, q*r)
		put(pw, i+5*c, get(pu, i+4*c)*r)
	}
}`)
	w.f("func Residual(a *Row) {")
	w.f("pu, pf, pr, pw := unsafe.Pointer(&a.U[a.At]), unsafe.Pointer(&a.F[a.At]), unsafe.Pointer(&a.R[a.At]), unsafe.Pointer(&a.W[a.Here])")
	w.f("c := 8*a.Comp")
	w.f("stepx, stepy, stepz := 8, 8*a.Y, 8*a.Z")
	w.f("wxm, wxp := unsafe.Add(pw, -8), unsafe.Add(pw, 8)")
	for i, side := range sides {
		w.f("wy%s, wz%s := unsafe.Pointer(&a.W[a.SideY[%d]]), unsafe.Pointer(&a.W[a.SideZ[%d]])", side, side, i, i)
	}
	for k := range 5 {
		w.f("px%d := unsafe.Pointer(&a.X[%d][0])", k, k)
		if k != 2 {
			w.f("y%d, z%d := every(a.YZ[0][%d]), every(a.YZ[1][%d])", k, k, k, k)
		}
	}
	w.f("ps := unsafe.Pointer(&a.Scale[0])")
	w.f("centre := every(a.YZ[0][2]+a.YZ[1][2])")
	w.f("c2 := every(0.4)")
	for d, axis := range "xyz" {
		w.f("g%c, k%c := every(-a.Half[%d]), every(a.Viscous[%d])", axis, axis, d, d)
		w.f("kn%c, ks%c, kv%c, ke%c := every(a.Viscous[%d]*(4.0/3)), every(a.Viscous[%d]*(1-1.96)), every(a.Viscous[%d]*(1.0/6)), every(a.Viscous[%d]*1.96)",
			axis, axis, axis, axis, d, d, d, d)
	}
	w.f("for i := 0; i < 8*a.N; i += WIDTH {")
	w.f("w := centre+get(px2, i)")
	for m := range 5 {
		w.f("r%d := get(pf, i+%d*c)+w*get(pu, i+%d*c)", m, m, m)
	}
	for m, name := range []string{"v1", "v2", "v3"} {
		w.f("%s := get(pw, i+%d*c)", name, m)
		w.f("d%s := %s+%s", name, name, name)
	}
	w.f("ds, de := get(pw, i+4*c), get(pw, i+5*c)")
	w.f("ds = ds+ds\nde = de+de")
	for d, axis := range "xyz" {
		n := d + 1
		for _, far := range []struct {
			k    int
			sign string
		}{{0, "-"}, {4, "+"}} {
			if axis == 'x' {
				w.f("w = get(px%d, i)", far.k)
			} else {
				w.f("w = %c%d", axis, far.k)
			}
			for m := range 5 {
				w.f("r%d = r%d+w*get(pu, i+%d*c%s2*step%c)", m, m, m, far.sign, axis)
			}
		}
		for j, side := range sides {
			sign := [2]string{"-", "+"}[j]
			for m := range 5 {
				w.f("%c%s%d := get(pu, i+%d*c%sstep%c)", axis, side, m, m, sign, axis)
			}
			near := [2]int{1, 3}[j]
			if axis == 'x' {
				w.f("w = get(px%d, i)", near)
			} else {
				w.f("w = %c%d", axis, near)
			}
			for m := range 5 {
				w.f("r%d = r%d+w*%c%s%d", m, m, axis, side, m)
			}
			w.f("%c%sv := get(w%c%s, i+%d*c)", axis, side, axis, side, n-1)
			w.f("%c%sq := c2*(%c%s4-get(w%c%s, i+3*c))", axis, side, axis, side, axis, side) // pressure
		}
		p := func(name string) (string, string) {
			return fmt.Sprintf("%cp%s", axis, name), fmt.Sprintf("%cm%s", axis, name)
		}
		pv, mv := p("v")
		pq, mq := p("q")
		pn, mn := p(fmt.Sprint(n))
		w.f("r0 = r0+g%c*(%s-%s)", axis, pn, mn)
		for t := 1; t <= 3; t++ {
			pt, mt := p(fmt.Sprint(t))
			if t == n {
				w.f("r%d = r%d+g%c*((%s*%s+%s)-(%s*%s+%s))", t, t, axis, pn, pv, pq, mn, mv, mq)
				w.f("r%d = r%d+kn%c*(%s+%s-dv%d)", t, t, axis, pv, mv, t)
				continue
			}
			w.f("r%d = r%d+g%c*(%s*%s-%s*%s)", t, t, axis, pt, pv, mt, mv)
			w.f("r%d = r%d+k%c*(get(w%cp, i+%d*c)+get(w%cm, i+%d*c)-dv%d)", t, t, axis, axis, t-1, axis, t-1, t)
		}
		p4, m4 := p("4")
		w.f("r4 = r4+g%c*((%s+%s)*%s-(%s+%s)*%s)", axis, p4, pq, pv, m4, mq, mv)
		w.f("r4 = r4+ks%c*(get(w%cp, i+4*c)+get(w%cm, i+4*c)-ds)", axis, axis, axis)
		w.f("r4 = r4+kv%c*(%s*%s+(%s*%s-dv%d*v%d))", axis, pv, pv, mv, mv, n, n)
		w.f("r4 = r4+ke%c*(get(w%cp, i+5*c)+get(w%cm, i+5*c)-de)", axis, axis, axis)
	}
	w.f("w = get(ps, i)")
	for m := range 5 {
		w.f("put(pr, i+%d*c, w*r%d)", m, m)
	}
	w.f("}\n}")
	return w.String()
}
