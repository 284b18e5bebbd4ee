package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/internal/fuzzing"
)

// vectors of numbers of both signs.
func vectors(random *rand.Rand, count, n int) [][]float64 {
	list := make([][]float64, count)
	for k := range list {
		list[k] = make([]float64, n)
		for i := range list[k] {
			list[k][i] = random.NormFloat64() * math.Exp(4*random.NormFloat64())
		}
	}
	return list
}

// roundedAlike reports whether sums of n numbers, the absolute values of which add up to
// whole, differ by rounding alone.
func roundedAlike(a, b, whole float64, n int) bool {
	return math.Abs(a-b) <= 2*float64(n+2)*0x1p-53*whole
}

// solverTwins compares all sets with straight sums.
func solverTwins(t *testing.T, random *rand.Rand, n int) {
	t.Helper()
	v := vectors(random, 4, n)
	a, b, c, d := v[0], v[1], v[2], v[3]
	alpha := random.NormFloat64()
	var dot, dotWhole float64
	for i := range a {
		dot += a[i] * b[i]
		dotWhole += math.Abs(a[i] * b[i])
	}
	for _, s := range Sets() {
		if got := s.Solver.Dot(a, b); !roundedAlike(got, dot, dotWhole, n) {
			t.Errorf("%s: scalar product of %d is %v, want %v", s.Level, n, got, dot)
		}
		z, r, p := append([]float64{}, a...), append([]float64{}, b...), append([]float64{}, c...)
		square := s.Solver.Update(z, r, c, d, alpha)
		s.Solver.Direction(p, b, alpha)
		var sum float64
		for i := range z {
			sum += r[i] * r[i]
			for _, e := range []struct{ got, x, y float64 }{{z[i], a[i], alpha * c[i]}, {r[i], b[i], -alpha * d[i]}, {p[i], b[i], alpha * c[i]}} {
				if !roundedAlike(e.got, e.x+e.y, math.Abs(e.x)+math.Abs(e.y), 1) {
					t.Fatalf("%s: element %d of %d is %v, want %v", s.Level, i, n, e.got, e.x+e.y)
				}
			}
		}
		if !roundedAlike(square, sum, sum, n) {
			t.Errorf("%s: square of %d is %v, want %v", s.Level, n, square, sum)
		}
	}
}

// rowTwins compares products with a sparse matrix of n columns.
func rowTwins(t *testing.T, random *rand.Rand, n int) {
	t.Helper()
	x := vectors(random, 1, n)[0]
	start := []int32{3} // a part of a longer list
	var col []int32
	for range 3 {
		col = append(col, 0)
	}
	for row := range 20 {
		for range min(n, row) {
			col = append(col, random.Int32N(int32(n)))
		}
		start = append(start, int32(len(col)))
	}
	narrow := make([]uint16, len(col))
	for k, c := range col {
		narrow[k] = uint16(c)
	}
	val := vectors(random, 1, len(col))[0]
	for _, s := range Sets() {
		out := make([]float64, len(start)-1)
		s.Solver.Rows(out, start, col, val, x)
		near := make([]float64, len(out))
		s.Solver.NearRows(near, start, narrow, val, x)
		if !slices.Equal(near, out) {
			t.Errorf("%s: rows of %d columns of 16 bits are %v, want %v", s.Level, n, near, out)
		}
		for i := range out {
			var sum, whole float64
			for k := start[i]; k < start[i+1]; k++ {
				sum += val[k] * x[col[k]]
				whole += math.Abs(val[k] * x[col[k]])
			}
			if !roundedAlike(out[i], sum, whole, int(start[i+1]-start[i])) {
				t.Errorf("%s: row %d is %v, want %v", s.Level, i, out[i], sum)
			}
		}
	}
}

func TestSolverTwinsDifferByRounding(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for n := range 71 {
		if n == 70 {
			n = 1001
		}
		solverTwins(t, random, n)
		rowTwins(t, random, n)
	}
}

func FuzzSolver(t *testing.F) {
	f := fuzzing.New(t)
	f.Add(uint64(1), uint16(37))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16) {
		twins := solverTwins
		if seed%2 == 1 {
			twins = rowTwins
		}
		twins(t, rand.New(rand.NewPCG(seed, 0)), int(n)%70)
	})
}

