package flow

import (
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
			if err := code.Legal(class); err != nil {
				return err
			}
			return Square(code.Name, class, ranks, code.Size(class).N)
		},
		Memory: func(class npb.Class, ranks, threads int) int64 {
			p, n := side(ranks), code.Size(class).N
			cell := (n + p - 1) / p
			size, faces := [3]int{cell, cell, cell}, 2*(p-1)*ranks
			return int64(ranks)*(SolverMemory(size, p, threads)+SweeperMemory(size, p, threads, method())) + HaloMemory(size, [3]int{faces, faces, faces})
		},
		New: func(r *application.Rank, class npb.Class) (npb.Instance, error) {
			return newPartitioned(r, code, class, method()), nil
		},
	}
}

// An Output writes the field of BT-IO at intervals, and reads it back.
type Output interface {
	// Open begins a run. It is not timed.
	Open() error
	// Step is called after each step, from 1, in the timed region.
	Step(step int) error
	// Close ends the writing, in the timed region.
	Close() error
	// Verify reads all fields back. The last one remains in the cells. It returns the error norm to
	// be verified instead of that of the last field, and text to go before that of the
	// verification.
	Verify() (norm [5]float64, text string, err error)
	// Finish adds text and facts about the output to the result of a run. It is collective.
	Finish(result *npb.Result) error
}

// WithOutput returns BT on one rank with an output.
func WithOutput(r *application.Rank, code *Code, class npb.Class, m Method, output func(*Solver, Partition) Output) npb.Instance {
	p := newPartitioned(r, code, class, m)
	p.output = output(p.Solver, p.part)
	return p
}

// partitioned is BT or SP on one rank.
type partitioned struct {
	*Sweeper
	code   *Code
	class  npb.Class
	halo   *Halo
	output Output // nil = none
}

func newPartitioned(r *application.Rank, code *Code, class npb.Class, m Method) *partitioned {
	size := code.Size(class)
	g := Cube(size.N, size.Dt)
	part := NewPartition(r.Comm.Rank(), r.Comm.Size())
	s := NewSolver(r, r.Team, r.Comm, g, part.Cells(g.N))
	return &partitioned{Sweeper: NewSweeper(s, part, m), code: code, class: class, halo: NewHalo(r, r.Comm, g.N, s.Cells, part.Neighbours())}
}

// Run implements npb.Instance: one untimed step, then all steps from the initial field.
func (p *partitioned) Run() (npb.Result, error) {
	p.Start()
	prepare := func() error {
		if p.Start(); p.output == nil {
			return nil
		}
		return p.output.Open()
	}
	r, steps := p.Rank, p.code.Size(p.class).Steps
	if err := r.Ready(p.Comm, p.step, prepare); err != nil {
		return npb.Result{}, err
	}
	for step := range steps {
		if err := p.step(); err != nil {
			return npb.Result{}, err
		}
		if p.output != nil {
			if err := p.output.Step(step + 1); err != nil {
				return npb.Result{}, err
			}
		}
		if err := r.Step(step+1, steps); err != nil {
			return npb.Result{}, err
		}
	}
	if p.output != nil {
		if err := p.output.Close(); err != nil {
			return npb.Result{}, err
		}
	}
	result := npb.Result{Seconds: r.End()}
	if err := p.verify(&result); err != nil {
		return result, err
	}
	return result, nil
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
func (p *partitioned) verify(result *npb.Result) error {
	var r Result
	var before string
	var err error
	if p.output != nil {
		r.Error, before, err = p.output.Verify()
	} else {
		r.Error, err = p.ErrorNorm(false)
	}
	if err != nil {
		return err
	}
	if err := p.halo.Exchange(); err != nil {
		return err
	}
	p.Residual(p.Dt)
	if r.Residual, err = p.ResidualNorm(p.Dt); err != nil {
		return err
	}
	result.Checks = p.code.Checks(p.class, r)
	result.Text = before + p.code.Text(p.class, result.Checks)
	if p.output != nil {
		return p.output.Finish(result)
	}
	return nil
}
