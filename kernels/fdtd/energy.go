package fdtd

import (
	"gobench/comm"
	"gobench/comm/op"
)

// work is what the source has done.
type work struct {
	sum  float64
	last float64 // Ez at the source after the step before
}

// add adds the work of a step: the wavelet w was added to Ez, which is e then.
func (w *work) add(wavelet, e float64) {
	w.sum += wavelet * (e + w.last)
	w.last = e
}

// Energy is the energy of the field, and the work of the source, which is where all of
// it comes from. Yee's scheme conserves the energy
//
//	U(n) = sum Ez(n)^2 + sum H(n+1/2) H(n-1/2)
//
// exactly, as its operators are the transposed of each other: a step changes U by
// w (Ez(n+1) + Ez(n)), the wavelet times Ez at the source before and after. So the
// two are equal but for roundings if and only if no point has been updated with
// something else than what its neighbours had.
type Energy struct{ Field, Work float64 }

// Error is the difference, relative to the work.
func (e Energy) Error() float64 {
	d := (e.Field - e.Work) / e.Work
	return max(d, -d)
}

// Energy adds up the energy of all blocks. It is collective, and all ranks get the
// same result but for the order of roundings.
func (s *Solver[T]) Energy() (Energy, error) {
	if err := s.refresh(); err != nil {
		return Energy{}, err
	}
	sums := []float64{s.energy(), s.work.sum}
	if err := comm.Allreduce(s.rank.Aside, nil, sums, op.Sum[float64]()); err != nil {
		return Energy{}, err
	}
	return Energy{sums[0], sums[1]}, nil
}

// refresh brings Ez around the block up to date, and into the field on all sides.
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

// energy is the energy of this block. H between two blocks belongs to the lower
// and the left one.
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
