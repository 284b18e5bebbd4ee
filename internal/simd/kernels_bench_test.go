package simd

import (
	"math/rand/v2"
	"testing"
)

// Kernels of applications, in data of the first-level cache.
func BenchmarkKernels(b *testing.B) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, s := range Sets() {
		bench := func(name string, f func()) {
			b.Run(name+"/"+s.Level, func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
		block, penta := testLines(4, BlockForth, BlockKept), testLines(4, PentaForth, PentaKept)
		bench("blockForward", func() { s.Blocks.Forward(block) })
		block.In = make([]float64, 8*BlockForth)
		bench("blockBack", func() { s.Blocks.Back(block) })
		bench("blockBackAdd", func() { s.Blocks.BackAdd(block) })
		bench("pentaForward", func() { s.Penta.Forward(penta) })
		bench("pentaTransformed", func() { s.Penta.Transformed(penta) })
		bench("pentaBackX", func() { s.Penta.BackX(penta) })
		bench("pentaBackZ", func() { s.Penta.BackZ(penta) })
		const comp, n = 32, 24
		const y, z = 6 * comp, 36 * comp
		row := Row{U: gas(random, 5*z, comp), F: gas(random, 5*z, comp), R: make([]float64, 5*z), Comp: comp, Y: y, Z: z, N: n,
			W: gas(random, 40*comp, comp), Here: 8, SideY: [2]int{8 + 6*comp, 8 + 12*comp}, SideZ: [2]int{8 + 18*comp, 8 + 24*comp},
			At: 8 + 2*y + 2*z, Next: 8, Scale: make([]float64, comp)}
		for k := range row.X {
			row.X[k] = gas(random, comp, 1)
		}
		bench("flowPrimitives", func() { s.Flow.Primitives(&row) })
		bench("flowResidual", func() { s.Flow.Residual(&row) })
		relax := &RelaxRow{U: gas(random, 5*comp+8, comp), R: gas(random, 5*comp+8, 1), Comp: comp, N: n, P: make([]float64, RelaxParts*comp), T: make([]float64, 5*comp),
			Y: gas(random, 5*comp, 1), Z: gas(random, 5*comp, 1), Diagonal: 2, Heat: 1, Keep: 1, Add: -1, Gain: 0.5}
		bench("relaxLook", func() { s.Relax.Look(relax) })
		bench("relaxProducts", func() { s.Relax.Products(relax) })
	}
}
