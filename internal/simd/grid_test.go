package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/internal/fuzzing"
)

// grid is numbers of many magnitudes and both signs.
func grid(r *rand.Rand, n int) []float64 {
	g := make([]float64, n)
	for i := range g {
		g[i] = math.Ldexp(r.Float64()-0.5, r.IntN(20))
	}
	return g
}

func magnitudes(s []float64) []float64 {
	m := slices.Clone(s)
	for i := range m {
		m[i] = math.Abs(m[i])
	}
	return m
}

// near compares within 16 units in the last place of the magnitudes of all terms.
func near(what string, got, want, size []float64) error {
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 16*0x1p-53*size[i]) && math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			return fmt.Errorf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
	return nil
}

// stencils compares a set with plain Go on one random box.
func stencils(s Stencils, seed uint64, n, rows int) error {
	r, plain := rand.New(rand.NewPCG(seed, 1)), all[0].Grid
	y := n + 2 + r.IntN(4)
	z := y * (rows + 2)
	total := 3*z + 8
	b := Box{At: z + y + 4 + r.IntN(y-n), N: n, Rows: rows, Y: y, Z: z}
	u, v := grid(r, total), grid(r, total)
	k := [4]float64{-r.Float64(), r.Float64(), r.Float64(), -r.Float64()}
	apply := func(f func(out []float64)) []float64 {
		out := slices.Clone(v)
		f(out)
		return out
	}
	mu, mv := magnitudes(u), magnitudes(v)
	plus := (*[4]float64)(magnitudes(k[:]))

	got := apply(func(o []float64) { s.Apply(o, v, u, b, &k) })
	inPlace := apply(func(o []float64) { s.Apply(o, o, u, b, &k) })
	want := apply(func(o []float64) { plain.Apply(o, v, u, b, &k) })
	size := apply(func(o []float64) { copy(o, mv); plain.Apply(o, mv, mu, b, plus) })
	if err := first(near("apply", got, want, size), near("apply in place", inPlace, want, size)); err != nil {
		return err
	}
	squares, largest := s.Norm(u, b)
	wantSquares, wantLargest := plain.Norm(u, b)
	if !(math.Abs(squares-wantSquares) <= 1e-13*wantSquares) || largest != wantLargest {
		return fmt.Errorf("norm: %v and %v, want %v and %v", squares, largest, wantSquares, wantLargest)
	}
	half := (n + 1) / 2
	at := r.IntN(n + 1)
	got = apply(func(o []float64) { s.Restrict(o, u, at, b.At, half, y, z) })
	want = apply(func(o []float64) { plain.Restrict(o, u, at, b.At, half, y, z) })
	size = apply(func(o []float64) { copy(o, mv); plain.Restrict(o, mu, at, b.At, half, y, z) })
	if err := near("restrict", got, want, size); err != nil {
		return err
	}
	from := [4]int{b.At, b.At + r.IntN(2)*y, b.At + r.IntN(2)*z, b.At}
	got = apply(func(o []float64) { s.Prolong(o, u, at, from, n) })
	want = apply(func(o []float64) { plain.Prolong(o, u, at, from, n) })
	size = apply(func(o []float64) { copy(o, mv); plain.Prolong(o, mu, at, from, n) })
	return near("prolong", got, want, size)
}

func TestGridTwins(t *testing.T) {
	for _, s := range Sets() {
		for n := 1; n < 40; n++ {
			for rows := 1; rows < 4; rows++ {
				if err := stencils(s.Grid, uint64(n), n, rows); err != nil {
					t.Fatalf("%s, %d rows of %d: %v", s.Level, rows, n, err)
				}
			}
		}
	}
}

func FuzzGridTwins(t *testing.F) {
	f := fuzzing.New(t)
	f.Add(uint64(1), uint8(17), uint8(2), uint8(1))
	f.Fuzz(func(t *testing.T, seed uint64, n, rows, set uint8) {
		s := picked(set)
		if err := stencils(s.Grid, seed, 1+int(n)%40, 1+int(rows)%3); err != nil {
			t.Fatalf("%s: %v", s.Level, err)
		}
	})
}

