//go:build goexperiment.simd && go1.27 && !go1.28

package simd

import x2 "gobench/internal/simd/lanes/x2"

// built reports whether this build has vector loops.
const built = true

// sets returns plain Go and NEON, which every processor has.
func sets() []*Set {
	list := []*Set{plain()}
	s := *list[0]
	s.Level = "neon"
	s.Int32, s.Int64, s.Float32, s.Float64, s.Bits = x2.Int32, x2.Int64, x2.Float32, x2.Float64, x2.Bits
	s.Flow, s.Blocks, s.Penta, s.Relax = x2.Flow, x2.Blocks, x2.Penta, x2.Relax
	s.Yee32, s.Yee64, s.copy = x2.Yee32, x2.Yee64, x2.Copy
	s.Solver.Dot, s.Solver.Update, s.Solver.Direction = x2.Dot, x2.Update, x2.Direction
	return append(list, &s)
}
