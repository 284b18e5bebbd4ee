package flow

import (
	"fmt"
	"math"

	"gobench/kernels/npb"
)

// A Partition is a multi-partition: the grid is cut into P x P x P cells, and each of P x P ranks
// has one cell in every plane of cells along each axis, so that all ranks work in every stage of a
// sweep (NPB 3.4-MPI, BT and SP, make_set).
type Partition struct {
	P    int
	i, j int // place of the rank
}

// NewPartition returns the partition of a rank of ranks, which must be a square.
func NewPartition(rank, ranks int) Partition {
	p := side(ranks)
	return Partition{p, rank % p, rank / p}
}

// side returns the root of ranks, rounded down.
func side(ranks int) int {
	p := int(math.Sqrt(float64(max(ranks, 0))))
	for p*p > ranks {
		p--
	}
	return p
}

// Square returns a *npb.RanksError unless ranks is a square whose cells have three points along
// each axis of n.
func Square(kernel string, class npb.Class, ranks, n int) error {
	p, limit := side(ranks), n/3
	if ranks >= 1 && p*p == ranks && p <= limit {
		return nil
	}
	e := &npb.RanksError{Kernel: kernel, Class: class, Ranks: ranks, Legal: fmt.Sprintf("a square from 1 to %d", limit*limit)}
	p = min(max(p, 1), limit)
	e.Near = []int{p * p}
	if p < limit && ranks > 1 {
		e.Near = append(e.Near, (p+1)*(p+1))
	}
	return e
}

// Position returns the coordinates of a cell of the rank in the grid of cells.
func (p Partition) Position(cell int) [3]int {
	return [3]int{(p.i + cell) % p.P, (p.j - cell + p.P) % p.P, cell}
}

// CellAt returns the cell of the rank that has a coordinate along an axis.
func (p Partition) CellAt(axis, coordinate int) int {
	switch axis {
	case 0:
		return (coordinate - p.i + p.P) % p.P
	case 1:
		return (p.j - coordinate + p.P) % p.P
	}
	return coordinate
}

// rank returns the rank at a place, which is periodic.
func (p Partition) rank(i, j int) int { return (i+p.P)%p.P + p.P*((j+p.P)%p.P) }

// Neighbours returns the ranks before and after all cells of this one along each axis.
func (p Partition) Neighbours() [3][2]int {
	return [3][2]int{
		{p.rank(p.i-1, p.j), p.rank(p.i+1, p.j)},
		{p.rank(p.i, p.j-1), p.rank(p.i, p.j+1)},
		{p.rank(p.i+1, p.j-1), p.rank(p.i-1, p.j+1)},
	}
}

// A Box is a box of points of a grid: its lowest corner, and points along each axis.
type Box struct{ Lo, N [3]int }

// Boxes returns the points of the cells of the rank in a grid of n points.
func (p Partition) Boxes(n [3]int) []Box {
	boxes := make([]Box, p.P)
	for c := range boxes {
		for axis, at := range p.Position(c) {
			boxes[c].Lo[axis], boxes[c].N[axis] = Slab(n[axis], at, p.P)
		}
	}
	return boxes
}

// Cells returns the cells of the rank in a grid of n points.
func (p Partition) Cells(n [3]int) []*Cell {
	var cells []*Cell
	for _, b := range p.Boxes(n) {
		cells = append(cells, NewCell(b.Lo, b.N))
	}
	return cells
}

// Slab returns the first point and the number of points of one of parts: the first n % parts have
// one more.
func Slab(n, at, parts int) (first, size int) {
	size = n / parts
	first = at*size + min(at, n%parts)
	if at < n%parts {
		size++
	}
	return first, size
}
