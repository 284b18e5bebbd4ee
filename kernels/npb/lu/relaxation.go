package lu

import (
	"gobench/comm"
	"gobench/internal/simd"
	"gobench/kernels/application"
	"gobench/kernels/npb/flow"
)

// A relaxation does the sweeps of one rank on R, the residual times dt.
type relaxation struct {
	solver     *flow.Solver
	cell       *flow.Cell
	neighbours [3][2]int
	lo, hi     [3]int // points inside of the grid

	c coefficients
	// row has the products of the blocks of the row before and of the plane before; columnX
	// belongs to the points before the first of each row.
	kernels simd.Relax
	row     simd.RelaxRow
	columnX []vector
	in, out []float64
}

// A vector has a number for each component.
type vector [5]float64

// point holds the quantities of the solution at a point that products uses.
type point struct {
	v       [3]float64 // velocity
	e, s, h float64    // energy by density, |v|^2 / 2, c1 e - c2 s
	kr      float64    // viscosity by density
}

// coefficients are the factors of the blocks.
type coefficients struct {
	convect, diffuse, shift [3]float64 // dt / 2h, dt / h^2, and this times the second difference
	diagonal                float64
	momentum                [3]float64 // of the diagonal blocks, times the viscosity by density
	total                   float64
}

func newRelaxation(s *flow.Solver, neighbours [3][2]int) *relaxation {
	cell := s.Cells[0]
	x := &relaxation{solver: s, cell: cell, neighbours: neighbours}
	x.lo, x.hi = cell.Inside(s.N)
	c := &x.c
	c.diagonal = 1
	for axis := range 3 {
		c.convect[axis], c.diffuse[axis] = s.Dt*s.Half(axis), s.Dt*s.Square(axis)
		c.shift[axis] = c.diffuse[axis] * flow.Delta(axis)
		c.diagonal += 2 * c.shift[axis]
		c.total += 2 * c.diffuse[axis]
	}
	for axis := range 3 {
		c.momentum[axis] = c.total + 2*c.diffuse[axis]/3
	}
	n := cell.N
	x.kernels = simd.Best().Relax
	a := &x.row
	a.U, a.R, a.Comp, a.N = cell.U, cell.R, cell.Comp, (n[0]+7)&^7
	a.P, a.T = make([]float64, simd.RelaxParts*a.Comp), make([]float64, 5*a.Comp)
	a.Y, a.Z = make([]float64, 5*a.Comp), make([]float64, n[1]*5*a.Comp)
	a.Diagonal, a.Heat, a.Momentum, a.Gain = c.diagonal, conductivity*c.total, c.momentum, 1/(omega*(2-omega))
	for axis := range 3 {
		a.Diffuse[axis], a.Shift[axis] = omega*c.diffuse[axis], omega*c.shift[axis]
	}
	x.columnX = make([]vector, n[1])
	message := 5 * max(n[0], n[1])
	x.in, x.out = make([]float64, message), make([]float64, message)
	return x
}

// relaxationMemory returns the bytes of the relaxation of a cell of n points.
func relaxationMemory(n [3]int) int64 { return 8 * int64(5*(n[0]+16)*n[1]) }

// Constants of the equations: ratio of specific heats less 1, and thermal conductivity.
const (
	c1, c2       = 1.4, 0.4
	viscosity    = 0.1
	conductivity = 1.96
)

// look sets p to the quantities of the solution at an index.
func (x *relaxation) look(p *point, at int) {
	u, comp := x.cell.U, x.cell.Comp
	r := 1 / u[at]
	a, b, d := u[at+comp]*r, u[at+2*comp]*r, u[at+3*comp]*r
	p.v = [3]float64{a, b, d}
	p.e = u[at+4*comp] * r
	p.s = 0.5 * (a*a + b*b + d*d)
	p.h = c1*p.e - c2*p.s
	p.kr = viscosity * r
}

