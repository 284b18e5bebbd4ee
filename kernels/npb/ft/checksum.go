package ft

import (
	"gobench/comm"
	"gobench/comm/op"
	"gobench/kernels/application"
)

// checksums computes the sum over the official 1024 points of the state.
type checksums struct {
	positions []int // of this rank's points in the data
	sum       [1]complex128
	total     [1]complex128
	add       *op.Op
}

func newChecksums(l *layout) checksums {
	c := checksums{add: op.Sum[complex128]()}
	for j := 1; j <= 1024; j++ {
		x, y, z := j%l.n[0], 3*j%l.n[1]-l.me1*l.y1, 5*j%l.n[2]-l.me2*l.z
		if y >= 0 && y < l.y1 && z >= 0 && z < l.z {
			c.positions = append(c.positions, l.blocks[x/l.x]+2*(x%l.x)+l.row(y+z*l.y1))
		}
	}
	return c
}

// checksum returns the sum, divided by the number of points, on rank 0.
func (s *solver) checksum() (complex128, error) {
	var re, im float64
	for _, at := range s.checks.positions {
		re, im = re+s.data[at], im+s.data[at+1]
	}
	c := &s.checks
	n := float64(s.n[0] * s.n[1] * s.n[2])
	c.sum[0] = complex(re/n, im/n)
	if s.rank.Comm.Size() == 1 {
		return c.sum[0], nil
	}
	s.rank.Timers.Begin(application.Allreduce)
	s.rank.Profile.Collective(16)
	err := comm.Reduce(s.rank.Comm, c.sum[:], c.total[:], c.add, 0)
	s.rank.Timers.Begin(application.Compute)
	return c.total[0], err
}
