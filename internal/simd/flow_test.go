package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// gas returns numbers that are states of a gas: rows of five components, each comp long.
func gas(random *rand.Rand, n, comp int) []float64 {
	u := make([]float64, n)
	for i := range u {
		u[i] = 0.3 * random.NormFloat64()
		switch i / comp % 5 {
		case 0:
			u[i] = 1 + random.Float64()
		case 4:
			u[i] = 5 + random.Float64()
		}
	}
	return u
}

// alike checks that all numbers agree up to rounding.
func alike(t *testing.T, set, kernel string, got, want []float64) {
	t.Helper()
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= 1e-11*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: number %d of %s is %v, want %v", set, i, kernel, v, want[i])
		}
	}
}

func TestFlowTwinsDifferByRounding(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const comp, n = 32, 16
	const y, z = 5 * comp, 25 * comp
	u, f, scale := gas(random, 5*z, comp), gas(random, 5*z, comp), gas(random, comp, 1)
	var x [5][]float64
	for k := range x {
		x[k] = gas(random, comp, 1)
	}
	var want [2][]float64
	for _, s := range Sets() {
		row := Row{U: u, F: f, R: make([]float64, len(u)), Comp: comp, Y: y, Z: z, N: n, W: make([]float64, 8+5*6*comp),
			Here: 8, SideY: [2]int{8 + 6*comp, 8 + 12*comp}, SideZ: [2]int{8 + 18*comp, 8 + 24*comp}, Scale: scale, X: x,
			YZ: [2][5]float64{{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}}, Half: [3]float64{1, 2, 3}, Viscous: [3]float64{3, 2, 1}}
		centre := 8 + 2*y + 2*z
		for i, at := range []int{centre, centre - y, centre + y, centre - z, centre + z} {
			row.At, row.Next = at, 8+6*i*comp
			s.Flow.Primitives(&row)
		}
		row.At = centre
		s.Flow.Residual(&row)
		if want[0] == nil {
			want = [2][]float64{row.W, row.R}
		}
		alike(t, s.Level, "Primitives", row.W, want[0])
		alike(t, s.Level, "Residual", row.R, want[1])
	}
}

// testLines returns lines of some positions with a state from before.
func testLines(seed uint64, forth, kept int) *Lines {
	random := rand.New(rand.NewPCG(seed, 3))
	const positions = 6
	l := &Lines{U: gas(random, (positions+2)*40, 8), UAt: 40, UStep: 40, R: gas(random, positions*40, 1), RStep: 40,
		UComp: [5]int{0, 8, 16, 24, 32}, RComp: [5]int{0, 8, 16, 24, 32}, Normal: 16, Lo: 1, Hi: positions - 1,
		Kept: make([]float64, positions*kept*8), In: make([]float64, 8*forth), Out: make([]float64, 8*forth),
		Tau1: 0.1, Tau2: 0.05, Delta: 0.75, Bands: make([]float64, 5*positions)}
	for i := range l.In {
		l.In[i] = 0.1 * random.Float64()
	}
	for i := range l.Bands {
		l.Bands[i] = 0.01 * random.Float64()
	}
	return l
}

func TestLineTwinsDifferByRounding(t *testing.T) {
	for _, c := range []struct {
		name        string
		forth, kept int
		forward     func(*Set) func(*Lines)
		back        func(*Set) func(*Lines)
	}{
		{"blocks", BlockForth, BlockKept, func(s *Set) func(*Lines) { return s.Blocks.Forward }, func(s *Set) func(*Lines) { return s.Blocks.Back }},
		{"blocks, adding", BlockForth, BlockKept, func(s *Set) func(*Lines) { return s.Blocks.Forward }, func(s *Set) func(*Lines) { return s.Blocks.BackAdd }},
		{"penta x", PentaForth, PentaKept, func(s *Set) func(*Lines) { return s.Penta.Transformed }, func(s *Set) func(*Lines) { return s.Penta.BackX }},
		{"penta y", PentaForth, PentaKept, func(s *Set) func(*Lines) { return s.Penta.Forward }, func(s *Set) func(*Lines) { return s.Penta.BackY }},
		{"penta z", PentaForth, PentaKept, func(s *Set) func(*Lines) { return s.Penta.Forward }, func(s *Set) func(*Lines) { return s.Penta.BackZ }},
	} {
		var want *Lines
		for _, s := range Sets() {
			l := testLines(4, c.forth, c.kept)
			c.forward(s)(l)
			passed := append([]float64{}, l.Out...)
			c.back(s)(l)
			l.In = passed
			if want == nil {
				want = l
			}
			alike(t, s.Level, c.name+": state", l.In, want.In)
			alike(t, s.Level, c.name+": state back", l.Out, want.Out)
			alike(t, s.Level, c.name+": R", l.R, want.R)
			alike(t, s.Level, c.name+": U", l.U, want.U)
		}
	}
}

func TestRelaxTwinsDifferByRounding(t *testing.T) {
	const comp = 24
	var want *RelaxRow
	for _, s := range Sets() {
		random := rand.New(rand.NewPCG(5, 6))
		a := &RelaxRow{U: gas(random, 5*comp+8, comp), R: gas(random, 5*comp+8, 1), Comp: comp, N: 16, P: make([]float64, RelaxParts*comp), T: make([]float64, 5*comp),
			Y: gas(random, 5*comp, 1), Z: gas(random, 5*comp, 1), Diagonal: 2, Heat: 1, Keep: 1, Add: -1, Gain: 0.5,
			Momentum: [3]float64{1, 2, 3}, Convect: [3]float64{1, 2, 3}, Diffuse: [3]float64{3, 2, 1}, Shift: [3]float64{2, 1, 3}}
		s.Relax.Look(a)
		s.Relax.Products(a)
		s.Relax.ProductsAdd(a)
		if want == nil {
			want = a
		}
		alike(t, s.Level, "P", a.P, want.P)
		alike(t, s.Level, "T", a.T, want.T)
		alike(t, s.Level, "Y", a.Y, want.Y)
		alike(t, s.Level, "Z", a.Z, want.Z)
		alike(t, s.Level, "U", a.U, want.U)
	}
}

func TestTransposersAreInverse(t *testing.T) {
	for _, s := range Sets() {
		for n := range 10 {
			const comp = 12
			src := make([]float64, 5*comp*LineLanes)
			for i := range src {
				src[i] = float64(i)
			}
			var rows [LineLanes]int
			for l := range rows {
				rows[l] = 5*comp*l + 1
			}
			lanes, back := make([]float64, 40*n), make([]float64, len(src))
			s.Transposer.ToLanes(lanes, src, &rows, comp, n)
			s.Transposer.ToRows(back, lanes, &rows, comp, n)
			for l, row := range rows {
				for m := range 5 {
					for i := range n {
						at := row + m*comp + i
						if lanes[40*i+8*m+l] != src[at] || back[at] != src[at] {
							t.Fatalf("%s, %d numbers: number %d of component %d of row %d moves wrongly", s.Level, n, i, m, l)
						}
					}
				}
			}
		}
	}
}
