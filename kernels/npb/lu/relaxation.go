package lu

import (
	"gobench/comm"
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
	// points holds what a row needs of the solution.
	points []point
	// Products of the blocks of the neighbours of a plane: rowY of the row before, for each point
	// along x, and planeZ of the plane before. columnX are those of the points before the first of
	// each row.
	rowY, planeZ, columnX []vector
	in, out               []float64
}

// A vector has a number for each component.
type vector [5]float64

// point holds what the sweeps need of the solution at a point.
type point struct {
	v             [3]float64 // velocity
	e, s, h       float64    // energy by density, |v|^2 / 2, c1 e - c2 s
	kr            float64    // viscosity by density
	inverse       [3]float64 // of the diagonal of the momenta
	couple        [3]float64 // of the momenta to density, without velocity
	inverseEnergy float64
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
	x.points, x.rowY = make([]point, n[0]), make([]vector, n[0])
	x.columnX, x.planeZ = make([]vector, n[1]), make([]vector, n[0]*n[1])
	message := 5 * max(n[0], n[1])
	x.in, x.out = make([]float64, message), make([]float64, message)
	return x
}

// Constants of the equations: ratio of specific heats less 1, and thermal conductivity.
const (
	c1, c2       = 1.4, 0.4
	viscosity    = 0.1
	conductivity = 1.96
)

// look sets p to what is needed of the solution at an index.
func (x *relaxation) look(p *point, at int) {
	u, comp := x.cell.U, x.cell.Comp
	r := 1 / u[at]
	a, b, d := u[at+comp]*r, u[at+2*comp]*r, u[at+3*comp]*r
	p.v = [3]float64{a, b, d}
	p.e = u[at+4*comp] * r
	p.s = 0.5 * (a*a + b*b + d*d)
	p.h = c1*p.e - c2*p.s
	p.kr = viscosity * r
	c := &x.c
	for i := range p.inverse {
		k := p.kr * c.momentum[i]
		p.couple[i] = k
		p.inverse[i] = 1 / (c.diagonal + k)
	}
	p.inverseEnergy = 1 / (c.diagonal + conductivity*p.kr*c.total)
}

// solve returns the solution of the diagonal block.
func (p *point) solve(c *coefficients, b *vector) (y vector) {
	y[0] = b[0] / c.diagonal
	var heat float64
	for i, v := range p.v {
		q := v * y[0]
		y[1+i] = (b[1+i] + p.couple[i]*q) * p.inverse[i]
		heat += (p.couple[i] - conductivity*p.kr*c.total) * v * (y[1+i] - q)
	}
	y[4] = (b[4] - heat + conductivity*p.kr*c.total*p.e*y[0]) * p.inverseEnergy
	return y
}

// products returns the products of the blocks along each axis with y, times omega. sign is -1 for
// the blocks towards the point after, 1 for those towards the point before.
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
	clear(x.planeZ)
	for k := x.lo[2]; k < x.hi[2]; k++ {
		if err := x.receive(k, 0); err != nil {
			return err
		}
		for j := x.lo[1]; j < x.hi[1]; j++ {
			x.lowerRow(j, k)
		}
		if err := x.send(k, 1); err != nil {
			return err
		}
	}
	return nil
}

func (x *relaxation) lowerRow(j, k int) {
	c, r, comp := &x.c, x.cell.R, x.cell.Comp
	row := x.cell.At(0, j, k)
	for i := x.lo[0]; i < x.hi[0]; i++ {
		x.look(&x.points[i], row+i)
	}
	before := x.columnX[j]
	plane := x.planeZ[j*x.cell.N[0]:]
	for i := x.lo[0]; i < x.hi[0]; i++ {
		p, y, z := &x.points[i], &x.rowY[i], &plane[i]
		at := row + i
		b := vector{
			r[at] - y[0] - z[0] - before[0],
			r[at+comp] - y[1] - z[1] - before[1],
			r[at+2*comp] - y[2] - z[2] - before[2],
			r[at+3*comp] - y[3] - z[3] - before[3],
			r[at+4*comp] - y[4] - z[4] - before[4],
		}
		v := p.solve(c, &b)
		for m, value := range v {
			r[at+m*comp] = value
		}
		along := p.products(c, &v, -1)
		before, *y, *z = along[0], along[1], along[2]
	}
}

// upper sweeps back, and adds the result to the solution.
func (x *relaxation) upper() error {
	clear(x.planeZ)
	for k := x.hi[2] - 1; k >= x.lo[2]; k-- {
		if err := x.receive(k, 1); err != nil {
			return err
		}
		for j := x.hi[1] - 1; j >= x.lo[1]; j-- {
			x.upperRow(j, k)
		}
		if err := x.send(k, 0); err != nil {
			return err
		}
	}
	return nil
}

func (x *relaxation) upperRow(j, k int) {
	const gain = 1 / (omega * (2 - omega))
	c, r, u, comp := &x.c, x.cell.R, x.cell.U, x.cell.Comp
	row := x.cell.At(0, j, k)
	for i := x.lo[0]; i < x.hi[0]; i++ {
		x.look(&x.points[i], row+i)
	}
	before := x.columnX[j]
	plane := x.planeZ[j*x.cell.N[0]:]
	for i := x.hi[0] - 1; i >= x.lo[0]; i-- {
		p, y, z := &x.points[i], &x.rowY[i], &plane[i]
		at := row + i
		b := vector{y[0] + z[0] + before[0], y[1] + z[1] + before[1], y[2] + z[2] + before[2], y[3] + z[3] + before[3], y[4] + z[4] + before[4]}
		v := p.solve(c, &b)
		for m, value := range v {
			v[m] = r[at+m*comp] - value
			r[at+m*comp] = v[m]
			u[at+m*comp] += gain * v[m]
		}
		along := p.products(c, &v, 1)
		before, *y, *z = along[0], along[1], along[2]
	}
}

// receive gets the values of the points before the plane on a side along x and y, and sets columnX
// and rowY to the products of their blocks.
func (x *relaxation) receive(k, side int) error {
	clear(x.columnX)
	clear(x.rowY)
	sign := float64(2*side - 1)
	for axis := range 2 {
		peer := x.neighbours[axis][side]
		if peer < 0 {
			continue
		}
		lo, hi := x.lo[1-axis], x.hi[1-axis]
		in := x.in[:5*(hi-lo)]
		x.solver.Rank.Timers.Enter(application.Exchange)
		_, err := comm.Recv(x.solver.Comm, in, peer, tags+2*axis+side)
		x.solver.Rank.Timers.Enter(application.Compute)
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
			at, to := x.cell.At(outside, i, k), &x.columnX
			if axis == 1 {
				at, to = x.cell.At(i, outside, k), &x.rowY
			}
			x.look(&p, at)
			(*to)[i] = p.products(&x.c, &y, sign)[axis]
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
		x.solver.Rank.Timers.Enter(application.Exchange)
		err := comm.Send(x.solver.Comm, out, peer, tags+2*axis+1-side)
		x.solver.Rank.Profile.Sent(peer, 8*len(out))
		x.solver.Rank.Timers.Enter(application.Compute)
		if err != nil {
			return err
		}
	}
	return nil
}
