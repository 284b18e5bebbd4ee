package fdtd

import (
	"gobench/comm"
)

// Picture is a sample of Ez at regular points.
type Picture struct {
	Width, Height int
	Values        []float32 // row by row from below
}

// widest is the greatest width and height of a picture.
const widest = 1024

// tagPicture is the tag of messages for a picture. Lower tags belong to the sides.
const tagPicture = int(sides)

// Snapshot gathers Ez on rank 0, sampled down to at most 1024 points each way. It is collective and
// returns nil on other ranks.
func (s *Solver[T]) Snapshot() (*Picture, error) {
	step := (max(s.problem.NX, s.problem.NY) + widest - 1) / widest
	if s.cart.Rank() != 0 {
		return nil, comm.Send(s.cart.Comm, s.thin(step), 0, tagPicture)
	}
	count := func(n int) int { return (n + step - 1) / step }
	p := &Picture{Width: count(s.problem.NX), Height: count(s.problem.NY)}
	p.Values = make([]float32, p.Width*p.Height)
	for rank := range s.cart.Size() {
		at, err := s.cart.Coords(rank)
		if err != nil {
			return nil, err
		}
		k := s.blocks.block(s.problem, at[1], at[0])
		x, nx := thinned(k.x, k.nx, step)
		y, ny := thinned(k.y, k.ny, step)
		points := s.thin(step)
		if rank != 0 {
			points = make([]float32, nx*ny)
			if _, err := comm.Recv(s.cart.Comm, points, rank, tagPicture); err != nil {
				return nil, err
			}
		}
		for j := range ny {
			copy(p.Values[(y+j)*p.Width+x:], points[j*nx:(j+1)*nx])
		}
	}
	return p, nil
}

// thinned returns first, where first*step is the first multiple of step in the n numbers from lo
// on, and the count of these multiples.
func thinned(lo, n, step int) (first, count int) {
	first = (lo + step - 1) / step
	return first, (lo+n+step-1)/step - first
}

// thin returns the points of this block whose coordinates are multiples of step.
func (s *Solver[T]) thin(step int) []float32 {
	x, nx := thinned(s.x, s.nx, step)
	y, ny := thinned(s.y, s.ny, step)
	points := make([]float32, 0, nx*ny)
	for j := range ny {
		for i := range nx {
			points = append(points, float32(*s.e.at((y+j)*step-s.y, (x+i)*step-s.x)))
		}
	}
	return points
}
