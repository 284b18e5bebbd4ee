package mg

import (
	"testing"

	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
)

// The operators at the top of class A on one rank, in nanoseconds per point.
func BenchmarkOperators(b *testing.B) {
	kerneltest.Run(b, kerneltest.Shared, 1, 1, func(r *application.Rank) error {
		s := newSolver(r, sizes[npb.A], 8)
		if err := s.charge(); err != nil {
			return err
		}
		for _, c := range []struct {
			name string
			job  func(int)
		}{
			{"resid", s.resid}, {"smooth", s.smooth}, {"smooth+resid", s.smoothResid},
			{"prolong+resid", s.prolongResid}, {"restrict", s.lower}, {"norm", s.norms},
		} {
			b.Run(c.name, func(b *testing.B) {
				for b.Loop() {
					s.run(c.job, s.top())
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(256*256*256), "ns/point")
			})
		}
		return nil
	})
}
