package ft

import (
	"math"

	"gobench/internal/simd"
)

// evolution holds the factors of the points of the spectrum at time t, exp(-4 alpha pi^2 t (kx^2 +
// ky^2 + kz^2)), as one factor for each axis. Those of x and y cover the block of the rank.
type evolution struct {
	n      [3]int
	firstX int
	firstY int
	x      []float64 // in the order of bundles
	y, z   []float64
}

func newEvolution(l *layout) evolution {
	return evolution{n: l.n, firstX: l.me1 * l.x, firstY: l.me2 * l.y2,
		x: make([]float64, l.x), y: make([]float64, l.y2), z: make([]float64, l.n[2])}
}

// least is the threshold below which a factor is set to zero, so that no product of three factors
// is a subnormal number, which processors handle slowly.
const smallest = 1e-100

// set computes the factors of step t.
func (e *evolution) set(t int) {
	factor := func(axis, index int) float64 {
		n := e.n[axis]
		k := (index+n/2)%n - n/2
		v := math.Exp(-4 * alpha * math.Pi * math.Pi * float64(t) * float64(k*k))
		if v < smallest {
			return 0
		}
		return v
	}
	for i := range e.x {
		e.x[bundled(i, len(e.x))] = factor(0, e.firstX+i)
	}
	for i := range e.y {
		e.y[i] = factor(1, e.firstY+i)
	}
	for i := range e.z {
		e.z[i] = factor(2, i)
	}
}

// bundled returns the place of column i of n in the order of bundles.
func bundled(i, n int) int {
	if n < simd.Lanes {
		return i
	}
	return i&^(simd.Lanes-1) | [simd.Lanes]int{0, 2, 1, 3}[i%simd.Lanes]
}

// points sets the factors along a line at row y.
func (e *evolution) points(out []float64, y int) {
	f := e.y[y]
	for k, v := range e.z {
		out[k] = v * f
	}
}
