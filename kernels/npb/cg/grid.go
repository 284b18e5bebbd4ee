package cg

import "math/bits"

// span is a half-open range of rows or columns.
type span struct{ lo, hi int }

func (s span) len() int       { return s.hi - s.lo }
func (s span) has(i int) bool { return i >= s.lo && i < s.hi }

// grid is the distribution of the matrix over R rows of C ranks, where C is R or 2R. A rank holds
// one block of the matrix and, of each vector, the part that belongs to the columns of its block;
// the ranks of a column of the grid hold the same part.
type grid struct {
	rows, cols int // ranks
	row, col   int // of this rank
	stages     int // log2 of the ranks in a row

	rowSpan, colSpan span
	// part of the row span that this rank keeps when sums are added up: all, or a half where C = 2R
	own     span
	partner int // rank with which this one exchanges own parts; may be itself
}

// newGrid distributes n rows over a power of two of ranks.
func newGrid(n, ranks, rank int) grid {
	l := bits.Len(uint(ranks)) - 1
	g := grid{rows: 1 << (l / 2), cols: 1 << (l - l/2)}
	g.row, g.col = rank/g.cols, rank%g.cols
	g.stages = bits.Len(uint(g.cols)) - 1
	g.rowSpan = block(n, g.rows, g.row)
	nr := g.rowSpan.len()
	if g.rows == g.cols {
		g.colSpan = block(n, g.cols, g.col)
		g.own = span{0, nr}
		g.partner = g.col*g.cols + g.row
		return g
	}
	g.colSpan = block(n, g.cols/2, g.col/2)
	g.own = span{0, nr}
	g.colSpan = half(g.colSpan, g.col%2)
	g.own = half(g.own, g.col%2)
	g.partner = g.col/2*g.cols + 2*g.row + g.col%2
	return g
}

// block returns part i of n items that are divided into parts, of which the first n%parts have one
// more.
func block(n, parts, i int) span {
	each, more := n/parts, n%parts
	lo := i*each + min(i, more)
	if i < more {
		each++
	}
	return span{lo, lo + each}
}

// half returns one half of a span; the first may have one more.
func half(s span, which int) span {
	middle := s.lo + (s.len()+1)/2
	if which == 0 {
		return span{s.lo, middle}
	}
	return span{middle, s.hi}
}

// peer returns the partner in this row of the grid in a stage of recursive doubling, counted from
// 1.
func (g *grid) peer(stage int) int { return g.row*g.cols + g.col ^ g.cols>>stage }