// A caller's mistake must not read foreign memory.
func TestSolverChecksLengths(t *testing.T) {
	for _, s := range Sets() {
		for name, f := range map[string]func(){
			"Dot": func() { s.Solver.Dot(make([]float64, 40), make([]float64, 39)) },
			"Update": func() {
				s.Solver.Update(make([]float64, 40), make([]float64, 40), make([]float64, 39), make([]float64, 40), 1)
			},
			"Direction": func() { s.Solver.Direction(make([]float64, 40), make([]float64, 39), 1) },
			"NearRows": func() {
				s.Solver.NearRows(make([]float64, 1), []int32{0, 9}, make([]uint16, 9), make([]float64, 9), nil)
			},
			"Rows": func() { s.Solver.Rows(make([]float64, 1), []int32{0, 9}, make([]int32, 9), make([]float64, 9), nil) },
			"Rows, entries": func() {
				s.Solver.Rows(make([]float64, 1), []int32{0, 9}, make([]int32, 9), make([]float64, 8), make([]float64, 1))
			},
			"Rows, order": func() {
				s.Solver.Rows(make([]float64, 2), []int32{0, 9, 8}, make([]int32, 9), make([]float64, 9), make([]float64, 1))
			},
			"Rows, start": func() {
				s.Solver.Rows(make([]float64, 1), []int32{-1, 9}, make([]int32, 9), make([]float64, 9), make([]float64, 1))
			},
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s accepts a vector that is too short", s.Level, name)
					}
				}()
				f()
			}()
		}
	}
}

// A column that is outside of the vector is noticed in every place of a row, and before it is read.
func TestSolverChecksColumns(t *testing.T) {
	const longest = 37
	x := make([]float64, 50)
	val := make([]float64, longest)
	for _, s := range Sets() {
		for n := 1; n <= longest; n++ {
			for buffer := range n {
				for _, wrong := range []int32{int32(len(x)), 1<<16 - 1, -1} {
					col, near := make([]int32, n), make([]uint16, n)
					col[buffer], near[buffer] = wrong, uint16(wrong)
					for name, f := range map[string]func(){
						"Rows":     func() { s.Solver.Rows(make([]float64, 2), []int32{0, int32(n), int32(n)}, col, val, x) },
						"NearRows": func() { s.Solver.NearRows(make([]float64, 2), []int32{0, int32(n), int32(n)}, near, val, x) },
					} {
						func() {
							defer func() {
								if recover() == nil {
									t.Fatalf("%s: %s reads column %d of %d, in place %d of %d", s.Level, name, wrong, len(x), buffer, n)
								}
							}()
							f()
						}()
					}
				}
			}
		}
	}
}

func BenchmarkSolver(b *testing.B) {
	random := rand.New(rand.NewPCG(9, 10))
	v := vectors(random, 4, 14000)
	for _, s := range Sets() {
		b.Run("dot/"+s.Level, func(b *testing.B) {
			for b.Loop() {
				s.Solver.Dot(v[0], v[1])
			}
		})
		b.Run("update/"+s.Level, func(b *testing.B) {
			for b.Loop() {
				s.Solver.Update(v[0], v[1], v[2], v[3], 1e-9)
			}
		})
		b.Run("direction/"+s.Level, func(b *testing.B) {
			for b.Loop() {
				s.Solver.Direction(v[0], v[1], 1e-9)
			}
		})
	}
	start, col := []int32{0}, []int32{}
	for range 14000 {
		for range 132 {
			col = append(col, random.Int32N(14000))
		}
		start = append(start, int32(len(col)))
	}
	val, out := vectors(random, 1, len(col))[0], make([]float64, 14000)
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			Best().Solver.Rows(out, start, col, val, v[0])
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(col)), "ns/entry")
	})
}

// What differs in prefetches alone computes the same.
func TestVariantsAreAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	const rows, cols = 50, 300
	start, near := []int32{0}, []uint16{}
	for range rows {
		for range random.IntN(60) {
			near = append(near, uint16(random.IntN(cols)))
		}
		start = append(start, int32(len(near)))
	}
	col := make([]int32, len(near))
	for i, c := range near {
		col[i] = int32(c)
	}
	x, val := vectors(random, 1, cols)[0], vectors(random, 1, len(near))[0]
	keys := make([]int32, 1000)
	for i := range keys {
		keys[i] = int32(random.IntN(80))
	}
	for _, s := range Sets() {
		want, counts := make([]float64, rows), make([]uint32, 64)
		s.Solver.Rows(want, start, col, val, x)
		plainTally(counts, keys, 3)
		for _, v := range s.variants {
			set := *s
			v.put(&set)
			got, gotNear, gotCounts := make([]float64, rows), make([]float64, rows), make([]uint32, 64)
			set.Solver.Rows(got, start, col, val, x)
			set.Solver.NearRows(gotNear, start, near, val, x)
			set.Tally(gotCounts, keys, 3)
			if !slices.Equal(got, want) || !slices.Equal(gotNear, want) || !slices.Equal(gotCounts, counts) {
				t.Errorf("%s: %s by %s differs", s.Level, v.part, v.name)
			}
		}
	}
}
