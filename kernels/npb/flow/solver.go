package flow

import (
	"math"

	"gobench/bench/team"
	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/simd"
	"gobench/kernels/application"
)

// A Solver holds the cells of one rank of a grid.
type Solver struct {
	Grid
	Rank  *application.Rank
	Team  *team.Team // works on the cells
	Cells []*Cell
	Comm  *comm.Comm // of the ranks that have cells, nil if this one has all

	kernels simd.Flow
	threads []residualThread
	weights [][5][]float64 // of each cell: along x, of each point
	scales  [][]float64    // of each cell: 1 inside along x, 0 elsewhere, times the current scale

	// Arguments of the current job, and jobs, which are made once because a method value allocates.
	cell     int
	residual func(thread int)
	sum      *op.Op
	sums     [5]float64
}

// residualThread holds the buffers that a thread needs to compute residuals.
type residualThread struct {
	row simd.Row
	_   [64]byte
}

// tile is the number of rows that Residual takes through all planes together, so that what three
// planes need lies in the second-level cache.
const tile = 16

// NewSolver returns a solver of cells, whose arrays it fills with the forcing. The threads of team
// share each cell. c has the ranks that share the grid, and is nil if this one has all of it.
func NewSolver(r *application.Rank, team *team.Team, c *comm.Comm, g Grid, cells []*Cell) *Solver {
	s := &Solver{Grid: g, Rank: r, Team: team, Cells: cells, Comm: c, kernels: simd.Best().Flow, sum: op.Sum[float64]()}
	var comp int
	for _, c := range cells {
		comp = max(comp, c.Comp)
		var along [5][]float64
		for k := range along {
			along[k] = make([]float64, c.Comp)
		}
		for i := range c.N[0] {
			for k, w := range g.weights(0, c.Lo[0]+i) {
				along[k][i] = w
			}
		}
		s.weights = append(s.weights, along)
		s.scales = append(s.scales, make([]float64, c.Comp))
	}
	s.threads = make([]residualThread, team.Threads())
	for i := range s.threads {
		s.threads[i].row.W = make([]float64, windowLen(comp))
		for axis := range 3 {
			s.threads[i].row.Half[axis] = g.Half(axis)
			s.threads[i].row.Viscous[axis] = viscosity * g.Square(axis)
		}
	}
	s.residual = s.doResidual
	s.force()
	return s
}

// windowLen returns the numbers of the three planes of primitives of a thread.
func windowLen(comp int) int { return 3*(tile+2)*6*comp + pad }

// SolverMemory returns the bytes of a solver of cells with n points each.
func SolverMemory(n [3]int, cells, threads int) int64 {
	c := layout([3]int{}, n)
	return 8 * int64(cells*(3*c.Len()+6*c.Comp)+threads*windowLen(c.Comp))
}

// force sets the forcing, with which the exact solution is stationary.
func (s *Solver) force() {
	for _, c := range s.Cells {
		clear(c.F)
		clear(c.R)
		for k := -Ghosts; k < c.N[2]+Ghosts; k++ {
			for j := -Ghosts; j < c.N[1]+Ghosts; j++ {
				for i := -Ghosts; i < c.N[0]+Ghosts; i++ {
					c.set(c.U, c.At(i, j, k), s.exact(c, i, j, k))
				}
			}
		}
	}
	s.Residual(-1)
	for _, c := range s.Cells {
		copy(c.F, c.R)
	}
}

// exact returns the exact solution at a point of a cell.
func (s *Solver) exact(c *Cell, i, j, k int) State {
	return Exact(s.Coordinate(0, c.Lo[0]+i), s.Coordinate(1, c.Lo[1]+j), s.Coordinate(2, c.Lo[2]+k))
}

// Start sets the initial field, with ghosts: the exact solution on the faces, which stay fixed, and
// an interpolation inside.
func (s *Solver) Start() {
	for _, c := range s.Cells {
		clear(c.R)
		for k := range c.N[2] {
			for j := range c.N[1] {
				for i := range c.N[0] {
					c.set(c.U, c.At(i, j, k), s.initial([3]int{c.Lo[0] + i, c.Lo[1] + j, c.Lo[2] + k}))
				}
			}
		}
	}
}

// initial returns the initial value at a point of the grid. The last face that has the point
// determines it, in the order of the axes.
func (s *Solver) initial(p [3]int) State {
	at := [3]float64{s.Coordinate(0, p[0]), s.Coordinate(1, p[1]), s.Coordinate(2, p[2])}
	for axis := 2; axis >= 0; axis-- {
		switch face := at; p[axis] {
		case 0:
			face[axis] = 0
			return Exact(face[0], face[1], face[2])
		case s.N[axis] - 1:
			face[axis] = 1
			return Exact(face[0], face[1], face[2])
		}
	}
	return between(at[0], at[1], at[2])
}

