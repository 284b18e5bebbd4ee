// Code generated from ../block.go.tmpl; DO NOT EDIT.

//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package lanes

import (
	"unsafe"

	"gobench/internal/simd/kernel"
)

// Blocks holds the solver of BT. Components of block rows and columns are density, normal momentum,
// both tangential ones, and energy.
var Blocks = kernel.Blocks{
	Forward: blockForward,
	Back:    func(l *kernel.Lines) { blockBack(l, false) },
	BackAdd: func(l *kernel.Lines) { blockBack(l, true) },
}

// Bytes from a number of a block to the next, which has one of each line, and from the block that
// is kept of a position to the next. Entry (i, j) of a block begins at (5 i + j) slot.
const (
	slot      = 8 * kernel.LineLanes
	keptBlock = kernel.BlockKept * slot
)

// blockForward solves the systems of the lines
//
//	A(p) x(p-1) + B(p) x(p) + C(p) x(p+1) = q(p)
//
// down to x(p) = r(p) - K(p) x(p+1), by the block form of Thomas's algorithm: r, which replaces q,
// and K = B'^-1 C, which is kept, with B' = B - A K(p-1). With the Jacobians F of the convective
// and N of the viscous flux, scaled by l.Tau2 and l.Tau1,
//
//	-A = F(p-1) + N(p-1) + shift,  B = 1 + 2 N(p) + 2 shift,  C = F(p+1) - N(p+1) - shift
//
// The Jacobians are computed one position ahead. l.Work holds 25 slots of each of the positions
// before, here and after: 15 of the rows of -A, then 10 of N. Entries of F and N are named by row
// and column: 1 is density, n, t and s are the momenta, and 5 is energy.
func blockForward(l *kernel.Lines) {
	zero, one, half, c1, c2 := every(0.0), every(1.0), every(0.5), every(1.4), every(0.4)
	tau, both, unit, shift := every(l.Tau2), every(l.Tau2*0.4), every(1+2*l.Tau1*l.Delta), every(l.Tau1*l.Delta)
	back, wide := every(-l.Tau1*l.Delta), every(1.6)
	k1, third, heat, slip, warm := every(l.Tau1*0.1), every(4.0/3), every(4.0/3-1.96), every(1-1.96), every(1.96)
	minus, two := every(-1.0), every(2.0)
	u0, u1, u2, u3, u4 := 8*l.UComp[0], 8*l.UComp[1], 8*l.UComp[2], 8*l.UComp[3], 8*l.UComp[4]
	r0, r1, r2, r3, r4 := 8*l.RComp[0], 8*l.RComp[1], 8*l.RComp[2], 8*l.RComp[3], 8*l.RComp[4]
	u, r, kept, work := unsafe.Pointer(&l.U[l.UAt]), unsafe.Pointer(&l.R[l.RAt]), unsafe.Pointer(&l.Kept[l.At]), unsafe.Pointer(&l.Work[0])
	in, out := unsafe.Pointer(&l.In[0]), unsafe.Pointer(&l.Out[0])
	for lane := 0; lane < 8*kernel.LineLanes; lane += width {
		pu := unsafe.Add(u, 8*l.UStep*(l.Lo-2)+lane)
		pr := unsafe.Add(r, 8*l.RStep*l.Lo+lane)
		pc := unsafe.Add(kept, keptBlock*l.Lo+lane)
		ps, po := unsafe.Add(in, lane), unsafe.Add(out, lane)
		before, here, after := work, unsafe.Add(work, keptBlock), unsafe.Add(work, 2*keptBlock)
		x0, x1, x2, x3, x4 := *at(ps, 25*slot), *at(ps, 26*slot), *at(ps, 27*slot), *at(ps, 28*slot), *at(ps, 29*slot)
		for p := l.Lo - 2; p < l.Hi; p++ {
			// The scaled Jacobians F and N of the position after p, and the parts of them that the
			// blocks of it and of its neighbours need.
			pu = unsafe.Add(pu, 8*l.UStep)
			r := one.Div(*at(pu, u0))
			vn, vt, vs, e := at(pu, u1).Mul(r), at(pu, u2).Mul(r), at(pu, u3).Mul(r), at(pu, u4).Mul(r)
			sq := half.Mul(vs.MulAdd(vs, vt.MulAdd(vt, vn.Mul(vn))))
			avn, avt, avs := tau.Mul(vn), tau.Mul(vt), tau.Mul(vs)
			ce := c1.Mul(e)
			cs := c2.Mul(sq)
			cn := zero.Sub(vn)
			fn1 := avn.MulAdd(cn, tau.Mul(cs))
			fnn := wide.Mul(avn)
			fnt, fns := zero.Sub(c2.Mul(avt)), zero.Sub(c2.Mul(avs))
			ft1 := avt.Mul(cn)
			fs1 := avs.Mul(cn)
			f51 := cs.Add(cs).Sub(ce).Mul(avn)
			f5n := tau.Mul(c2.MulAdd(vn.Mul(cn), ce.Sub(cs)))
			f5t := fnt.Mul(vn)
			f5s := fns.Mul(vn)
			f55 := c1.Mul(avn)
			kr := k1.Mul(r)
			nnn := third.Mul(kr)
			nn1 := nnn.Mul(cn)
			nt1 := zero.Sub(kr.Mul(vt))
			ns1 := zero.Sub(kr.Mul(vs))
			n5n := heat.Mul(kr).Mul(vn)
			n5t := slip.Mul(kr).Mul(vt)
			n5s := slip.Mul(kr).Mul(vs)
			n55 := warm.Mul(kr)
			n51 := zero.Sub(n55.MulAdd(e, n5s.MulAdd(vs, n5t.MulAdd(vt, n5n.Mul(vn)))))
			*at(after, lane) = fn1.Add(nn1)
			*at(after, slot+lane) = fnn.Add(nnn).Add(shift)
			*at(after, 2*slot+lane) = fnt
			*at(after, 3*slot+lane) = fns
			*at(after, 4*slot+lane) = ft1.Add(nt1)
			*at(after, 5*slot+lane) = avt
			*at(after, 6*slot+lane) = avn.Add(kr).Add(shift)
			*at(after, 7*slot+lane) = fs1.Add(ns1)
			*at(after, 8*slot+lane) = avs
			*at(after, 9*slot+lane) = avn.Add(kr).Add(shift)
			*at(after, 10*slot+lane) = f51.Add(n51)
			*at(after, 11*slot+lane) = f5n.Add(n5n)
			*at(after, 12*slot+lane) = f5t.Add(n5t)
			*at(after, 13*slot+lane) = f5s.Add(n5s)
			*at(after, 14*slot+lane) = f55.Add(n55).Add(shift)
			*at(after, 15*slot+lane) = nn1
			*at(after, 16*slot+lane) = nnn
			*at(after, 17*slot+lane) = nt1
			*at(after, 18*slot+lane) = ns1
			*at(after, 19*slot+lane) = kr
			*at(after, 20*slot+lane) = n51
			*at(after, 21*slot+lane) = n5n
			*at(after, 22*slot+lane) = n5t
			*at(after, 23*slot+lane) = n5s
			*at(after, 24*slot+lane) = n55
			if p < l.Lo {
				before, here, after = here, after, before
				continue
			}

			// The diagonal block b and the right side q after the elimination of the position
			// before. a has the rows of -A, the first of which has shift and tau alone.
			a10, a11, a12, a13 := *at(before, lane), *at(before, slot+lane), *at(before, 2*slot+lane), *at(before, 3*slot+lane)
			a20, a21, a22 := *at(before, 4*slot+lane), *at(before, 5*slot+lane), *at(before, 6*slot+lane)
			a30, a31, a33 := *at(before, 7*slot+lane), *at(before, 8*slot+lane), *at(before, 9*slot+lane)
			a40, a41, a42, a43, a44 := *at(before, 10*slot+lane), *at(before, 11*slot+lane), *at(before, 12*slot+lane), *at(before, 13*slot+lane), *at(before, 14*slot+lane)
			c00, c10, c20, c30, c40 := *at(ps, 0), *at(ps, 5*slot), *at(ps, 10*slot), *at(ps, 15*slot), *at(ps, 20*slot)
			b00 := tau.MulAdd(c10, shift.MulAdd(c00, unit))
			b10 := both.MulAdd(c40, a13.MulAdd(c30, a12.MulAdd(c20, a11.MulAdd(c10, a10.MulAdd(c00, two.Mul(*at(here, 15*slot+lane)))))))
			b20 := a22.MulAdd(c20, a21.MulAdd(c10, a20.MulAdd(c00, two.Mul(*at(here, 17*slot+lane)))))
			b30 := a33.MulAdd(c30, a31.MulAdd(c10, a30.MulAdd(c00, two.Mul(*at(here, 18*slot+lane)))))
			b40 := a44.MulAdd(c40, a43.MulAdd(c30, a42.MulAdd(c20, a41.MulAdd(c10, a40.MulAdd(c00, two.Mul(*at(here, 20*slot+lane)))))))
			c01, c11, c21, c31, c41 := *at(ps, slot), *at(ps, 6*slot), *at(ps, 11*slot), *at(ps, 16*slot), *at(ps, 21*slot)
			b01 := tau.MulAdd(c11, shift.Mul(c01))
			b11 := both.MulAdd(c41, a13.MulAdd(c31, a12.MulAdd(c21, a11.MulAdd(c11, a10.MulAdd(c01, two.MulAdd(*at(here, 16*slot+lane), unit))))))
			b21 := a22.MulAdd(c21, a21.MulAdd(c11, a20.Mul(c01)))
			b31 := a33.MulAdd(c31, a31.MulAdd(c11, a30.Mul(c01)))
			b41 := a44.MulAdd(c41, a43.MulAdd(c31, a42.MulAdd(c21, a41.MulAdd(c11, a40.MulAdd(c01, two.Mul(*at(here, 21*slot+lane)))))))
			c02, c12, c22, c32, c42 := *at(ps, 2*slot), *at(ps, 7*slot), *at(ps, 12*slot), *at(ps, 17*slot), *at(ps, 22*slot)
			b02 := tau.MulAdd(c12, shift.Mul(c02))
			b12 := both.MulAdd(c42, a13.MulAdd(c32, a12.MulAdd(c22, a11.MulAdd(c12, a10.Mul(c02)))))
			b22 := a22.MulAdd(c22, a21.MulAdd(c12, a20.MulAdd(c02, two.MulAdd(*at(here, 19*slot+lane), unit))))
			b32 := a33.MulAdd(c32, a31.MulAdd(c12, a30.Mul(c02)))
			b42 := a44.MulAdd(c42, a43.MulAdd(c32, a42.MulAdd(c22, a41.MulAdd(c12, a40.MulAdd(c02, two.Mul(*at(here, 22*slot+lane)))))))
			c03, c13, c23, c33, c43 := *at(ps, 3*slot), *at(ps, 8*slot), *at(ps, 13*slot), *at(ps, 18*slot), *at(ps, 23*slot)
			b03 := tau.MulAdd(c13, shift.Mul(c03))
			b13 := both.MulAdd(c43, a13.MulAdd(c33, a12.MulAdd(c23, a11.MulAdd(c13, a10.Mul(c03)))))
			b23 := a22.MulAdd(c23, a21.MulAdd(c13, a20.Mul(c03)))
			b33 := a33.MulAdd(c33, a31.MulAdd(c13, a30.MulAdd(c03, two.MulAdd(*at(here, 19*slot+lane), unit))))
			b43 := a44.MulAdd(c43, a43.MulAdd(c33, a42.MulAdd(c23, a41.MulAdd(c13, a40.MulAdd(c03, two.Mul(*at(here, 23*slot+lane)))))))
			c04, c14, c24, c34, c44 := *at(ps, 4*slot), *at(ps, 9*slot), *at(ps, 14*slot), *at(ps, 19*slot), *at(ps, 24*slot)
			b04 := tau.MulAdd(c14, shift.Mul(c04))
			b14 := both.MulAdd(c44, a13.MulAdd(c34, a12.MulAdd(c24, a11.MulAdd(c14, a10.Mul(c04)))))
			b24 := a22.MulAdd(c24, a21.MulAdd(c14, a20.Mul(c04)))
			b34 := a33.MulAdd(c34, a31.MulAdd(c14, a30.Mul(c04)))
			b44 := a44.MulAdd(c44, a43.MulAdd(c34, a42.MulAdd(c24, a41.MulAdd(c14, a40.MulAdd(c04, two.MulAdd(*at(here, 24*slot+lane), unit))))))
			q0 := tau.MulAdd(x1, shift.MulAdd(x0, *at(pr, r0)))
			q1 := both.MulAdd(x4, a13.MulAdd(x3, a12.MulAdd(x2, a11.MulAdd(x1, a10.MulAdd(x0, *at(pr, r1))))))
			q2 := a22.MulAdd(x2, a21.MulAdd(x1, a20.MulAdd(x0, *at(pr, r2))))
			q3 := a33.MulAdd(x3, a31.MulAdd(x1, a30.MulAdd(x0, *at(pr, r3))))
			q4 := a44.MulAdd(x4, a43.MulAdd(x3, a42.MulAdd(x2, a41.MulAdd(x1, a40.MulAdd(x0, *at(pr, r4))))))

			// b is factorised without pivoting: multipliers m, negative scaled rows n and
			// reciprocals p of pivots.
			g0 := minus.Div(b00)
			p0 := zero.Sub(g0)
			m10 := b10.Mul(g0)
			b11 = m10.MulAdd(b01, b11)
			b12 = m10.MulAdd(b02, b12)
			b13 = m10.MulAdd(b03, b13)
			b14 = m10.MulAdd(b04, b14)
			m20 := b20.Mul(g0)
			b21 = m20.MulAdd(b01, b21)
			b22 = m20.MulAdd(b02, b22)
			b23 = m20.MulAdd(b03, b23)
			b24 = m20.MulAdd(b04, b24)
			m30 := b30.Mul(g0)
			b31 = m30.MulAdd(b01, b31)
			b32 = m30.MulAdd(b02, b32)
			b33 = m30.MulAdd(b03, b33)
			b34 = m30.MulAdd(b04, b34)
			m40 := b40.Mul(g0)
			b41 = m40.MulAdd(b01, b41)
			b42 = m40.MulAdd(b02, b42)
			b43 = m40.MulAdd(b03, b43)
			b44 = m40.MulAdd(b04, b44)
			n01 := b01.Mul(g0)
			n02 := b02.Mul(g0)
			n03 := b03.Mul(g0)
			n04 := b04.Mul(g0)
			g1 := minus.Div(b11)
			p1 := zero.Sub(g1)
			m21 := b21.Mul(g1)
			b22 = m21.MulAdd(b12, b22)
			b23 = m21.MulAdd(b13, b23)
			b24 = m21.MulAdd(b14, b24)
			m31 := b31.Mul(g1)
			b32 = m31.MulAdd(b12, b32)
			b33 = m31.MulAdd(b13, b33)
			b34 = m31.MulAdd(b14, b34)
			m41 := b41.Mul(g1)
			b42 = m41.MulAdd(b12, b42)
			b43 = m41.MulAdd(b13, b43)
			b44 = m41.MulAdd(b14, b44)
			n12 := b12.Mul(g1)
			n13 := b13.Mul(g1)
			n14 := b14.Mul(g1)
			g2 := minus.Div(b22)
			p2 := zero.Sub(g2)
			m32 := b32.Mul(g2)
			b33 = m32.MulAdd(b23, b33)
			b34 = m32.MulAdd(b24, b34)
			m42 := b42.Mul(g2)
			b43 = m42.MulAdd(b23, b43)
			b44 = m42.MulAdd(b24, b44)
			n23 := b23.Mul(g2)
			n24 := b24.Mul(g2)
			g3 := minus.Div(b33)
			p3 := zero.Sub(g3)
			m43 := b43.Mul(g3)
			b44 = m43.MulAdd(b34, b44)
			n34 := b34.Mul(g3)
			g4 := minus.Div(b44)
			p4 := zero.Sub(g4)

			// Columns of C, which are F - N less a multiple of the identity, and the right side.
			j00 := back
			j01 := m10.MulAdd(j00, fn1.Sub(nn1))
			j02 := m21.MulAdd(j01, m20.MulAdd(j00, ft1.Sub(nt1)))
			j03 := m32.MulAdd(j02, m31.MulAdd(j01, m30.MulAdd(j00, fs1.Sub(ns1))))
			j04 := m43.MulAdd(j03, m42.MulAdd(j02, m41.MulAdd(j01, m40.MulAdd(j00, f51.Sub(n51)))))
			j0z4 := j04.Mul(p4)
			*at(pc, (5*4+0)*slot) = j0z4
			j0z3 := n34.MulAdd(j0z4, j03.Mul(p3))
			*at(pc, (5*3+0)*slot) = j0z3
			j0z2 := n24.MulAdd(j0z4, n23.MulAdd(j0z3, j02.Mul(p2)))
			*at(pc, (5*2+0)*slot) = j0z2
			j0z1 := n14.MulAdd(j0z4, n13.MulAdd(j0z3, n12.MulAdd(j0z2, j01.Mul(p1))))
			*at(pc, (5*1+0)*slot) = j0z1
			j0z0 := n04.MulAdd(j0z4, n03.MulAdd(j0z3, n02.MulAdd(j0z2, n01.MulAdd(j0z1, j00.Mul(p0)))))
			*at(pc, (5*0+0)*slot) = j0z0
			j10 := tau
			j11 := m10.MulAdd(j10, fnn.Sub(nnn).Sub(shift))
			j12 := m21.MulAdd(j11, m20.MulAdd(j10, avt))
			j13 := m32.MulAdd(j12, m31.MulAdd(j11, m30.MulAdd(j10, avs)))
			j14 := m43.MulAdd(j13, m42.MulAdd(j12, m41.MulAdd(j11, m40.MulAdd(j10, f5n.Sub(n5n)))))
			j1z4 := j14.Mul(p4)
			*at(pc, (5*4+1)*slot) = j1z4
			j1z3 := n34.MulAdd(j1z4, j13.Mul(p3))
			*at(pc, (5*3+1)*slot) = j1z3
			j1z2 := n24.MulAdd(j1z4, n23.MulAdd(j1z3, j12.Mul(p2)))
			*at(pc, (5*2+1)*slot) = j1z2
			j1z1 := n14.MulAdd(j1z4, n13.MulAdd(j1z3, n12.MulAdd(j1z2, j11.Mul(p1))))
			*at(pc, (5*1+1)*slot) = j1z1
			j1z0 := n04.MulAdd(j1z4, n03.MulAdd(j1z3, n02.MulAdd(j1z2, n01.MulAdd(j1z1, j10.Mul(p0)))))
			*at(pc, (5*0+1)*slot) = j1z0
			j21 := fnt
			j22 := m21.MulAdd(j21, avn.Sub(kr).Sub(shift))
			j23 := m31.MulAdd(j21, m32.Mul(j22))
			j24 := m43.MulAdd(j23, m42.MulAdd(j22, m41.MulAdd(j21, f5t.Sub(n5t))))
			j2z4 := j24.Mul(p4)
			*at(pc, (5*4+2)*slot) = j2z4
			j2z3 := n34.MulAdd(j2z4, j23.Mul(p3))
			*at(pc, (5*3+2)*slot) = j2z3
			j2z2 := n24.MulAdd(j2z4, n23.MulAdd(j2z3, j22.Mul(p2)))
			*at(pc, (5*2+2)*slot) = j2z2
			j2z1 := n14.MulAdd(j2z4, n13.MulAdd(j2z3, n12.MulAdd(j2z2, j21.Mul(p1))))
			*at(pc, (5*1+2)*slot) = j2z1
			j2z0 := n04.MulAdd(j2z4, n03.MulAdd(j2z3, n02.MulAdd(j2z2, n01.Mul(j2z1))))
			*at(pc, (5*0+2)*slot) = j2z0
			j31 := fns
			j32 := m21.Mul(j31)
			j33 := m32.MulAdd(j32, m31.MulAdd(j31, avn.Sub(kr).Sub(shift)))
			j34 := m43.MulAdd(j33, m42.MulAdd(j32, m41.MulAdd(j31, f5s.Sub(n5s))))
			j3z4 := j34.Mul(p4)
			*at(pc, (5*4+3)*slot) = j3z4
			j3z3 := n34.MulAdd(j3z4, j33.Mul(p3))
			*at(pc, (5*3+3)*slot) = j3z3
			j3z2 := n24.MulAdd(j3z4, n23.MulAdd(j3z3, j32.Mul(p2)))
			*at(pc, (5*2+3)*slot) = j3z2
			j3z1 := n14.MulAdd(j3z4, n13.MulAdd(j3z3, n12.MulAdd(j3z2, j31.Mul(p1))))
			*at(pc, (5*1+3)*slot) = j3z1
			j3z0 := n04.MulAdd(j3z4, n03.MulAdd(j3z3, n02.MulAdd(j3z2, n01.Mul(j3z1))))
			*at(pc, (5*0+3)*slot) = j3z0
			j41 := both
			j42 := m21.Mul(j41)
			j43 := m31.MulAdd(j41, m32.Mul(j42))
			j44 := m43.MulAdd(j43, m42.MulAdd(j42, m41.MulAdd(j41, f55.Sub(n55).Sub(shift))))
			j4z4 := j44.Mul(p4)
			*at(pc, (5*4+4)*slot) = j4z4
			j4z3 := n34.MulAdd(j4z4, j43.Mul(p3))
			*at(pc, (5*3+4)*slot) = j4z3
			j4z2 := n24.MulAdd(j4z4, n23.MulAdd(j4z3, j42.Mul(p2)))
			*at(pc, (5*2+4)*slot) = j4z2
			j4z1 := n14.MulAdd(j4z4, n13.MulAdd(j4z3, n12.MulAdd(j4z2, j41.Mul(p1))))
			*at(pc, (5*1+4)*slot) = j4z1
			j4z0 := n04.MulAdd(j4z4, n03.MulAdd(j4z3, n02.MulAdd(j4z2, n01.Mul(j4z1))))
			*at(pc, (5*0+4)*slot) = j4z0
			y0 := q0
			y1 := m10.MulAdd(q0, q1)
			y2 := m21.MulAdd(y1, m20.MulAdd(q0, q2))
			y3 := m32.MulAdd(y2, m31.MulAdd(y1, m30.MulAdd(q0, q3)))
			y4 := m43.MulAdd(y3, m42.MulAdd(y2, m41.MulAdd(y1, m40.MulAdd(q0, q4))))
			x4 = y4.Mul(p4)
			*at(pr, r4) = x4
			x3 = n34.MulAdd(x4, y3.Mul(p3))
			*at(pr, r3) = x3
			x2 = n24.MulAdd(x4, n23.MulAdd(x3, y2.Mul(p2)))
			*at(pr, r2) = x2
			x1 = n14.MulAdd(x4, n13.MulAdd(x3, n12.MulAdd(x2, y1.Mul(p1))))
			*at(pr, r1) = x1
			x0 = n04.MulAdd(x4, n03.MulAdd(x3, n02.MulAdd(x2, n01.MulAdd(x1, y0.Mul(p0)))))
			*at(pr, r0) = x0
			before, here, after, ps = here, after, before, pc
			// A pointer behind its memory is an error to the garbage collector.
			if p+1 < l.Hi {
				pc, pr = unsafe.Add(pc, keptBlock), unsafe.Add(pr, 8*l.RStep)
			}
		}
		for i := 0; i < keptBlock; i += slot {
			*at(po, i) = *at(ps, i)
		}
		*at(po, 25*slot), *at(po, 26*slot), *at(po, 27*slot), *at(po, 28*slot), *at(po, 29*slot) = x0, x1, x2, x3, x4
	}
	end()
}

