package fdtd

import (
	"fmt"

	"gobench/kernels/application"
)

// Blocks is a decomposition of the grid into X columns and Y rows of blocks.
type Blocks struct{ X, Y int }

func (b Blocks) String() string { return fmt.Sprintf("%dx%d", b.X, b.Y) }

// Cost of one number of the halo, in updates of a point. A row is contiguous in memory; each number
// of a column is in a different cache line.
const (
	rowCost    = 4
	columnCost = 8
)

// ChooseBlocks returns the decomposition that minimises the cost of the slowest rank. It returns a
// *BlocksError if every decomposition leaves some rank without points.
func ChooseBlocks(p Problem, ranks int) (Blocks, error) {
	var best Blocks
	lowest := int64(-1)
	for y := 1; y <= ranks; y++ {
		b := Blocks{ranks / y, y}
		if ranks%y != 0 || b.Check(p, ranks) != nil {
			continue
		}
		cost := b.cost(p)
		if lowest < 0 || cost <= lowest { // of equal costs the longest rows
			best, lowest = b, cost
		}
	}
	if lowest < 0 {
		return best, &BlocksError{Problem: p, Ranks: ranks}
	}
	return best, nil
}

// cost returns the cost of a step on the slowest rank, in updates of a point.
func (b Blocks) cost(p Problem) int64 {
	columns, rows := int64((p.NX+b.X-1)/b.X), int64((p.NY+b.Y-1)/b.Y)
	neighbours := func(n int) int64 { return int64(min(n-1, 2)) }
	return columns*rows + neighbours(b.Y)*rowCost*columns + neighbours(b.X)*columnCost*rows
}

// Check returns a *BlocksError unless there is exactly one block with points for each rank.
func (b Blocks) Check(p Problem, ranks int) error {
	if b.X < 1 || b.Y < 1 || b.X*b.Y != ranks || b.X > p.NX || b.Y > p.NY {
		return &BlocksError{p, ranks, b}
	}
	return nil
}

// BlocksError reports a decomposition that the grid does not allow.
type BlocksError struct {
	Problem Problem
	Ranks   int
	Blocks  Blocks // as requested; zero if they were to be chosen
}

func (e *BlocksError) Error() string {
	switch {
	case e.Blocks == Blocks{}:
		return fmt.Sprintf("a grid of %dx%d points cannot be cut into %d blocks with points: use fewer ranks or a larger grid", e.Problem.NX, e.Problem.NY, e.Ranks)
	case e.Blocks.X*e.Blocks.Y != e.Ranks:
		return fmt.Sprintf("%v blocks are %d, but there are %d ranks: want one for each", e.Blocks, e.Blocks.X*e.Blocks.Y, e.Ranks)
	}
	return fmt.Sprintf("a grid of %dx%d points is smaller than %v blocks: want a point in each", e.Problem.NX, e.Problem.NY, e.Blocks)
}

// block is a rectangle of points, usually those of one rank.
type block struct {
	x, y   int // the first
	nx, ny int
}

// block returns the block in column bx and row by of blocks.
func (b Blocks) block(p Problem, bx, by int) block {
	x0, x1 := application.Part(p.NX, bx, b.X)
	y0, y1 := application.Part(p.NY, by, b.Y)
	return block{x0, y0, x1 - x0, y1 - y0}
}

// has reports whether a point of the grid is in the block.
func (k block) has(x, y int) bool {
	return x >= k.x && x < k.x+k.nx && y >= k.y && y < k.y+k.ny
}

// within returns the intersection of k and other.
func (k block) within(other block) block {
	x0, x1 := max(k.x, other.x), min(k.x+k.nx, other.x+other.nx)
	y0, y1 := max(k.y, other.y), min(k.y+k.ny, other.y+other.ny)
	return block{x0, y0, max(0, x1-x0), max(0, y1-y0)}
}
