package main

import (
	"fmt"
	"strings"
)

// Components of block rows and columns: density, normal momentum, both tangential ones, energy.

// blockText returns the kernels of simd.Blocks.
func blockText() string {
	var w writer
	w.f("func Forward(l *Lines) {")
	w.f("zero, one, half, c1, c2 := every(0.0), every(1.0), every(0.5), every(1.4), every(0.4)")
	w.f("tau, both, unit, shift := every(l.Tau2), every(l.Tau2*0.4), every(1+2*l.Tau1*l.Delta), every(l.Tau1*l.Delta)")
	w.f("back, wide := every(-l.Tau1*l.Delta), every(1.6)")
	w.f("k1, third, heat, slip, warm := every(l.Tau1*0.1), every(4.0/3), every(4.0/3-1.96), every(1-1.96), every(1.96)")
	w.f("minus, two := every(-1.0), every(2.0)")
	for m := range 5 {
		w.f("u%d, r%d := 8*l.UComp[%d], 8*l.RComp[%d]", m, m, m, m)
	}
	w.f("for lane := 0; lane < 64; lane += WIDTH {")
	w.f("pu, pr := unsafe.Add(unsafe.Pointer(&l.U[l.UAt]), 8*l.UStep*(l.Lo-1)+lane), unsafe.Add(unsafe.Pointer(&l.R[l.RAt]), 8*l.RStep*l.Lo+lane)")
	w.f("ps, po := unsafe.Add(unsafe.Pointer(&l.In[0]), lane), unsafe.Add(unsafe.Pointer(&l.Out[0]), lane)")
	w.f("pc := unsafe.Add(unsafe.Pointer(&l.Kept[l.At]), 1600*l.Lo+lane)")
	w.f("before, here, after := unsafe.Pointer(&l.work[0]), unsafe.Pointer(&l.work[25*8]), unsafe.Pointer(&l.work[50*8])")
	for m := range 5 {
		w.f("x%d := get(ps, 64*%d)", m, 25+m)
	}
	point(&w, "before", "a")
	w.f("pu = unsafe.Add(pu, 8*l.UStep)")
	point(&w, "here", "b")
	w.f("for p := l.Lo; p < l.Hi; p++ {")
	w.f("pu = unsafe.Add(pu, 8*l.UStep)")
	eliminate(&w)
	factor(&w)
	point(&w, "after", "")
	w.f("before, here, after = here, after, before")
	// Columns of C, which are F - N less a multiple of the identity.
	column(&w, "j0", [5]string{"back", "fn1-nn1", "ft1-nt1", "fs1-ns1", "f51-n51"}, func(i int, v string) { w.f("put(pc, 64*%d, %s)", 5*i, v) })
	column(&w, "j1", [5]string{"tau", "fnn-nnn-shift", "avt", "avs", "f5n-n5n"}, func(i int, v string) { w.f("put(pc, 64*%d, %s)", 5*i+1, v) })
	column(&w, "j2", [5]string{"", "fnt", "avn-kr-shift", "", "f5t-n5t"}, func(i int, v string) { w.f("put(pc, 64*%d, %s)", 5*i+2, v) })
	column(&w, "j3", [5]string{"", "fns", "", "avn-kr-shift", "f5s-n5s"}, func(i int, v string) { w.f("put(pc, 64*%d, %s)", 5*i+3, v) })
	column(&w, "j4", [5]string{"", "both", "", "", "f55-n55-shift"}, func(i int, v string) { w.f("put(pc, 64*%d, %s)", 5*i+4, v) })
	column(&w, "y", [5]string{"q0", "q1", "q2", "q3", "q4"}, func(i int, v string) { w.f("x%d = %s\nput(pr, r%d, x%d)", i, v, i, i) })
	w.f("ps = pc")
	// a pointer behind its memory is an error to the garbage collector
	w.f("if p+1 < l.Hi {\npc, pr = unsafe.Add(pc, 1600), unsafe.Add(pr, 8*l.RStep)\n}")
	w.f("}")
	w.f("for i := 0; i < 1600; i += 64 {\nput(po, i, get(ps, i))\n}")
	for m := range 5 {
		w.f("put(po, 64*%d, x%d)", 25+m, m)
	}
	w.f("}\n}")
	for _, add := range []bool{false, true} {
		blockBack(&w, add)
	}
	return w.String()
}