// blockBack substitutes. The solution replaces the right side, or is added to U.
func blockBack(l *kernel.Lines, add bool) {
	zero := every(0)
	u0, u1, u2, u3, u4 := 8*l.UComp[0], 8*l.UComp[1], 8*l.UComp[2], 8*l.UComp[3], 8*l.UComp[4]
	r0, r1, r2, r3, r4 := 8*l.RComp[0], 8*l.RComp[1], 8*l.RComp[2], 8*l.RComp[3], 8*l.RComp[4]
	r, kept, u := unsafe.Pointer(&l.R[l.RAt]), unsafe.Pointer(&l.Kept[l.At]), unsafe.Pointer(&l.U[l.UAt])
	in, out := unsafe.Pointer(&l.In[0]), unsafe.Pointer(&l.Out[0])
	for lane := 0; lane < 8*kernel.LineLanes; lane += width {
		pr := unsafe.Add(r, 8*l.RStep*(l.Hi-1)+lane)
		pc := unsafe.Add(kept, keptBlock*(l.Hi-1)+lane)
		pu := unsafe.Add(u, 8*l.UStep*(l.Hi-1)+lane)
		ps, po := unsafe.Add(in, lane), unsafe.Add(out, lane)
		x0, x1, x2, x3, x4 := *at(ps, 0), *at(ps, slot), *at(ps, 2*slot), *at(ps, 3*slot), *at(ps, 4*slot)
		for p := l.Hi - 1; p >= l.Lo; p-- {
			y0, y1, y2, y3, y4 := zero.Sub(x0), zero.Sub(x1), zero.Sub(x2), zero.Sub(x3), zero.Sub(x4)
			x0 = at(pc, (5*0+4)*slot).MulAdd(y4, at(pc, (5*0+3)*slot).MulAdd(y3, at(pc, (5*0+2)*slot).MulAdd(y2, at(pc, (5*0+1)*slot).MulAdd(y1, at(pc, (5*0+0)*slot).MulAdd(y0, *at(pr, r0))))))
			if add {
				*at(pu, u0) = at(pu, u0).Add(x0)
			} else {
				*at(pr, r0) = x0
			}
			x1 = at(pc, (5*1+4)*slot).MulAdd(y4, at(pc, (5*1+3)*slot).MulAdd(y3, at(pc, (5*1+2)*slot).MulAdd(y2, at(pc, (5*1+1)*slot).MulAdd(y1, at(pc, (5*1+0)*slot).MulAdd(y0, *at(pr, r1))))))
			if add {
				*at(pu, u1) = at(pu, u1).Add(x1)
			} else {
				*at(pr, r1) = x1
			}
			x2 = at(pc, (5*2+4)*slot).MulAdd(y4, at(pc, (5*2+3)*slot).MulAdd(y3, at(pc, (5*2+2)*slot).MulAdd(y2, at(pc, (5*2+1)*slot).MulAdd(y1, at(pc, (5*2+0)*slot).MulAdd(y0, *at(pr, r2))))))
			if add {
				*at(pu, u2) = at(pu, u2).Add(x2)
			} else {
				*at(pr, r2) = x2
			}
			x3 = at(pc, (5*3+4)*slot).MulAdd(y4, at(pc, (5*3+3)*slot).MulAdd(y3, at(pc, (5*3+2)*slot).MulAdd(y2, at(pc, (5*3+1)*slot).MulAdd(y1, at(pc, (5*3+0)*slot).MulAdd(y0, *at(pr, r3))))))
			if add {
				*at(pu, u3) = at(pu, u3).Add(x3)
			} else {
				*at(pr, r3) = x3
			}
			x4 = at(pc, (5*4+4)*slot).MulAdd(y4, at(pc, (5*4+3)*slot).MulAdd(y3, at(pc, (5*4+2)*slot).MulAdd(y2, at(pc, (5*4+1)*slot).MulAdd(y1, at(pc, (5*4+0)*slot).MulAdd(y0, *at(pr, r4))))))
			if add {
				*at(pu, u4) = at(pu, u4).Add(x4)
			} else {
				*at(pr, r4) = x4
			}
			if p > l.Lo {
				pu, pr, pc = unsafe.Add(pu, -8*l.UStep), unsafe.Add(pr, -8*l.RStep), unsafe.Add(pc, -keptBlock)
			}
		}
		*at(po, 0), *at(po, slot), *at(po, 2*slot), *at(po, 3*slot), *at(po, 4*slot) = x0, x1, x2, x3, x4
	}
	end()
}
