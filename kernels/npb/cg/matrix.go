package cg

import (
	"math"
	"slices"

	"gobench/kernels/application"
	"gobench/kernels/npb/random"
)

// matrix is a block of the sparse matrix in compressed row format. Columns are relative to the
// block, and have 16 bits where that suffices, because products are limited by memory bandwidth.
type matrix struct {
	start []int32  // of row i: entries start[i] to start[i+1]
	near  []uint16 // columns of a block of up to nearColumns
	col   []int32  // columns of a wider one
	val   []float64
}

const nearColumns = 1 << 16

// newMatrix returns a matrix without rows, with capacity for the given entries and columns.
func newMatrix(rows, cols, entries int) *matrix {
	m := &matrix{start: make([]int32, 1, rows+1), val: application.Array[float64](entries)[:0]}
	if cols <= nearColumns {
		m.near = application.Array[uint16](entries)[:0]
	} else {
		m.col = application.Array[int32](entries)[:0]
	}
	return m
}

// add appends an entry to the last row.
func (m *matrix) add(col int32, val float64) {
	if m.col == nil {
		m.near = append(m.near, uint16(col))
	} else {
		m.col = append(m.col, col)
	}
	m.val = append(m.val, val)
}

// bytes returns the size of what a product reads once.
func (m *matrix) bytes() int { return 2*len(m.near) + 4*len(m.col) + 8*len(m.val) }

// generators holds the sparse vectors whose weighted outer products add up to the matrix ("sprnvc"
// and "vecset" of the official program), one after the other.
type generators struct {
	start []int32 // of vector i
	index []int32
	value []float64
}

// generate draws the vectors of a class. Every rank draws all of them.
func generate(s size) generators {
	capacity := s.n * (s.nonzer + 1)
	g := generators{make([]int32, 1, s.n+1), make([]int32, 0, capacity), make([]float64, 0, capacity)}
	stream := random.At(random.Seed, 1) // the main program has drawn one number
	ceiling := 1
	for ceiling < s.n {
		ceiling *= 2
	}
	for i := range s.n {
		first := len(g.index)
		for len(g.index)-first < s.nonzer {
			v := stream.Next()
			position := int32(float64(ceiling) * stream.Next())
			if int(position) >= s.n || slices.Contains(g.index[first:], position) {
				continue
			}
			g.index, g.value = append(g.index, position), append(g.value, v)
		}
		if at := slices.Index(g.index[first:], int32(i)); at >= 0 {
			g.value[first+at] = 0.5
		} else {
			g.index, g.value = append(g.index, int32(i)), append(g.value, 0.5)
		}
		g.start = append(g.start, int32(len(g.index)))
	}
	return g
}

// users is an index of the generators by row of a block. For k in start[i] to start[i+1]-1, vector
// vec[k] has an entry in row i, at generators.index[entry[k]].
type users struct {
	start []int32
	vec   []int32
	entry []int32
}

func (g *generators) users(rows span) users {
	u := users{start: make([]int32, rows.len()+1)}
	for _, j := range g.index {
		if rows.has(int(j)) {
			u.start[int(j)-rows.lo+1]++
		}
	}
	for i := range rows.len() {
		u.start[i+1] += u.start[i]
	}
	u.vec, u.entry = make([]int32, u.start[rows.len()]), make([]int32, u.start[rows.len()])
	next := slices.Clone(u.start)
	for i := range len(g.start) - 1 {
		for e := g.start[i]; e < g.start[i+1]; e++ {
			if j := int(g.index[e]); rows.has(j) {
				at := next[j-rows.lo]
				next[j-rows.lo]++
				u.vec[at], u.entry[at] = int32(i), e
			}
		}
	}
	return u
}

// makeMatrix computes a block of the matrix of a class ("makea"). Contributions to one entry are
// added in the order of the vectors; the columns of a row ascend.
func makeMatrix(s size, rows, cols span) *matrix {
	g := generate(s)
	u := g.users(rows)
	capacity := 0 // contributions to the block, of which several may belong to one entry
	inside := make([]int32, s.n)
	for i := range s.n {
		for _, j := range g.index[g.start[i]:g.start[i+1]] {
			if cols.has(int(j)) {
				inside[i]++
			}
		}
	}
	for _, v := range u.vec {
		capacity += int(inside[v])
	}
	weight := make([]float64, s.n)
	for i, w, ratio := 0, 1.0, math.Pow(rcond, 1/float64(s.n)); i < s.n; i++ {
		weight[i], w = w, w*ratio
	}
	m := newMatrix(rows.len(), cols.len(), capacity)
	sum := make([]float64, cols.len())
	seen := make([]bool, cols.len())
	var touched []int32
	for i := range rows.len() {
		touched = touched[:0]
		for k := u.start[i]; k < u.start[i+1]; k++ {
			v := u.vec[k]
			own := g.value[u.entry[k]]
			for e := g.start[v]; e < g.start[v+1]; e++ {
				j := int(g.index[e])
				if !cols.has(j) {
					continue
				}
				if !seen[j-cols.lo] {
					seen[j-cols.lo] = true
					touched = append(touched, int32(j-cols.lo))
				}
				sum[j-cols.lo] += own * (weight[v] * g.value[e])
			}
		}
		if j := rows.lo + i; cols.has(j) {
			sum[j-cols.lo] += rcond - s.shift
		}
		slices.Sort(touched)
		for _, j := range touched {
			if sum[j] != 0 {
				m.add(j, sum[j])
			}
			sum[j], seen[j] = 0, false
		}
		m.start = append(m.start, int32(len(m.val)))
	}
	return m
}