// point computes the scaled Jacobians F and N at pu, and stores the parts that the blocks of this
// and the next position need. suffix begins the names of the variables.
func point(w *writer, slot, suffix string) {
	f := func(format string) { w.f("%s", rename(format, suffix)) }
	f("$r := one/get(pu, u0)")
	f("$vn, $vt, $vs, $e := get(pu, u1)*$r, get(pu, u2)*$r, get(pu, u3)*$r, get(pu, u4)*$r")
	f("$sq := half*($vn*$vn+$vt*$vt+$vs*$vs)")
	f("$avn, $avt, $avs := tau*$vn, tau*$vt, tau*$vs")
	f("$ce := c1*$e")
	f("$cs := c2*$sq")
	f("$cn := zero-$vn")
	f("$fn1 := tau*$cs+$avn*$cn")
	f("$fnn := wide*$avn")
	f("$fnt, $fns := zero-c2*$avt, zero-c2*$avs")
	f("$ft1 := $avt*$cn")
	f("$fs1 := $avs*$cn")
	f("$f51 := ($cs+$cs-$ce)*$avn")
	f("$f5n := tau*($ce-$cs+c2*($vn*$cn))")
	f("$f5t := $fnt*$vn")
	f("$f5s := $fns*$vn")
	f("$f55 := c1*$avn")
	f("$kr := k1*$r")
	f("$nnn := third*$kr")
	f("$nn1 := $nnn*$cn")
	f("$nt1 := zero-$kr*$vt")
	f("$ns1 := zero-$kr*$vs")
	f("$n5n := heat*$kr*$vn")
	f("$n5t := slip*$kr*$vt")
	f("$n5s := slip*$kr*$vs")
	f("$n55 := warm*$kr")
	f("$n51 := zero-($n5n*$vn+$n5t*$vt+$n5s*$vs+$n55*$e)")
	for i, v := range []string{
		"fn1+$nn1", "fnn+$nnn+shift", "fnt", "fns",
		"ft1+$nt1", "avt", "avn+$kr+shift",
		"fs1+$ns1", "avs", "avn+$kr+shift",
		"f51+$n51", "f5n+$n5n", "f5t+$n5t", "f5s+$n5s", "f55+$n55+shift",
		"nn1", "nnn", "nt1", "ns1", "kr", "n51", "n5n", "n5t", "n5s", "n55",
	} {
		f(fmt.Sprintf("put(%s, %d+lane, $%s)", slot, 64*i, v))
	}
}

// rename replaces $ by a prefix, so that the variables of several points differ.
func rename(text, prefix string) string {
	out := ""
	for _, c := range text {
		if c == '$' {
			out += prefix
		} else {
			out += string(c)
		}
	}
	return out
}

// eliminate computes the diagonal block b and right side q of a position after the elimination of
// the position before it.
func eliminate(w *writer) {
	// Rows of -A by column; the first has tau at the normal momentum and shift on the diagonal.
	rows := [5][]struct{ k, slot int }{
		1: {{0, 0}, {1, 1}, {2, 2}, {3, 3}},
		2: {{0, 4}, {1, 5}, {2, 6}},
		3: {{0, 7}, {1, 8}, {3, 9}},
		4: {{0, 10}, {1, 11}, {2, 12}, {3, 13}, {4, 14}},
	}
	for i, row := range rows {
		var names, values []string
		for _, e := range row {
			names = append(names, fmt.Sprintf("a%d%d", i, e.k))
			values = append(values, fmt.Sprintf("get(before, %d+lane)", 64*e.slot))
		}
		if row != nil {
			w.f("%s := %s", strings.Join(names, ", "), strings.Join(values, ", "))
		}
	}
	diagonal := map[[2]int]string{
		{0, 0}: "unit", {1, 0}: "two*get(here, 64*15+lane)", {1, 1}: "(unit+two*get(here, 64*16+lane))",
		{2, 0}: "two*get(here, 64*17+lane)", {2, 2}: "(unit+two*get(here, 64*19+lane))",
		{3, 0}: "two*get(here, 64*18+lane)", {3, 3}: "(unit+two*get(here, 64*19+lane))",
		{4, 0}: "two*get(here, 64*20+lane)", {4, 1}: "two*get(here, 64*21+lane)", {4, 2}: "two*get(here, 64*22+lane)",
		{4, 3}: "two*get(here, 64*23+lane)", {4, 4}: "(unit+two*get(here, 64*24+lane))",
	}
	for j := range 6 {
		if j < 5 {
			w.f("c0%d, c1%d, c2%d, c3%d, c4%d := get(ps, %d), get(ps, %d), get(ps, %d), get(ps, %d), get(ps, %d)",
				j, j, j, j, j, 64*j, 64*(5+j), 64*(10+j), 64*(15+j), 64*(20+j))
		}
		c := func(k int) string {
			if j == 5 {
				return fmt.Sprintf("x%d", k)
			}
			return fmt.Sprintf("c%d%d", k, j)
		}
		for i := range 5 {
			name, start := fmt.Sprintf("b%d%d", i, j), diagonal[[2]int{i, j}]
			if j == 5 {
				name, start = fmt.Sprintf("q%d", i), fmt.Sprintf("get(pr, r%d)", i)
			}
			terms := [][2]string{{"shift", c(0)}, {"tau", c(1)}}
			if i > 0 {
				terms = nil
				for _, e := range rows[i] {
					terms = append(terms, [2]string{fmt.Sprintf("a%d%d", i, e.k), c(e.k)})
				}
			}
			if i == 1 {
				terms = append(terms, [2]string{"both", c(4)})
			}
			text := ""
			if start != "" {
				text = start
			}
			for _, t := range terms {
				if text == "" {
					text = t[0] + "*" + t[1]
				} else {
					text += "+" + t[0] + "*" + t[1]
				}
			}
			w.f("%s := %s", name, text)
		}
	}
}

