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
		s := newSolver(r, sizes[npb.A])
		if err := s.charge(); err != nil {
			return err
		}
		for _, c := range []struct {
			name string
			job  func() error
		}{
			{"residual", s.residual},
			{"restrict", func() error { return s.descend(s.top()) }},
			{"rise", func() error { return s.rise(s.top()) }},
			{"below", func() error { return s.rise(s.top() - 1) }},
			{"norm", func() error { _, _, err := s.norm(); return err }},
		} {
			b.Run(c.name, func(b *testing.B) {
				for b.Loop() {
					if err := c.job(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(256*256*256), "ns/point")
			})
		}
		return nil
	})
}
