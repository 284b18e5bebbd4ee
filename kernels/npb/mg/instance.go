package mg

import (
	"fmt"
	"strings"

	"gobench/comm"
	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// instance is MG on one rank.
type instance struct {
	*solver
	size
}

func newInstance(r *application.Rank, class npb.Class) (npb.Instance, error) {
	s := sizeOf(class)
	return &instance{newSolver(r, s), s}, nil
}

// Run implements npb.Instance: one untimed V-cycle, then niter timed ones, from the first residual
// to the norm of the last.
func (m *instance) Run() (npb.Result, error) {
	if err := m.start(); err != nil {
		return npb.Result{}, err
	}
	if _, err := m.solve(1, func(int) error { return nil }); err != nil {
		return npb.Result{}, err
	}
	if err := m.start(); err != nil {
		return npb.Result{}, err
	}
	if err := comm.Barrier(m.rank.Comm); err != nil {
		return npb.Result{}, err
	}
	m.rank.Begin()
	norm, err := m.solve(m.niter, func(i int) error { return m.rank.Step(i, m.niter) })
	if err != nil {
		return npb.Result{}, err
	}
	seconds := m.rank.End()
	check := npb.Relative("L2 norm", norm, m.reference, epsilon)
	return npb.Result{Seconds: seconds, Checks: []npb.Check{check}, Text: m.text(check)}, nil
}

// start sets up the problem: the charges, and u = 0.
func (m *instance) start() error {
	clear(m.u[m.top()])
	return m.charge()
}

// solve computes the residual, does the given number of V-cycles and returns the norm of the
// residual after them.
func (m *instance) solve(cycles int, step func(int) error) (float64, error) {
	if err := m.residual(); err != nil {
		return 0, err
	}
	if _, _, err := m.solver.norm(); err != nil {
		return 0, err
	}
	for i := range cycles {
		if err := m.vcycle(); err != nil {
			return 0, err
		}
		if err := step(i + 1); err != nil {
			return 0, err
		}
	}
	norm, _, err := m.solver.norm()
	return norm, err
}

// text formats the results of a run in the layout of the official program.
func (m *instance) text(check npb.Check) string {
	var s strings.Builder
	for i := 1; i <= m.niter; i++ {
		if i == 1 || i == m.niter || i%5 == 0 {
			fmt.Fprintf(&s, "  iter %4d\n", i)
		}
	}
	s.WriteString("\n Benchmark completed\n")
	if check.Right() {
		fmt.Fprintf(&s, " VERIFICATION SUCCESSFUL\n L2 Norm is %s\n Error is   %s\n", npb.FormatE(check.Value, 20, 13), npb.FormatE(check.Error, 20, 13))
	} else {
		fmt.Fprintf(&s, " VERIFICATION FAILED\n L2 Norm is             %s\n The correct L2 Norm is %s\n", npb.FormatE(check.Value, 20, 13), npb.FormatE(check.Reference, 20, 13))
	}
	return s.String()
}