// The stencil against its definition, point by point.
func TestPlainStencilsAreWhatTheySay(t *testing.T) {
	const n = 5 // with ghosts
	const pad = 3
	u := grid(rand.New(rand.NewPCG(3, 4)), n*n*n+2*pad)
	sums := func(x, y, z int) (s [4]float64) {
		for dz := -1; dz <= 1; dz++ {
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					s[dx*dx+dy*dy+dz*dz] += u[pad+x+dx+n*(y+dy+n*(z+dz))]
				}
			}
		}
		return s
	}
	check := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	at := func(x, y, z int) int { return pad + x + n*(y+n*z) }
	b := Box{At: at(1, 1, 2), N: 3, Rows: 3, Y: n, Z: n * n}
	v, c := slices.Clone(u), make([]float64, 4)
	plainApply(v, u, u, b, &[4]float64{2, 3, 5, 7})
	plainRestrict(c, u, 1, at(1, 2, 2), 2, n, n*n)
	for y := 1; y < 4; y++ {
		for x := 1; x < 4; x++ {
			s, i := sums(x, y, 2), at(x, y, 2)
			check("apply", v[i], u[i]+2*s[0]+3*s[1]+5*s[2]+7*s[3])
			if y == 2 && x != 2 {
				check("restrict", c[1+x/2], s[0]/2+s[1]/4+s[2]/8+s[3]/16)
			}
		}
	}
	fine := make([]float64, 8)
	plainProlong(fine, u, 1, [4]int{0, n, 2 * n, 3 * n}, 3)
	mean := func(i int) float64 { return (u[i] + u[i+n] + u[i+2*n] + u[i+3*n]) / 4 }
	for i := range 3 {
		check("prolong between", fine[1+2*i], (mean(i)+mean(i+1))/2)
		check("prolong", fine[2+2*i], mean(i+1))
	}
}

// A caller's mistake must not read foreign memory.
func TestBoxesStayInTheirGrids(t *testing.T) {
	u, r := make([]float64, 6*6*6+6), make([]float64, 6*6*6+6)
	k := [4]float64{1, 1, 1, 1}
	good := Box{At: 46, N: 4, Rows: 4, Y: 6, Z: 36}
	for _, s := range Sets() {
		for name, f := range map[string]func(b Box){
			"apply":    func(b Box) { s.Grid.Apply(r, r, u, b, &k) },
			"restrict": func(b Box) { s.Grid.Restrict(r, u, 0, b.At, 2*b.Rows, b.Y, b.Z) },
			"prolong":  func(b Box) { s.Grid.Prolong(r, u, b.At, [4]int{b.At, b.At, b.At, b.At}, 8*b.Rows) },
		} {
			f(Box{At: 46, N: 4, Rows: 1, Y: 6, Z: 36})
			for _, at := range []int{-1, 45, 6*6*6 - 43} {
				b := good
				b.At = at
				if at == 45 && name == "prolong" {
					continue // it needs nothing around
				}
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%s, %s: a box at %d was accepted", s.Level, name, at)
						}
					}()
					f(b)
				}()
			}
		}
	}
}

func BenchmarkGrid(b *testing.B) {
	const n, rows = 256, 8 // in the cache
	y := n + 8
	z := y * (rows + 2)
	box := Box{At: z + y + 4, N: n, Rows: rows, Y: y, Z: z}
	u, v, r := make([]float64, 3*z+8), make([]float64, 3*z+8), make([]float64, 3*z+8)
	k := [4]float64{1, 1, 1, 1}
	for _, s := range Sets() {
		for _, c := range []struct {
			name string
			f    func()
		}{
			{"apply", func() { s.Grid.Apply(r, v, u, box, &k) }},
			{"apply in place", func() { s.Grid.Apply(r, r, u, box, &k) }},
			{"norm", func() { s.Grid.Norm(u, box) }},
			{"restrict", func() {
				for j := range rows / 2 {
					s.Grid.Restrict(r, u, box.At, box.At+2*j*y, n/2, y, z)
				}
			}},
			{"prolong", func() {
				for j := range rows {
					s.Grid.Prolong(r, u, box.At+j*y, [4]int{4, 4 + y, 4, 4 + y}, n/2)
				}
			}},
		} {
			b.Run(c.name+"/"+s.Level, func(b *testing.B) {
				for b.Loop() {
					c.f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*rows), "ns/point")
			})
		}
	}
}
