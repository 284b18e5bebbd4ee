package mg

// The jobs of a level. Each thread has a run of planes; operators that follow each
// other are done together on the planes in the middle of the run, as soon as the
// planes beside them are there, and on the others in a second job.

// doSmooth adds the smoothed residual to u ("psinv").
func (s *solver) doSmooth(k, thread int) {
	l := &s.level[k]
	lo, hi := s.planes(l, thread)
	for z := lo; z < hi; z++ {
		s.whole(l, s.u[k], s.u[k], s.r[k], &s.smoother, z)
	}
}

// doResid computes the residual of u.
func (s *solver) doResid(k, thread int) {
	l := &s.level[k]
	lo, hi := s.planes(l, thread)
	for from := 1; from <= l.n[1]; from += Block {
		to := min(from+Block, l.n[1]+1)
		for z := lo; z < hi; z++ {
			s.apply(l, s.r[k], s.base(k), s.u[k], &s.operator, z, from, to)
		}
	}
	for z := lo; z < hi; z++ {
		l.wrapY(s.r[k], z)
	}
}

var Block = 32

// doProlongResid adds what the level below found to u, which is zero but at the
// top, and takes the residual on the planes in the middle.
func (s *solver) doProlongResid(k, thread int) {
	l, below := &s.level[k], &s.level[k-1]
	var shift [3]int
	if k-1 == s.gathered {
		for i := range shift {
			shift[i] = l.first[i] / 2
		}
	}
	lo, hi := s.planes(l, thread)
	first, last := lo, hi
	if lo == 1 {
		first = 0 // the ghosts belong to the thread beside them
	}
	if hi == l.n[2]+1 && lo < hi {
		last = hi + 1
	}
	if lo == hi {
		return
	}
	for z := first; z < last; z++ {
		s.prolong(l, below, s.u[k], s.u[k-1], shift, z, k < s.top())
		if done := z - 1; done > lo && done < hi-1 {
			s.whole(l, s.r[k], s.base(k), s.u[k], &s.operator, done)
		}
	}
}

// doBoundary takes the residual on the planes that doProlongResid left.
func (s *solver) doBoundary(k, thread int) {
	l := &s.level[k]
	lo, hi := s.planes(l, thread)
	if lo == hi {
		return
	}
	s.whole(l, s.r[k], s.base(k), s.u[k], &s.operator, lo)
	if hi-1 > lo {
		s.whole(l, s.r[k], s.base(k), s.u[k], &s.operator, hi-1)
	}
}

// inner is the rows [from, to) of a plane whose residual needs no ghosts from
// another rank along y.
func (l *level) inner() (from, to int) {
	if l.parts[1] > 1 {
		return 2, l.n[1]
	}
	return 1, l.n[1] + 1
}

// doSmoothResid adds the smoothed residual to u at the top, and takes the residual
// on the inner rows of the planes in the middle. It needs whole rows.
func (s *solver) doSmoothResid(k, thread int) {
	l := &s.level[k]
	lo, hi := s.planes(l, thread)
	from, to := l.inner()
	for z := lo; z < hi; z++ {
		s.whole(l, s.u[k], s.u[k], s.r[k], &s.smoother, z)
		if done := z - 1; done > lo {
			s.apply(l, s.r[k], s.v, s.u[k], &s.operator, done, from, to)
			l.wrapY(s.r[k], done)
		}
	}
}

// doFinish takes the residual where doSmoothResid left it out.
func (s *solver) doFinish(k, thread int) {
	l := &s.level[k]
	lo, hi := s.planes(l, thread)
	from, to := l.inner()
	for z := lo; z < hi; z++ {
		if z == lo || z == hi-1 {
			s.whole(l, s.r[k], s.v, s.u[k], &s.operator, z)
			continue
		}
		s.apply(l, s.r[k], s.v, s.u[k], &s.operator, z, 1, from)
		s.apply(l, s.r[k], s.v, s.u[k], &s.operator, z, to, l.n[1]+1)
	}
}

// doRestrict brings the residual of level k to the level below.
func (s *solver) doRestrict(k, thread int) {
	coarse, to := s.below(k)
	lo, hi := s.planes(coarse, thread)
	for z := lo; z < hi; z++ {
		s.restrict(coarse, &s.level[k], to, s.r[k], z)
	}
}

// below returns the level and the array that the residual of level k is restricted to.
func (s *solver) below(k int) (*level, []float64) {
	if k-1 == s.gathered && s.gathered > 0 {
		return &s.staging, s.stage
	}
	return &s.level[k-1], s.r[k-1]
}