// products returns the products of the blocks along each axis with y, times omega. sign is -1 if
// the point precedes the one that depends on it (lower sweep), 1 if it follows it (upper sweep).
func (p *point) products(c *coefficients, y *vector, sign float64) (along [3]vector) {
	w := [3]float64{y[1] - p.v[0]*y[0], y[2] - p.v[1]*y[0], y[3] - p.v[2]*y[0]}
	vw := p.v[0]*w[0] + p.v[1]*w[1] + p.v[2]*w[2]
	// V.y is V.w + 2 s y0.
	pressure := c2 * (y[4] - vw - p.s*y[0])
	heat := (1-conductivity)*vw + conductivity*(y[4]-p.e*y[0])
	for n := range 3 {
		f, d, shift := omega*sign*c.convect[n], omega*c.diffuse[n]*p.kr, omega*c.shift[n]
		vn, wn := p.v[n], w[n]
		out := &along[n]
		out[0] = f*y[1+n] - shift*y[0]
		for k := range 3 {
			out[1+k] = f*(p.v[k]*wn+vn*y[1+k]) - d*w[k] - shift*y[1+k]
		}
		out[1+n] += f*pressure - d*(wn*(1.0/3))
		out[4] = f*(vn*(pressure+y[4])+p.h*wn) - d*(heat+vn*wn*(1.0/3)) - shift*y[4]
	}
	return along
}

// value returns the components of R at an index.
func (x *relaxation) value(at int) (y vector) {
	for m := range y {
		y[m] = x.cell.R[at+m*x.cell.Comp]
	}
	return y
}

// Tags of the planes of both sweeps, along x and y.
const tags = 16

// lower sweeps through the grid from its first point: R becomes the solution of the lower half of
// the system.
func (x *relaxation) lower() error {
	x.begin(-1, 1, -1)
	for k := x.lo[2]; k < x.hi[2]; k++ {
		if err := x.receive(k, 0); err != nil {
			return err
		}
		for j := x.lo[1]; j < x.hi[1]; j++ {
			x.position(j, k)
			x.kernels.Look(&x.row)
			x.chain(&x.columnX[j], x.lo[0], x.hi[0], 1)
			x.kernels.Products(&x.row)
		}
		if err := x.send(k, 1); err != nil {
			return err
		}
	}
	return nil
}

// upper sweeps back, and adds the result to the solution.
func (x *relaxation) upper() error {
	x.begin(1, 0, 1)
	for k := x.hi[2] - 1; k >= x.lo[2]; k-- {
		if err := x.receive(k, 1); err != nil {
			return err
		}
		for j := x.hi[1] - 1; j >= x.lo[1]; j-- {
			x.position(j, k)
			x.kernels.Look(&x.row)
			x.chain(&x.columnX[j], x.hi[0]-1, x.lo[0]-1, -1)
			x.kernels.ProductsAdd(&x.row)
		}
		if err := x.send(k, 0); err != nil {
			return err
		}
	}
	return nil
}

// begin prepares a sweep, with the sign of the inviscid blocks.
func (x *relaxation) begin(sign, keep, add float64) {
	clear(x.row.Z)
	x.row.Keep, x.row.Add = keep, add
	for axis := range 3 {
		x.row.Convect[axis] = sign * omega * x.c.convect[axis]
	}
}

// position selects a row.
func (x *relaxation) position(j, k int) {
	x.row.At = x.cell.At(0, j, k)
	x.row.Plane = j * 5 * x.row.Comp
}

