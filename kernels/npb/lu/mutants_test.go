package lu

import (
	"testing"

	"gobench/internal/simd"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
	"gobench/kernels/npb/flow"
)

func TestMutantsAreNotVerified(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	alone := [3][2]int{{-1, -1}, {-1, -1}, {-1, -1}}
	list := map[string]func(l *instance){
		"a longer step":                  func(l *instance) { l.Dt *= 1 + 1e-6 },
		"convection of one axis":         func(l *instance) { l.c.convect[2] *= 1 + 1e-6 },
		"viscosity of one axis":          func(l *instance) { l.row.Diffuse[1] *= 1 + 1e-6 },
		"second difference of one axis":  func(l *instance) { l.row.Shift[0] = l.row.Shift[2] },
		"diagonal without one axis":      func(l *instance) { l.row.Diagonal -= 2 * l.c.shift[1] },
		"viscosity in the diagonal":      func(l *instance) { l.row.Momentum[0] = l.row.Momentum[1] * (1 + 1e-6) },
		"conduction in the diagonal":     func(l *instance) { l.row.Heat *= 1 + 1e-6 },
		"another factor of relaxation":   func(l *instance) { l.row.Gain = 1 / 0.97 },
		"no ghosts":                      func(l *instance) { l.halo = flow.NewHalo(l.Rank, l.Comm, l.N, nil, alone) },
		"sweeps without the other ranks": func(l *instance) { l.relaxation.neighbours = alone },
		"lines that end a point early":   func(l *instance) { l.hi[0]-- },
		"a plane that is left out":       func(l *instance) { l.lo[2]++ },
		"a row without products": func(l *instance) {
			products := l.kernels.Products
			l.kernels.Products = func(a *simd.RelaxRow) {
				if a.At != l.cell.At(0, 2, 3) {
					products(a)
				}
			}
		},
		"a row that is not updated": func(l *instance) {
			add, without := l.kernels.ProductsAdd, l.kernels.Products
			l.kernels.ProductsAdd = func(a *simd.RelaxRow) {
				if a.At == l.cell.At(0, 2, 3) {
					without(a)
				} else {
					add(a)
				}
			}
		},
		"products of one row that are lost": func(l *instance) {
			products := l.kernels.Products
			l.kernels.Products = func(a *simd.RelaxRow) {
				products(a)
				if a.At == l.cell.At(0, 3, 3) {
					clear(a.Y)
				}
			}
		},
	}
	mutants := map[string]func(k *npb.Kernel){}
	for name, change := range list {
		mutants[name] = kerneltest.Plant(func(_ int, l *instance) { change(l) })
	}
	kerneltest.Mutants(t, Kernel(), 4, mutants)
}
