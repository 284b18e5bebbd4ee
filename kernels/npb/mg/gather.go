package mg

import (
	"gobench/comm"
	"gobench/kernels/application"
)

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
