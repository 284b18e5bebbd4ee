package flow

import "gobench/kernels/application"

// Ghosts is the number of layers of ghosts around a cell.
const Ghosts = 2

// pad is the room before a row, in numbers: a vector register.
const pad = 8

// A Cell is a box of a grid, with ghosts around it. Arrays hold rows along x; the five components
// of a row follow one another. Padding and ghosts of U hold harmless values where no neighbour
// sends any; those of R and F are 0.
type Cell struct {
	Lo, N [3]int // lowest corner in the grid, and points

	Comp, Y, Z int // numbers from a component, a row and a plane to the next
	base       int

	U []float64 // conserved variables
	R []float64 // residual, right side or correction
	F []float64 // forcing
}

// layout returns a cell without arrays.
func layout(lo, n [3]int) Cell {
	c := Cell{Lo: lo, N: n}
	c.Comp = pad + (n[0]+Ghosts+7)&^7
	c.Y = 5 * c.Comp
	c.Z = c.Y * (n[1] + 2*Ghosts)
	c.base = pad + Ghosts*(c.Y+c.Z)
	return c
}

// NewCell returns a cell of n points from lo on.
func NewCell(lo, n [3]int) *Cell {
	c := layout(lo, n)
	c.U, c.R, c.F = application.Array[float64](c.Len()), application.Array[float64](c.Len()), application.Array[float64](c.Len())
	for i := 0; i+c.Y <= len(c.U); i += c.Y {
		for k := range c.Comp {
			c.U[i+k], c.U[i+4*c.Comp+k] = 1, 1
		}
	}
	return &c
}

// Len returns the length of an array, in numbers.
func (c *Cell) Len() int { return c.Z * (c.N[2] + 2*Ghosts) }

// At returns the index of the first component of a point. Ghosts have negative coordinates, or from
// N on.
func (c *Cell) At(i, j, k int) int { return c.base + i + c.Y*j + c.Z*k }

// State returns the conserved variables at a point.
func (c *Cell) State(i, j, k int) (u State) {
	at := c.At(i, j, k)
	for m := range u {
		u[m] = c.U[at+m*c.Comp]
	}
	return u
}

// set sets the components of an array at an index.
func (c *Cell) set(a []float64, at int, u State) {
	for m, v := range u {
		a[at+m*c.Comp] = v
	}
}

// bounds returns the first and the end of the points along an axis that are inside of a grid of n
// points.
func (c *Cell) bounds(axis, n int) (lo, hi int) {
	lo, hi = 0, c.N[axis]
	if c.Lo[axis] == 0 {
		lo = 1
	}
	if c.Lo[axis]+hi == n {
		hi--
	}
	return lo, hi
}

// Inside returns the ranges of points that are inside of a grid.
func (c *Cell) Inside(n [3]int) (lo, hi [3]int) {
	for axis := range n {
		lo[axis], hi[axis] = c.bounds(axis, n[axis])
	}
	return lo, hi
}