// factor factorises b without pivoting: multipliers m, negative scaled rows n and reciprocals p of
// pivots.
func factor(w *writer) {
	for k := range 5 {
		w.f("g%d := minus/b%d%d", k, k, k)
		w.f("p%d := zero-g%d", k, k)
		for i := k + 1; i < 5; i++ {
			w.f("m%d%d := b%d%d*g%d", i, k, i, k, k)
			for j := k + 1; j < 5; j++ {
				w.f("b%d%d = m%d%d*b%d%d+b%d%d", i, j, i, k, k, j, i, j)
			}
		}
		for j := k + 1; j < 5; j++ {
			w.f("n%d%d := b%d%d*g%d", k, j, k, j, k)
		}
	}
}

// column solves b y = column and puts each element of the solution.
func column(w *writer, y string, right [5]string, put func(i int, v string)) {
	var there [5]bool
	for i, v := range right {
		text := v
		for k := range i {
			if !there[k] {
				continue
			}
			term := fmt.Sprintf("m%d%d*%s%d", i, k, y, k)
			if text == "" {
				text = term
			} else {
				text = term + "+(" + text + ")"
			}
		}
		if there[i] = text != ""; there[i] {
			w.f("%s%d := %s", y, i, text)
		}
	}
	for i := 4; i >= 0; i-- {
		text := ""
		if there[i] {
			text = fmt.Sprintf("%s%d*p%d", y, i, i)
		}
		for j := i + 1; j < 5; j++ {
			term := fmt.Sprintf("n%d%d*%sz%d", i, j, y, j)
			if text == "" {
				text = term
			} else {
				text += "+" + term
			}
		}
		w.f("%sz%d := %s", y, i, text)
		put(i, fmt.Sprintf("%sz%d", y, i))
	}
}

func blockBack(w *writer, add bool) {
	name := "Back"
	if add {
		name = "BackAdd"
	}
	w.f("func %s(l *Lines) {", name)
	w.f("zero := every(0.0)")
	for m := range 5 {
		w.f("r%d := 8*l.RComp[%d]", m, m)
		if add {
			w.f("u%d := 8*l.UComp[%d]", m, m)
		}
	}
	w.f("for lane := 0; lane < 64; lane += WIDTH {")
	w.f("pr, pc := unsafe.Add(unsafe.Pointer(&l.R[l.RAt]), 8*l.RStep*(l.Hi-1)+lane), unsafe.Add(unsafe.Pointer(&l.Kept[l.At]), 1600*(l.Hi-1)+lane)")
	if add {
		w.f("pu := unsafe.Add(unsafe.Pointer(&l.U[l.UAt]), 8*l.UStep*(l.Hi-1)+lane)")
	}
	w.f("ps, po := unsafe.Add(unsafe.Pointer(&l.In[0]), lane), unsafe.Add(unsafe.Pointer(&l.Out[0]), lane)")
	for m := range 5 {
		w.f("x%d := get(ps, 64*%d)", m, m)
	}
	w.f("for p := l.Hi-1; p >= l.Lo; p-- {")
	for m := range 5 {
		w.f("y%d := zero-x%d", m, m)
	}
	for i := range 5 {
		text := fmt.Sprintf("get(pr, r%d)", i)
		for j := range 5 {
			text += fmt.Sprintf("+get(pc, 64*%d)*y%d", 5*i+j, j)
		}
		w.f("x%d = %s", i, text)
		if add {
			w.f("put(pu, u%d, get(pu, u%d)+x%d)", i, i, i)
		} else {
			w.f("put(pr, r%d, x%d)", i, i)
		}
	}
	w.f("if p > l.Lo {")
	if add {
		w.f("pu = unsafe.Add(pu, -8*l.UStep)")
	}
	w.f("pr, pc = unsafe.Add(pr, -8*l.RStep), unsafe.Add(pc, -1600)\n}")
	w.f("}")
	for m := range 5 {
		w.f("put(po, 64*%d, x%d)", m, m)
	}
	w.f("}\n}")
}
