package mg

import "gobench/kernels/application"

// stage is one of the operators that follow each other on the way up a level. Each
// needs what the one before has made of the points around.
type stage int

const (
	correct  stage = iota // u += Q u of the level below; at the top u is kept, else it was zero
	residual              // r = base - A u
	smooth                // u += C r
	again                 // r = v - A u, at the top only: the residual after the cycle

	nothing = correct // what a wave has done that was not run
)

// region is planes [z0, z1) and in each the rows [y0, y1).
type region struct{ z0, z1, y0, y1 int }

// inner is what a wave up to stage done does of a stage on planes [lo, hi) of a
// thread: a stage begins one plane, and if rows are shared one row, behind the one
// before. The first also makes the ghosts, which gives the second a plane more
// where the rank ends.
func (l *level) inner(st, done stage, lo, hi int) region {
	if st > done {
		return region{}
	}
	behind := int(st)
	p := region{lo + behind, hi - behind, 1, l.n[1] + 1}
	if lo == 1 {
		p.z0--
	}
	if hi == l.n[2]+1 {
		p.z1++
	}
	if l.parts[1] > 1 {
		p.y0, p.y1 = behind, l.n[1]+2-behind
	}
	if p.z0 >= p.z1 || p.y0 >= p.y1 {
		return region{}
	}
	return p
}

// doWave does the stages up to s.done of a level in one walk through memory: when a
// plane is corrected, the one before it has its residual taken, the one before that
// is smoothed, and so on. A stage changes a plane when the one before it has no more
// use for it.
func (s *solver) doWave(k, thread int) {
	l := &s.level[k]
	lo, hi := s.planes(l, thread)
	if lo == hi {
		return
	}
	var inner [again + 1]region
	for st := range inner {
		inner[st] = l.inner(stage(st), s.done, lo, hi)
	}
	for front := inner[correct].z0; front < hi+1+int(s.done); front++ {
		for st := correct; st <= s.done; st++ {
			p, z := inner[st], front-int(st)
			if z < p.z0 || z >= p.z1 {
				continue
			}
			if st == correct {
				s.correct(k, z)
			} else {
				s.do(st, k, z, p.y0, p.y1)
			}
		}
	}
}

// doRest does stage s.now of a level on what a wave has left.
func (s *solver) doRest(k, thread int) {
	l := &s.level[k]
	lo, hi := s.planes(l, thread)
	p := l.inner(s.now, s.done, lo, hi)
	for z := lo; z < hi; z++ {
		if z < p.z0 || z >= p.z1 {
			s.do(s.now, k, z, 1, l.n[1]+1)
			continue
		}
		s.do(s.now, k, z, 1, p.y0)
		s.do(s.now, k, z, p.y1, l.n[1]+1)
	}
}

// do does a stage but the first on rows [from, to) of plane z of level k, and sets
// the ghosts in the plane.
func (s *solver) do(st stage, k, z, from, to int) {
	if from >= to {
		return
	}
	l, out := &s.level[k], s.r[k]
	if st == smooth {
		out = s.u[k]
		s.apply(l, out, out, s.r[k], &s.smoother, z, from, to)
	} else {
		s.apply(l, out, s.base(k), s.u[k], &s.operator, z, from, to)
	}
	l.wrapY(out, z)
}

// correct does the first stage on plane z of level k.
func (s *solver) correct(k, z int) {
	l := &s.level[k]
	var shift [3]int
	if k-1 == s.gathered {
		for i := range shift {
			shift[i] = l.first[i] / 2
		}
	}
	s.prolong(l, &s.level[k-1], s.u[k], s.u[k-1], shift, z, k < s.top())
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

// planes returns the planes [lo, hi) of thread t on a level of so many points along z.
func (s *solver) planes(l *level, t int) (lo, hi int) {
	lo, hi = application.Part(l.n[2], t, s.rank.Team.Threads())
	return lo + 1, hi + 1
}

// base is what the residual of level k is taken from: the charges at the top, what
// the level above left below it.
func (s *solver) base(k int) []float64 {
	if k == s.top() {
		return s.v
	}
	return s.r[k]
}
