package fdtd

import (
	"fmt"
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
)

// BenchmarkSolver times whole steps; its rate is the least memory traffic of a step.
func BenchmarkSolver(b *testing.B) {
	for _, n := range []int{256, 1024, 4096} {
		for _, ranks := range []int{1, 4} {
			for _, threads := range []int{1, 4} {
				if ranks*threads > 4 {
					continue
				}
				name := fmt.Sprintf("%d/%dx%d", n, ranks, threads)
				b.Run("float32/"+name, func(b *testing.B) { benchmarkSolver[float32](b, n, ranks, threads) })
				b.Run("float64/"+name, func(b *testing.B) { benchmarkSolver[float64](b, n, ranks, threads) })
			}
		}
	}
}

func benchmarkSolver[T Real](b *testing.B, n, ranks, threads int) {
	p := NewProblem(n, n, 1<<20)
	blocks, err := ChooseBlocks(p, ranks)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(p.Points() * int64(TrafficPerPoint[T]()))
	kerneltest.Run(b, kerneltest.Shared, ranks, threads, func(r *application.Rank) error {
		s, err := New[T](r, p, blocks)
		if err != nil {
			return err
		}
		if err := s.Advance(3); err != nil {
			return err
		}
		if r.Comm.Rank() == 0 {
			b.ResetTimer()
		}
		return s.Advance(b.N)
	})
}
