package fdtd

import (
	"unsafe"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/bench/clock"
	"gobench/internal/simd"
	"gobench/kernels/application"
)

const (
	turns    = 5        // measurements of the bandwidth, of which the best counts, as in STREAM
	minBytes = 64 << 20 // bytes moved by one of them, so that its start takes a small part of its time
)

// Bandwidth measures how fast all ranks and threads together read and write the fields, in bytes
// per second: x += x, which has the loads and stores of the scheme and, unlike STREAM's triad,
// writes no cache line that it has not read. It is an upper bound for a solver that reads and
// writes every field in every step, whether they lie in caches or in memory. It is collective and
// clears the fields.
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
	passes := int(max(1, minBytes/bytes))
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

// together calls f on all ranks simultaneously and returns the seconds from the first start to the
// last end, or a little more. It needs no common clock: the time on every rank spans two barriers,
// of which the first is entered before any rank starts and the second left after all have ended,
// and the shortest of these times is the tightest bound.
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
