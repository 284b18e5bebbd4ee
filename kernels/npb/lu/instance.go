package lu

import (
	"gobench/comm"
	"gobench/kernels/application"
	"gobench/kernels/npb"
	"gobench/kernels/npb/flow"
)

// instance is LU on one rank.
type instance struct {
	*flow.Solver
	*relaxation
	class npb.Class
	halo  *flow.Halo
	last  flow.Result
}

func newInstance(r *application.Rank, class npb.Class) *instance {
	size := Code().Size(class)
	g := flow.Cube(size.N, size.Dt)
	position := newGrid(r.Comm.Rank(), r.Comm.Size())
	cell := flow.NewCell(position.block(g.N))
	s := flow.NewSolver(r, r.Team, r.Comm, g, []*flow.Cell{cell})
	return &instance{Solver: s, relaxation: newRelaxation(s, position.neighbours()), class: class,
		halo: flow.NewHalo(r, r.Comm, g.N, s.Cells, position.neighbours())}
}

// Run implements npb.Instance: one untimed step, then all steps from the initial field.
func (l *instance) Run() (npb.Result, error) {
	if err := l.prepare(); err != nil {
		return npb.Result{}, err
	}
	if err := l.step(); err != nil {
		return npb.Result{}, err
	}
	if err := l.prepare(); err != nil {
		return npb.Result{}, err
	}
	if err := comm.Barrier(l.Comm); err != nil {
		return npb.Result{}, err
	}
	r, steps := l.Rank, Code().Size(l.class).Steps
	r.Begin()
	for step := range steps {
		if step == steps-1 {
			// The official program also computes the norm of the correction in the last step. This
			// norm takes the same time.
			if _, err := l.ResidualNorm(l.Dt); err != nil {
				return npb.Result{}, err
			}
		}
		if err := l.step(); err != nil {
			return npb.Result{}, err
		}
		if step == steps-1 {
			var err error
			if l.last.Residual, err = l.ResidualNorm(l.Dt); err != nil {
				return npb.Result{}, err
			}
		}
		if err := r.Step(step+1, steps); err != nil {
			return npb.Result{}, err
		}
	}
	result := npb.Result{Seconds: r.End()}
	var err error
	if l.last.Error, err = l.ErrorNorm(false); err != nil {
		return result, err
	}
	if l.last.Surface, err = surface(l.Solver); err != nil {
		return result, err
	}
	code := Code()
	result.Checks = code.Checks(l.class, l.last)
	result.Text = code.Text(l.class, result.Checks)
	return result, nil
}

// prepare sets the initial field and its residual.
func (l *instance) prepare() error {
	l.Start()
	return l.refresh()
}

// refresh computes the residual times dt.
func (l *instance) refresh() error {
	if err := l.halo.Exchange(); err != nil {
		return err
	}
	l.Residual(l.Dt)
	return nil
}

// step advances the solution by one step of time. R is the residual before and after.
func (l *instance) step() error {
	if err := l.lower(); err != nil {
		return err
	}
	if err := l.upper(); err != nil {
		return err
	}
	return l.refresh()
}

// surface returns the integral of the pressure over six planes inside of the grid ("pintgr"): each
// is a sum over squares of four points.
func surface(s *flow.Solver) (float64, error) {
	n := s.N
	first, end := [3]int{1, 1, 2}, [3]int{n[0] - 2, n[1] - 3, n[2] - 2} // ranges of points, inclusive
	var sums [1]float64
	for axis := range 3 {
		a, b := (axis+1)%3, (axis+2)%3
		var sum float64
		for _, plane := range [2]int{first[axis], end[axis]} {
			var p [3]int
			p[axis] = plane
			for p[a] = first[a]; p[a] <= end[a]; p[a]++ {
				for p[b] = first[b]; p[b] <= end[b]; p[b]++ {
					weight := 4.0 // squares that have the point
					if p[a] == first[a] || p[a] == end[a] {
						weight /= 2
					}
					if p[b] == first[b] || p[b] == end[b] {
						weight /= 2
					}
					sum += weight * pressure(s.Cells[0], p)
				}
			}
		}
		sums[0] += s.H[a] * s.H[b] * sum / 4
	}
	err := s.Sum(sums[:])
	return sums[0], err
}

// pressure returns the pressure at a point of the grid, 0 where it is not in the cell.
func pressure(c *flow.Cell, p [3]int) float64 {
	for axis := range p {
		p[axis] -= c.Lo[axis]
		if p[axis] < 0 || p[axis] >= c.N[axis] {
			return 0
		}
	}
	u := c.State(p[0], p[1], p[2])
	return 0.4 * (u[4] - 0.5*(u[1]*u[1]+u[2]*u[2]+u[3]*u[3])/u[0])
}
