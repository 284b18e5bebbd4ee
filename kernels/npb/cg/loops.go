package cg

import (
	"sort"
	"sync"

	"gobench/bench/team"
	"gobench/internal/simd"
	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// loops holds the vectors of a rank and the loops over them, divided among the
// threads.
type loops struct {
	team   *team.Team
	simd   simd.Solver
	matrix *matrix
	rows   []int  // thread t has the matrix rows rows[t] to rows[t+1], all threads about as many entries
	cols   []span // parts of the vectors

	x, z, p, q, r []float64
	w             []float64 // product of the block of this rank and p

	// Arguments of the current loop.
	a, b     []float64
	factor   float64
	partials []partial

	doProduct, doDot, doUpdate, doDirection func(thread int)
}

// partial is the part of a sum of one thread, padded to a cache line.
type partial struct {
	sum float64
	_   [7]float64
}

func newLoops(team *team.Team, m *matrix, cols int) *loops {
	threads := team.Threads()
	l := &loops{team: team, simd: simd.BestFor(m.bytes() / threads).Solver, matrix: m, partials: make([]partial, threads), rows: make([]int, threads+1)}
	rows := len(m.start) - 1
	vectors := application.Array[float64](5*cols + rows) // together they may fill a huge page
	for _, v := range []*[]float64{&l.p, &l.x, &l.z, &l.q, &l.r} {
		*v, vectors = vectors[:cols:cols], vectors[cols:]
	}
	l.w = vectors
	for t := range threads {
		lo, hi := application.Part(cols, t, threads)
		l.cols = append(l.cols, span{lo, hi})
		share := int(m.start[rows]) / threads * t
		l.rows[t] = sort.Search(rows, func(i int) bool { return int(m.start[i]) >= share })
	}
	l.rows[threads] = rows
	l.doProduct, l.doDot, l.doUpdate, l.doDirection = l.productPart, l.dotPart, l.updatePart, l.directionPart
	return l
}

// Steps returns a function that prepares the loops of a step of the solver, with the vector loops
// in force, for trials of those (simd.Choose). All steps have the matrix of the class on one rank,
// and vectors of zeros.
func Steps(class npb.Class) func(team *team.Team) (step func()) {
	matrixOf := sync.OnceValue(func() *matrix {
		all := span{0, sizeOf(class).n}
		return makeMatrix(sizeOf(class), all, all)
	})
	return func(team *team.Team) func() {
		m := matrixOf()
		l := newLoops(team, m, len(m.start)-1)
		return func() {
			l.product(l.p)
			l.update(l.dot(l.p, l.w))
			l.direction(0)
		}
	}
}

// product sets w to the product of the block of this rank and v.
func (l *loops) product(v []float64) {
	l.a = v
	l.team.Run(l.doProduct)
}

func (l *loops) productPart(thread int) {
	lo, hi := l.rows[thread], l.rows[thread+1]
	if m := l.matrix; m.col == nil {
		l.simd.NearRows(l.w[lo:hi], m.start[lo:hi+1], m.near, m.val, l.a)
	} else {
		l.simd.Rows(l.w[lo:hi], m.start[lo:hi+1], m.col, m.val, l.a)
	}
}

// dot returns the part of this rank of a scalar product.
func (l *loops) dot(a, b []float64) float64 {
	l.a, l.b = a, b
	l.team.Run(l.doDot)
	return l.total()
}

func (l *loops) dotPart(thread int) {
	s := l.cols[thread]
	l.partials[thread].sum = l.simd.Dot(l.a[s.lo:s.hi], l.b[s.lo:s.hi])
}

// update advances z and r by alpha along p and returns the part of this rank of the square of the
// new r.
func (l *loops) update(alpha float64) float64 {
	l.factor = alpha
	l.team.Run(l.doUpdate)
	return l.total()
}

func (l *loops) updatePart(thread int) {
	s := l.cols[thread]
	l.partials[thread].sum = l.simd.Update(l.z[s.lo:s.hi], l.r[s.lo:s.hi], l.p[s.lo:s.hi], l.q[s.lo:s.hi], l.factor)
}

// direction sets p to r + beta p.
func (l *loops) direction(beta float64) {
	l.factor = beta
	l.team.Run(l.doDirection)
}

func (l *loops) directionPart(thread int) {
	s := l.cols[thread]
	l.simd.Direction(l.p[s.lo:s.hi], l.r[s.lo:s.hi], l.factor)
}

func (l *loops) total() float64 {
	var sum float64
	for i := range l.partials {
		sum += l.partials[i].sum
	}
	return sum
}
