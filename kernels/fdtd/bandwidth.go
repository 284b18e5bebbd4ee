package fdtd

import (
	"unsafe"

	"gobench/bench/clock"
	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/simd"
	"gobench/kernels/application"
)

// turns is how often the bandwidth is measured; the best counts, as in STREAM.
const turns = 5

// Bandwidth measures how fast all ranks and threads together read and write the
// memory of the fields once, number by number, in bytes per second: x += x, which has
// the scheme's mix of loads and stores and, unlike STREAM's triad, writes no line
// that it has not read. It is what bounds a solver whose every step reads and
// writes every field. It is collective, and leaves the fields 0.
func (s *Solver[T]) Bandwidth() (float64, error) {
	s.Reset()
	sum := sumOf[T](simd.Best())
	pass := func(thread int) {
		for _, f := range []*field[T]{&s.e, &s.hx, &s.hy} {
			lo, hi := application.Part(s.ny+2, thread, s.rank.Team.Threads())
			b := f.data[lo*f.stride : hi*f.stride]
			raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b))), len(b)*int(unsafe.Sizeof(T(0))))
			sum(raw, raw, raw)
		}
	}
	bytes := 2 * 3 * float64(s.e.stride*(s.ny+2)) * float64(unsafe.Sizeof(T(0)))
	best := 0.0
	for range turns {
		times := []float64{0, bytes}
		if err := comm.Barrier(s.cart.Comm); err != nil {
			return 0, err
		}
		start := clock.Now()
		s.rank.Team.Run(pass)
		times[0] = float64(clock.Now()-start) / 1e9
		if err := comm.Allreduce(s.cart.Comm, nil, times[:1], op.Max[float64]()); err != nil {
			return 0, err
		}
		if err := comm.Allreduce(s.cart.Comm, nil, times[1:], op.Sum[float64]()); err != nil {
			return 0, err
		}
		best = max(best, times[1]/times[0])
	}
	return best, nil
}

func sumOf[T Real](set *simd.Set) simd.Binary {
	if unsafe.Sizeof(T(0)) == 4 {
		return set.Float32.Sum
	}
	return set.Float64.Sum
}
