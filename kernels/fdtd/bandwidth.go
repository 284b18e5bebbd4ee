package fdtd

import (
	"unsafe"

	"gobench/bench/clock"
	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/simd"
	"gobench/kernels/application"
)

// How often the bandwidth is measured, of which the best counts, as in STREAM; and the bytes that
// are moved at least each time, so that beginning together takes a small part of it.
const (
	turns   = 5
	atLeast = 64 << 20
)

// Bandwidth measures how fast all ranks and threads together read and write the
// fields, number by number, in bytes per second: x += x, which has
// the scheme's mix of loads and stores and, unlike STREAM's triad, writes no line
// that it has not read. It is what bounds a solver whose every step reads and
// writes every field, in whatever cache or memory they lie. It is collective, and leaves the fields 0.
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
	all, err := s.fieldBytes()
	if err != nil {
		return 0, err
	}
	bytes := 2 * float64(all)
	passes := int(max(1, atLeast/bytes))
	best := 0.0
	for range turns {
		seconds, err := together(s.rank, func() {
			for range passes {
				s.rank.Team.Run(pass)
			}
		})
		if err != nil {
			return 0, err
		}
		best = max(best, bytes*float64(passes)/seconds)
	}
	return best, nil
}

// fieldBytes returns the size of the fields of all ranks.
func (s *Solver[T]) fieldBytes() (int64, error) {
	sum := []int64{3 * int64(s.e.stride*(s.ny+2)) * int64(unsafe.Sizeof(T(0)))}
	err := comm.Allreduce(s.rank.Aside, nil, sum, op.Sum[int64]())
	return sum[0], err
}

// together calls f on all ranks at once and returns the seconds from the first begin to the last end,
// or a little more, by whatever clocks the ranks have: each of them has entered a barrier
// when the first begins, and none leaves the next before the last has ended.
func together(r *application.Rank, f func()) (float64, error) {
	begin := clock.Now()
	if err := comm.Barrier(r.Aside); err != nil {
		return 0, err
	}
	f()
	if err := comm.Barrier(r.Aside); err != nil {
		return 0, err
	}
	span := []float64{float64(clock.Now()-begin) / 1e9}
	err := comm.Allreduce(r.Aside, nil, span, op.Min[float64]())
	return span[0], err
}

func sumOf[T Real](set *simd.Set) simd.Binary {
	if unsafe.Sizeof(T(0)) == 4 {
		return set.Float32.Sum
	}
	return set.Float64.Sum
}
