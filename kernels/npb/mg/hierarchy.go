package mg

import (
	"math/bits"

	"gobench/comm"
	"gobench/kernels/application"
)

// dims returns the official grid of ranks along x, y and z: the factors of a power of two are
// distributed evenly, with more for later axes.
func dims(ranks int) [3]int {
	l := bits.Len(uint(ranks)) - 1
	x := l / 3
	y := (l - x) / 2
	return [3]int{1 << x, 1 << y, 1 << (l - x - y)}
}

// coordinates returns the place of a rank in the grid of ranks.
func coordinates(rank int, d [3]int) [3]int {
	return [3]int{rank % d[0], rank / d[0] % d[1], rank / (d[0] * d[1])}
}

// number returns the rank at a place of the grid, which is periodic.
func number(at, d [3]int) int {
	for i := range at {
		at[i] = (at[i] + d[i]) % d[i]
	}
	return at[0] + d[0]*(at[1]+d[1]*at[2])
}

// level is one grid, or the part of a rank: n points along each axis from first on, and a layer of
// ghosts around them. Index 0 of an axis is the lower ghost.
//
// Rows begin three elements before the lower ghost and are padded after the upper one, so that the
// first point is aligned to a vector register and stencils may access whole registers.
type level struct {
	n     [3]int
	first [3]int
	parts [3]int // ranks along each axis that share the grid
	y, z  int    // elements from a row to the next and from a plane to the next
	tile  int    // rows that a wave does at a time
}

// lead is the number of padding elements of a row before its lower ghost.
const lead = 3

func newLevel(points, parts, at [3]int) level {
	l := level{parts: parts}
	for i := range l.n {
		l.n[i] = points[i] / parts[i]
		l.first[i] = at[i] * l.n[i]
	}
	l.y = (l.n[0]+3)&^3 + 8
	l.z = l.y * (l.n[1] + 2)
	l.tile = max(fewest, cached/(front*8*l.y))
	return l
}

// at returns the index of a point.
func (l *level) at(x, y, z int) int { return lead + x + l.y*y + l.z*z }

// len returns the elements of an array of the level.
func (l *level) len() int { return l.z * (l.n[2] + 2) }

// hierarchy holds all levels: level[k] has 2^k points along the shortest axis, level[0] is unused.
// The levels up to gathered are not distributed: all ranks hold them whole. staging is the part of
// this rank of level gathered. With one rank gathered is 0.
type hierarchy struct {
	level    []level
	gathered int
	staging  level
}

// newHierarchy returns the levels of a rank, of which the finest has n points. The ranks along an
// axis must not exceed the points of the level below the finest.
func newHierarchy(n, d [3]int, rank int) hierarchy {
	top := size{n: n}.levels()
	points := func(k int) [3]int { return [3]int{n[0] >> (top - k), n[1] >> (top - k), n[2] >> (top - k)} }
	h := hierarchy{level: make([]level, top+1)}
	if largest := max(d[0], d[1], d[2]); largest > 1 {
		h.gathered = bits.Len(uint(largest)) - 1
		h.staging = newLevel(points(h.gathered), d, coordinates(rank, d))
	}
	for k := 1; k <= top; k++ {
		if k <= h.gathered {
			h.level[k] = newLevel(points(k), [3]int{1, 1, 1}, [3]int{})
		} else {
			h.level[k] = newLevel(points(k), d, coordinates(rank, d))
		}
	}
	return h
}

// gather collects the coarsest distributed residual on all ranks, which solve the levels below
// redundantly. In the official program more and more ranks have no points on these levels and wait;
// the results are the same.
type gather struct {
	rank      *application.Rank
	mine, all []float64
	parts     []level // each rank's part
}

func newGather(h *hierarchy, r *application.Rank) gather {
	g := gather{rank: r}
	if h.gathered == 0 {
		return g
	}
	n := h.staging.n
	g.mine = make([]float64, n[0]*n[1]*n[2])
	g.all = make([]float64, len(g.mine)*r.Comm.Size())
	for rank := range r.Comm.Size() {
		g.parts = append(g.parts, newLevel(h.level[h.gathered].n, h.staging.parts, coordinates(rank, h.staging.parts)))
	}
	return g
}

// bring gathers the parts in stage into to, an array of the undistributed level whole.
func (g *gather) bring(whole *level, to []float64, staging *level, stage []float64) error {
	i := 0
	for z := 1; z <= staging.n[2]; z++ {
		for y := 1; y <= staging.n[1]; y++ {
			i += copy(g.mine[i:i+staging.n[0]], stage[staging.at(1, y, z):])
		}
	}
	g.rank.Timers.Begin(application.Transpose)
	g.rank.Profile.Collective(8 * len(g.mine))
	err := comm.Allgather(g.rank.Comm, g.mine, g.all)
	g.rank.Timers.Begin(application.Compute)
	if err != nil {
		return err
	}
	i = 0
	for _, p := range g.parts {
		for z := 1; z <= p.n[2]; z++ {
			for y := 1; y <= p.n[1]; y++ {
				at := whole.at(1+p.first[0], y+p.first[1], z+p.first[2])
				i += copy(to[at:at+p.n[0]], g.all[i:i+p.n[0]])
			}
		}
	}
	for z := 1; z <= whole.n[2]; z++ {
		whole.wrapX(to, z, 1, whole.n[1]+1)
		whole.wrapY(to, z)
	}
	whole.wrapZ(to)
	return nil
}
