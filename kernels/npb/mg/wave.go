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
	lower                 // r of the level below = P r, for the next cycle

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
	if st == lower { // planes and rows of the level below, each from three of what is done
		p = l.inner(again, done, lo, hi)
		p.z0, p.z1 = (p.z0+2)/2, p.z1/2
		if l.parts[1] > 1 {
			p.y0, p.y1 = (p.y0+2)/2, p.y1/2
		} else {
			p.y1 = l.n[1]/2 + 1
		}
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
	var inner [lower + 1]region
	for st := range inner {
		inner[st] = l.inner(stage(st), s.done, lo, hi)
	}
	for front := inner[correct].z0; front < hi+1+int(s.done); front++ {
		for st := correct; st <= s.done; st++ {
			p, z := inner[st], front-int(st)
			if st == lower { // all that it needs is there with the plane after an even one
				if z%2 != 0 {
					continue
				}
				z /= 2
			}
			if z >= p.z0 && z < p.z1 {
				s.do(st, k, z, p.y0, p.y1)
			}
		}
	}
}

// doRest does stage s.now of a level on what a wave has left.
func (s *solver) doRest(k, thread int) {
	l := &s.level[k]
	lo, hi := s.planes(l, thread)
	p, first, last, end := l.inner(s.now, s.done, lo, hi), lo, hi, l.n[1]+1
	if s.now == lower {
		first, last, end = (lo+1)/2, (hi+1)/2, l.n[1]/2+1
	}
	for z := first; z < last; z++ {
		if z < p.z0 || z >= p.z1 {
			s.do(s.now, k, z, 1, end)
			continue
		}
		s.do(s.now, k, z, 1, p.y0)
		s.do(s.now, k, z, p.y1, end)
	}
}

// do does a stage of level k on plane z and its rows [from, to), for lower those of
// the level below, and sets the ghosts in the plane.
func (s *solver) do(st stage, k, z, from, to int) {
	if from >= to {
		return
	}
	l := &s.level[k]
	switch st {
	case correct:
		s.prolong(k, z)
	case smooth:
		s.apply(l, s.u[k], s.u[k], s.r[k], &s.smoother, z, from, to)
		l.wrapY(s.u[k], z)
	case lower:
		s.restrict(k, z, from, to)
	default:
		s.apply(l, s.r[k], s.base(k), s.u[k], &s.operator, z, from, to)
		l.wrapY(s.r[k], z)
	}
}

// planes returns the planes [lo, hi) of thread t on a level of so many points along z.
func (s *solver) planes(l *level, t int) (lo, hi int) {
	lo, hi = application.Part(l.n[2], t, s.rank.Team.Threads())
	return lo + 1, hi + 1
}
