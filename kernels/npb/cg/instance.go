package cg

import (
	"fmt"
	"math"
	"strings"

	"gobench/comm"
	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// instance is CG on one rank. All vectors except sums hold the part of the columns of the rank.
type instance struct {
	rank  *application.Rank
	class npb.Class
	size
	grid
	*loops

	received     []float64  // partial sums of A p from another rank
	pair, theirs [2]float64 // sums of this rank and of a partner, as messages
	iterations   []iteration
}

// iteration holds the quantities that the official program prints for an iteration.
type iteration struct{ norm, zeta float64 }

func newInstance(r *application.Rank, class npb.Class) (npb.Instance, error) {
	c := &instance{rank: r, class: class, size: sizeOf(class)}
	c.grid = newGrid(c.n, r.Comm.Size(), r.Comm.Rank())
	c.loops = newLoops(r.Team, makeMatrix(c.size, c.rowSpan, c.colSpan), c.colSpan.len())
	c.received = make([]float64, c.rowSpan.len())
	c.iterations = make([]iteration, c.niter)
	return c, nil
}

// Run implements npb.Instance: one untimed iteration of the power method, then niter timed ones.
func (c *instance) Run() (npb.Result, error) {
	fill(c.x, 1)
	if _, err := c.iterate(); err != nil {
		return npb.Result{}, err
	}
	fill(c.x, 1)
	if err := comm.Barrier(c.rank.Comm); err != nil {
		return npb.Result{}, err
	}
	c.rank.Begin()
	for i := range c.iterations {
		var err error
		if c.iterations[i], err = c.iterate(); err != nil {
			return npb.Result{}, err
		}
		if err := c.rank.Step(i+1, c.niter); err != nil {
			return npb.Result{}, err
		}
	}
	seconds := c.rank.End()
	check := npb.Relative("zeta", c.iterations[c.niter-1].zeta, c.zeta, epsilon)
	return npb.Result{Seconds: seconds, Checks: []npb.Check{check, c.solved()}, Text: c.text(check)}, nil
}

// iterate does one iteration of the power method: x becomes the normalised solution of A z = x.
func (c *instance) iterate() (iteration, error) {
	norm, err := c.solve()
	if err != nil {
		return iteration{}, err
	}
	c.pair = [2]float64{c.dot(c.x, c.z), c.dot(c.z, c.z)}
	if err := c.sum(c.pair[:]); err != nil {
		return iteration{}, err
	}
	scale := 1 / math.Sqrt(c.pair[1])
	for i, v := range c.z {
		c.x[i] = scale * v
	}
	return iteration{norm, c.shift + 1/c.pair[0]}, nil
}

// solved checks every solution of the run. The official program checks only the final zeta, to
// which the power method converges even after an error in an earlier iteration.
func (c *instance) solved() npb.Check {
	check := npb.Check{Name: "greatest norm of a residual", Epsilon: unsolved}
	for _, it := range c.iterations {
		check.Error = max(check.Error, it.norm) // NaN if one is
	}
	check.Value = check.Error
	return check
}

// text formats the results of a run in the layout of the official program.
func (c *instance) text(check npb.Check) string {
	var s strings.Builder
	s.WriteString("   iteration           ||r||                 zeta\n")
	for i, it := range c.iterations {
		fmt.Fprintf(&s, "    %5d      %s%20.13f\n", i+1, npb.FormatE(it.norm, 21, 14), it.zeta)
	}
	s.WriteString(" Benchmark completed\n")
	if check.Right() {
		fmt.Fprintf(&s, " VERIFICATION SUCCESSFUL\n Zeta is    %s\n Error is   %s\n", npb.FormatE(check.Value, 20, 13), npb.FormatE(check.Error, 20, 13))
	} else {
		fmt.Fprintf(&s, " VERIFICATION FAILED\n Zeta                %s\n The correct zeta is %s\n", npb.FormatE(check.Value, 20, 13), npb.FormatE(check.Reference, 20, 13))
	}
	return s.String()
}

func fill(v []float64, value float64) {
	for i := range v {
		v[i] = value
	}
}