// chain solves the points of a row from first to end, exclusive, from T and the product of the
// block of the preceding point, which is start for the first one. In the lower sweep R becomes the
// solution; in the upper sweep the solution is subtracted from R.
func (x *relaxation) chain(start *vector, first, end, step int) {
	a := &x.row
	comp := a.Comp
	// Slices of one component each: the compiler keeps their addresses in registers.
	t0, t1, t2, t3, t4 := a.T[:comp], a.T[comp:2*comp], a.T[2*comp:3*comp], a.T[3*comp:4*comp], a.T[4*comp:5*comp]
	p := a.P
	r := a.R[a.At : a.At+5*comp-8]
	f, d, h := a.Convect[0], a.Diffuse[0], a.Shift[0]
	diagonal, sign, backward := 1/a.Diagonal, float64(-step), step < 0
	b0, b1, b2, b3, b4 := start[0], start[1], start[2], start[3], start[4]
	for i := first; i != end; i += step {
		v1, v2, v3 := p[i], p[i+comp], p[i+2*comp]
		e, s, head, kr := p[i+3*comp], p[i+4*comp], p[i+5*comp], p[i+6*comp]
		k1, k2, k3, k4 := p[i+7*comp], p[i+8*comp], p[i+9*comp], p[i+14*comp]
		y0 := (t0[i] + sign*b0) * diagonal
		g1, g2, g3 := v1*y0, v2*y0, v3*y0
		y1 := (t1[i] + sign*b1 + k1*g1) * p[i+10*comp]
		y2 := (t2[i] + sign*b2 + k2*g2) * p[i+11*comp]
		y3 := (t3[i] + sign*b3 + k3*g3) * p[i+12*comp]
		heat := (k1-k4)*v1*(y1-g1) + (k2-k4)*v2*(y2-g2) + (k3-k4)*v3*(y3-g3)
		y4 := (t4[i] + sign*b4 + k4*e*y0 - heat) * p[i+13*comp]
		if backward {
			y0, y1, y2, y3, y4 = r[i]-y0, r[i+comp]-y1, r[i+2*comp]-y2, r[i+3*comp]-y3, r[i+4*comp]-y4
		}
		r[i], r[i+comp], r[i+2*comp], r[i+3*comp], r[i+4*comp] = y0, y1, y2, y3, y4
		w1, w2, w3 := y1-v1*y0, y2-v2*y0, y3-v3*y0
		vw := v1*w1 + v2*w2 + v3*w3
		pressure := c2 * (y4 - vw - s*y0)
		warm := (1-conductivity)*vw + conductivity*(y4-e*y0) + v1*w1*(1.0/3)
		kd, fv := d*kr, f*v1
		fw := f * w1
		b0 = f*y1 - h*y0
		b1 = v1*fw + fv*y1 + f*pressure - kd*w1*(4.0/3) - h*y1
		b2 = v2*fw + fv*y2 - kd*w2 - h*y2
		b3 = v3*fw + fv*y3 - kd*w3 - h*y3
		b4 = fv*(pressure+y4) + head*fw - kd*warm - h*y4
	}
}

// receive receives the values of plane k beside the points of this rank, on a side along x and y,
// and sets columnX and row.Y to the products of their blocks.
func (x *relaxation) receive(k, side int) error {
	clear(x.columnX)
	clear(x.row.Y)
	sign := float64(2*side - 1)
	for axis := range 2 {
		peer := x.neighbours[axis][side]
		if peer < 0 {
			continue
		}
		lo, hi := x.lo[1-axis], x.hi[1-axis]
		in := x.in[:5*(hi-lo)]
		x.solver.Rank.Timers.Begin(application.Exchange)
		_, err := comm.Recv(x.solver.Comm, in, peer, tags+2*axis+side)
		x.solver.Rank.Timers.Begin(application.Compute)
		if err != nil {
			return err
		}
		outside := -1
		if side == 1 {
			outside = x.cell.N[axis]
		}
		var p point
		for i := lo; i < hi; i++ {
			y := vector(in[5*(i-lo):])
			if axis == 0 {
				x.look(&p, x.cell.At(outside, i, k))
				x.columnX[i] = p.products(&x.c, &y, sign)[axis]
				continue
			}
			x.look(&p, x.cell.At(i, outside, k))
			for m, v := range p.products(&x.c, &y, sign)[axis] {
				x.row.Y[i+m*x.row.Comp] = v
			}
		}
	}
	return nil
}

// send sends the outermost values of a plane on a side along x and y.
func (x *relaxation) send(k, side int) error {
	for axis := range 2 {
		peer := x.neighbours[axis][side]
		if peer < 0 {
			continue
		}
		lo, hi := x.lo[1-axis], x.hi[1-axis]
		out := x.out[:0]
		edge := 0
		if side == 1 {
			edge = x.cell.N[axis] - 1
		}
		for i := lo; i < hi; i++ {
			at := x.cell.At(edge, i, k)
			if axis == 1 {
				at = x.cell.At(i, edge, k)
			}
			y := x.value(at)
			out = append(out, y[:]...)
		}
		x.solver.Rank.Timers.Begin(application.Exchange)
		err := comm.Send(x.solver.Comm, out, peer, tags+2*axis+1-side)
		x.solver.Rank.Profile.Sent(peer, 8*len(out))
		x.solver.Rank.Timers.Begin(application.Compute)
		if err != nil {
			return err
		}
	}
	return nil
}
