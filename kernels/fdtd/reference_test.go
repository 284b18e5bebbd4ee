package fdtd

import (
	"math"
	"math/rand/v2"
)

// reference is the scheme as the package comment has it: whole fields, one
// half of a step after the other, no blocks and no vectors. Its fields have the
// walls around them: point (i, j) lies at [j+1][i+1].
type reference[T Real] struct {
	p         Problem
	e, hx, hy [][]T
	wavelet   []T
}

func newReference[T Real](p Problem) *reference[T] {
	field := func() [][]T {
		rows := make([][]T, p.NY+2)
		for j := range rows {
			rows[j] = make([]T, p.NX+2)
		}
		return rows
	}
	r := &reference[T]{p: p, e: field(), hx: field(), hy: field()}
	for n := range p.Steps {
		r.wavelet = append(r.wavelet, T(p.ricker(n)))
	}
	return r
}

// scatter fills all fields with numbers that differ everywhere.
func (r *reference[T]) scatter(seed uint64) {
	random := rand.New(rand.NewPCG(seed, 3))
	for j := 0; j <= r.p.NY; j++ {
		for i := 0; i <= r.p.NX; i++ {
			if j > 0 && i > 0 {
				r.e[j][i] = T(2*random.Float64() - 1)
			}
			if i > 0 {
				r.hx[j][i] = T(2*random.Float64() - 1)
			}
			if j > 0 {
				r.hy[j][i] = T(2*random.Float64() - 1)
			}
		}
	}
}

func (r *reference[T]) advance(n int) {
	c := T(r.p.Courant)
	for j := 0; j <= r.p.NY; j++ {
		for i := 0; i <= r.p.NX; i++ {
			if i > 0 {
				d := c * (r.e[j][i] - r.e[j+1][i])
				r.hx[j][i] += T(d)
			}
			if j > 0 {
				d := c * (r.e[j][i+1] - r.e[j][i])
				r.hy[j][i] += T(d)
			}
		}
	}
	for j := 1; j <= r.p.NY; j++ {
		for i := 1; i <= r.p.NX; i++ {
			d := c * ((r.hy[j][i] - r.hy[j][i-1]) - (r.hx[j][i] - r.hx[j-1][i]))
			r.e[j][i] += T(d)
		}
	}
	r.e[r.p.Source.Y+1][r.p.Source.X+1] += r.wavelet[n]
}

// give copies the part of a block, with the points around it, into a solver.
func (r *reference[T]) give(s *Solver[T]) {
	for j := -1; j <= s.ny; j++ {
		for i := -1; i <= s.nx; i++ {
			y, x := s.y+j+1, s.x+i+1
			*s.hx.at(j, i), *s.hy.at(j, i) = r.hx[y][x], r.hy[y][x]
			if j >= 0 && j < s.ny && i >= 0 && i < s.nx {
				*s.e.at(j, i) = r.e[y][x]
			}
		}
	}
	s.packAll()
}

// differences counts the numbers of a block that are not the same to the bit.
func (r *reference[T]) differences(s *Solver[T]) int {
	n := 0
	for j := range s.ny {
		for i := range s.nx {
			y, x := s.y+j+1, s.x+i+1
			for _, pair := range [3][2]T{{*s.e.at(j, i), r.e[y][x]}, {*s.hx.at(j, i), r.hx[y][x]}, {*s.hy.at(j, i), r.hy[y][x]}} {
				if math.Float64bits(float64(pair[0])) != math.Float64bits(float64(pair[1])) {
					n++
				}
			}
		}
	}
	return n
}
