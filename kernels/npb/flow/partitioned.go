package flow

import (
	"gobench/comm"
	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// Partitioned describes BT or SP: a step computes the residual and solves along each axis in turn,
// the last of which adds the result to the solution.
func Partitioned(code *Code, method func() Method) *npb.Kernel {
	return &npb.Kernel{
		Name: code.Name, About: code.About, Last: npb.E,
		Problem: code.Problem,
		Legal: func(class npb.Class, ranks int) error {
			return Square(code.Name, class, ranks, code.Sizes[class].N)
		},
		Memory: func(class npb.Class, ranks, threads int) int64 {
			p, n := side(ranks), code.Sizes[class].N
			cell := (n + p - 1) / p
			size := [3]int{cell, cell, cell}
			return SolverMemory(size, p, threads) + SweeperMemory(size, p, threads, method())
		},
		New: func(r *application.Rank, class npb.Class) (npb.Instance, error) {
			return newPartitioned(r, code, class, method()), nil
		},
	}
}

// partitioned is BT or SP on one rank.
type partitioned struct {
	*Sweeper
	code  *Code
	class npb.Class
	halo  *Halo
}

func newPartitioned(r *application.Rank, code *Code, class npb.Class, m Method) *partitioned {
	size := code.Sizes[class]
	g := Cube(size.N, size.Dt)
	part := NewPartition(r.Comm.Rank(), r.Comm.Size())
	s := NewSolver(r, r.Comm, g, part.Cells(g.N))
	return &partitioned{NewSweeper(s, part, m), code, class, NewHalo(r, r.Comm, g.N, s.Cells, part.Neighbours())}
}

// Run implements npb.Instance: one untimed step, then all steps from the initial field.
func (p *partitioned) Run() (npb.Result, error) {
	p.Start()
	if err := p.step(); err != nil {
		return npb.Result{}, err
	}
	p.Start()
	if err := comm.Barrier(p.Comm); err != nil {
		return npb.Result{}, err
	}
	r, steps := p.Rank, p.code.Sizes[p.class].Steps
	r.Begin()
	for step := range steps {
		if err := p.step(); err != nil {
			return npb.Result{}, err
		}
		if err := r.Step(step+1, steps); err != nil {
			return npb.Result{}, err
		}
	}
	result := npb.Result{Seconds: r.End()}
	checks, err := p.verify()
	result.Checks, result.Text = checks, p.code.Text(p.class, checks)
	return result, err
}

// step advances the solution by one step of time.
func (p *partitioned) step() error {
	if err := p.halo.Exchange(); err != nil {
		return err
	}
	p.Residual(p.Dt)
	for axis := range 3 {
		if err := p.Solve(axis); err != nil {
			return err
		}
	}
	return nil
}

// verify compares the norms with the official ones. Every rank knows them.
func (p *partitioned) verify() ([]npb.Check, error) {
	var r Result
	var err error
	if r.Error, err = p.ErrorNorm(false); err != nil {
		return nil, err
	}
	if err := p.halo.Exchange(); err != nil {
		return nil, err
	}
	p.Residual(p.Dt)
	if r.Residual, err = p.ResidualNorm(p.Dt); err != nil {
		return nil, err
	}
	return p.code.Checks(p.class, r), nil
}
