// Package lu is the pseudo-application LU of the NAS Parallel Benchmarks: symmetric successive
// over-relaxation of the linearised Navier-Stokes equations, with sweeps from one corner of the
// grid to the other and back (NASA RNR-94-007, section 4.1; distribution as in NPB 3.4-MPI).
//
// Its bottlenecks are the chain of dependent points within a sweep and, with many ranks, the
// latency of small messages: ranks are a pipeline, in which each plane passes from rank to rank.
//
// The implementation differs from the official program in the arithmetic, which does not change the
// results. The diagonal blocks are lower triangular, so no elimination is needed. A block of a
// neighbour depends on the neighbour alone, so its product is computed once, when the neighbour is
// complete. The backward sweep also updates the solution. Threads share the residual; the sweeps of
// a rank are done by its first thread.
package lu

import (
	"fmt"
	"math"

	"gobench/kernels/application"
	"gobench/kernels/npb"
	"gobench/kernels/npb/flow"
)

// Kernel describes LU.
func Kernel() *npb.Kernel {
	code := Code()
	return &npb.Kernel{
		Name: code.Name, About: code.About, Last: npb.E,
		Problem: code.Problem,
		Legal:   legal,
		Memory: func(class npb.Class, ranks, threads int) int64 {
			points := code.Size(class).N
			g := newGrid(0, ranks)
			_, n := g.block([3]int{points, points, points})
			return int64(ranks)*(flow.SolverMemory(n, 1, threads)+relaxationMemory(n)) + flow.HaloMemory(n, [3]int{2 * (g.nx - 1) * g.ny, 2 * (g.ny - 1) * g.nx})
		},
		New: func(r *application.Rank, class npb.Class) (npb.Instance, error) { return newInstance(r, class), nil },
	}
}

// Code returns the classes of LU.
func Code() *flow.Code {
	return &flow.Code{
		Name:       "lu",
		About:      "Navier-Stokes equations by over-relaxation: a chain of points, a pipeline of ranks with small messages",
		Sizes:      sizes,
		References: references,
		Fewest:     10, // with fewer, runs converge until the norms are rounding errors, which cannot be compared
		Operations: func(n, square, mean float64) float64 {
			return 1984.77*n - 10923.3*square + 27770.9*mean - 144010
		},
	}
}

// sizes holds the parameters of the official classes.
var sizes = map[npb.Class]flow.Size{
	npb.S: {N: 12, Steps: 50, Dt: 0.5},
	npb.W: {N: 33, Steps: 300, Dt: 0.0015},
	npb.A: {N: 64, Steps: 250, Dt: 2},
	npb.B: {N: 102, Steps: 250, Dt: 2},
	npb.C: {N: 162, Steps: 250, Dt: 2},
	npb.D: {N: 408, Steps: 300, Dt: 1},
	npb.E: {N: 1020, Steps: 300, Dt: 0.5},
}

// omega is the factor of over-relaxation.
const omega = 1.2

// A grid is the place of a rank among the ranks, which divide x and y.
type grid struct{ nx, ny, x, y int }

// newGrid returns the place of a rank: the number of ranks along x is the largest divisor of ranks
// up to their root. The official program has more ranks along x than along y. Rows along x, on
// which the loops run, are longer this way, and messages have the same sizes.
func newGrid(rank, ranks int) grid {
	nx := int(math.Sqrt(float64(ranks)))
	for ranks%nx != 0 {
		nx--
	}
	ny := ranks / nx
	return grid{nx, ny, rank % nx, rank / nx}
}

// neighbours returns the ranks before and after this one along each axis, -1 where the grid ends.
func (g grid) neighbours() [3][2]int {
	rank := func(x, y int) int {
		if x < 0 || x >= g.nx || y < 0 || y >= g.ny {
			return -1
		}
		return x + g.nx*y
	}
	return [3][2]int{{rank(g.x-1, g.y), rank(g.x+1, g.y)}, {rank(g.x, g.y-1), rank(g.x, g.y+1)}, {-1, -1}}
}

// block returns the points of the rank in a grid of n points.
func (g grid) block(n [3]int) (lo, size [3]int) {
	lo[0], size[0] = flow.Slab(n[0], g.x, g.nx)
	lo[1], size[1] = flow.Slab(n[1], g.y, g.ny)
	size[2] = n[2]
	return lo, size
}

// legal returns a *npb.RanksError unless the official program can run on ranks: the grid of ranks
// is at most twice as long as wide, and every rank has three points along both axes.
func legal(class npb.Class, ranks int) error {
	code := Code()
	if err := code.Legal(class); err != nil {
		return err
	}
	n := code.Size(class).N
	allowed := func(ranks int) bool {
		if ranks < 1 {
			return false
		}
		g := newGrid(0, ranks)
		return g.ny <= 2*g.nx && g.ny <= n/3
	}
	if allowed(ranks) {
		return nil
	}
	limit := (n / 3) * (n / 3)
	e := &npb.RanksError{Kernel: "lu", Class: class, Ranks: ranks,
		Legal: fmt.Sprintf("x times y, where y is x to 2x, up to %d", limit)}
	for below := min(ranks, limit); below > 0; below-- {
		if allowed(below) {
			e.Near = append(e.Near, below)
			break
		}
	}
	for above := max(ranks, 1); above <= limit; above++ {
		if allowed(above) {
			e.Near = append(e.Near, above)
			break
		}
	}
	return e
}

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
	r, steps := l.Rank, Code().Size(l.class).Steps
	if err := r.Ready(l.Comm, l.prepare, l.step, l.prepare); err != nil {
		return npb.Result{}, err
	}
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