// FacesKept reports whether all points of the rank on the faces of the grid have their initial
// values, which no step changes.
func (s *Solver) FacesKept() bool {
	for _, c := range s.Cells {
		lo, hi := c.Inside(s.N)
		for k := range c.N[2] {
			for j := range c.N[1] {
				inside := k >= lo[2] && k < hi[2] && j >= lo[1] && j < hi[1]
				for i := range c.N[0] {
					if inside && i >= lo[0] && i < hi[0] {
						continue
					}
					if c.State(i, j, k) != s.initial([3]int{c.Lo[0] + i, c.Lo[1] + j, c.Lo[2] + k}) {
						return false
					}
				}
			}
		}
	}
	return true
}

// Residual sets R to scale (F + D(U)) inside of the grid. The ghosts of U must be valid.
func (s *Solver) Residual(scale float64) {
	for i, c := range s.Cells {
		lo, hi := c.bounds(0, s.N[0])
		for k := lo; k < hi; k++ {
			s.scales[i][k] = scale
		}
		s.cell = i
		s.Team.Run(s.residual)
	}
}

func (s *Solver) doResidual(thread int) {
	c := s.Cells[s.cell]
	lo, hi := c.Inside(s.N)
	first, end := application.Part(hi[2]-lo[2], thread, s.Team.Threads())
	first, end = first+lo[2], end+lo[2]
	a := &s.threads[thread].row
	a.U, a.F, a.R, a.Comp, a.Y, a.Z, a.N = c.U, c.F, c.R, c.Comp, c.Y, c.Z, (c.N[0]+7)&^7
	a.X, a.Scale = s.weights[s.cell], s.scales[s.cell]
	row := 6 * c.Comp
	for from := lo[1]; from < hi[1] && first < end; from += tile {
		to := min(from+tile, hi[1])
		position := func(j, k int) int { return pad + row*((k+3)%3*(tile+2)+j-from+1) }
		for k := first - 1; k <= end; k++ {
			for j := from - 1; j <= to; j++ {
				a.At, a.Next = c.At(0, j, k), position(j, k)
				s.kernels.Primitives(a)
			}
			if k < first+1 {
				continue
			}
			// Plane k is complete: the one before it has both neighbours.
			a.YZ[1] = s.Grid.weights(2, c.Lo[2]+k-1)
			for j := from; j < to; j++ {
				a.YZ[0] = s.Grid.weights(1, c.Lo[1]+j)
				a.At, a.Here = c.At(0, j, k-1), position(j, k-1)
				a.SideY = [2]int{position(j-1, k-1), position(j+1, k-1)}
				a.SideZ = [2]int{position(j, k-2), position(j, k)}
				s.kernels.Residual(a)
			}
		}
	}
}

// ResidualNorm returns the norm of each component of R / scale over the grid. It is collective.
func (s *Solver) ResidualNorm(scale float64) ([5]float64, error) {
	return s.norm(false, func(c *Cell, i, j, k, m int) float64 { return c.R[c.At(i, j, k)+m*c.Comp] / scale })
}

// ErrorNorm returns the norm of each component of the difference to the exact solution. all
// includes the points on the faces, but not in the number of points. It is collective.
func (s *Solver) ErrorNorm(all bool) ([5]float64, error) {
	var exact State
	return s.norm(all, func(c *Cell, i, j, k, m int) float64 {
		if m == 0 {
			exact = s.exact(c, i, j, k)
		}
		return c.U[c.At(i, j, k)+m*c.Comp] - exact[m]
	})
}

func (s *Solver) norm(all bool, value func(c *Cell, i, j, k, m int) float64) ([5]float64, error) {
	s.sums = [5]float64{}
	for _, c := range s.Cells {
		lo, hi := c.Inside(s.N)
		if all {
			lo, hi = [3]int{}, c.N
		}
		for k := lo[2]; k < hi[2]; k++ {
			for j := lo[1]; j < hi[1]; j++ {
				for i := lo[0]; i < hi[0]; i++ {
					for m := range s.sums {
						v := value(c, i, j, k, m)
						s.sums[m] += v * v
					}
				}
			}
		}
	}
	if err := s.Sum(s.sums[:]); err != nil {
		return s.sums, err
	}
	for m := range s.sums {
		s.sums[m] = math.Sqrt(s.sums[m] / float64((s.N[0]-2)*(s.N[1]-2)*(s.N[2]-2)))
	}
	return s.sums, nil
}

// Sum adds up values over the ranks of the grid. It is collective.
func (s *Solver) Sum(values []float64) error {
	if s.Comm == nil || s.Comm.Size() == 1 {
		return nil
	}
	s.Rank.Timers.Begin(application.Allreduce)
	defer s.Rank.Timers.Begin(application.Compute)
	s.Rank.Profile.Collective(8 * len(values))
	return comm.Allreduce(s.Comm, nil, values, s.sum)
}
