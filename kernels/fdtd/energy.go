package fdtd

import (
	"math"

	"gobench/comm"
	"gobench/comm/op"
)

// work accumulates the work done by the source.
type work struct {
	sum   float64
	gross float64 // what the source has given and taken
	last  float64 // Ez at the source after the step before
}

// add adds the work of a step: the wavelet was added to Ez, which is e afterwards.
func (w *work) add(wavelet, e float64) {
	w.sum += wavelet * (e + w.last)
	w.gross += math.Abs(wavelet) * (math.Abs(e) + math.Abs(w.last))
	w.last = e
}

// Energy holds the energy of the field and the work of the source. Yee's scheme conserves the
// energy
//
//	U(n) = sum Ez(n)^2 + sum H(n+1/2) H(n-1/2)
//
// exactly, because its operators are the transposes of each other: a step changes U only by w
// (Ez(n+1) + Ez(n)), the wavelet times the sum of Ez at the source before and after. Field and Work
// are therefore equal up to rounding if and only if every point was updated with the values of its
// neighbours. Gross adds what the source has given and what it has taken: where it takes back
// nearly all that it has given, as beside a wall, rounding errors come from this sum.
type Energy struct{ Field, Work, Gross float64 }

// Error returns the difference relative to the gross work.
func (e Energy) Error() float64 { return math.Abs(e.Field-e.Work) / e.Gross }

// Energy returns the sum over all blocks. It is collective; results on different ranks may differ
// in rounding.
func (s *Solver[T]) Energy() (Energy, error) {
	if err := s.refresh(); err != nil {
		return Energy{}, err
	}
	sums := []float64{s.energy(), s.work.sum, s.work.gross}
	if err := comm.Allreduce(s.rank.Aside, nil, sums, op.Sum[float64]()); err != nil {
		return Energy{}, err
	}
	return Energy{sums[0], sums[1], sums[2]}, nil
}

// refresh exchanges the halo and copies it into the field on all sides.
func (s *Solver[T]) refresh() error {
	if err := comm.StartAll(s.halo.requests); err != nil {
		return err
	}
	if err := s.halo.wait(); err != nil {
		return err
	}
	for side, i := range map[side]int{west: -1, east: s.nx} {
		for j, v := range s.halo.in[side] {
			*s.e.at(j, i) = v
		}
	}
	return nil
}

// energy returns the energy of this block. H between two blocks belongs to the lower or the left
// one.
func (s *Solver[T]) energy() float64 {
	c := float64(s.c)
	h := func(h, a, b T) float64 {
		now := float64(h)
		return now * (now + c*(float64(a)-float64(b)))
	}
	first := func(side side) int {
		if s.halo.has(side) {
			return 0
		}
		return -1
	}
	sum := 0.0
	for j := range s.ny {
		row := 0.0
		for i := range s.nx {
			e := float64(*s.e.at(j, i))
			row += e * e
		}
		for i := first(west); i < s.nx; i++ {
			row += h(*s.hy.at(j, i), *s.e.at(j, i+1), *s.e.at(j, i))
		}
		sum += row
	}
	for j := first(south); j < s.ny; j++ {
		row := 0.0
		for i := range s.nx {
			row += h(*s.hx.at(j, i), *s.e.at(j, i), *s.e.at(j+1, i))
		}
		sum += row
	}
	return sum
}
