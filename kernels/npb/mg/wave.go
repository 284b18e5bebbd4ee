package mg

import "gobench/kernels/application"

// stage is one of the consecutive operators on a level. Each needs the results of the one before at
// the surrounding points.
type stage int

const (
	correct  stage = iota // u += Q u of the level below; at the top u is kept, else it was zero
	residual              // r = base - A u
	smooth                // u += C r
	again                 // r = v - A u, at the top only: the residual after the cycle
	lower                 // r of the level below = P r, for the next cycle

	nothing = correct // the last stage of a wave if none has run
)

// region is the rows [y0, y1) of planes [z0, z1).
type region struct{ z0, z1, y0, y1 int }

// inner returns the region of a stage that a wave up to stage done covers on planes [lo, hi) of a
// thread. Each stage begins one plane and one row after the one before. The first stage also
// computes ghosts, so the second covers one more plane and row at the border of the rank.
func (l *level) inner(st, done stage, lo, hi int) region {
	if st > done {
		return region{}
	}
	behind := int(st)
	p := region{lo + behind, hi - behind, behind, l.n[1] + 2 - behind}
	if lo == 1 {
		p.z0--
	}
	if hi == l.n[2]+1 {
		p.z1++
	}
	if st == lower { // planes and rows of the level below, each from three of what is done
		p = l.inner(again, done, lo, hi)
		p = region{(p.z0 + 2) / 2, p.z1 / 2, (p.y0 + 2) / 2, p.y1 / 2}
	}
	if p.z0 >= p.z1 || p.y0 >= p.y1 {
		return region{}
	}
	return p
}

// before returns the part of p that a stage can do when the first stage has done the rows before
// row.
func (p region) before(st stage, row int) region {
	if st == lower {
		p.y1 = min(p.y1, max(0, row-int(again))/2)
	} else {
		p.y1 = min(p.y1, row-int(st))
	}
	return p
}

// If the planes that a wave works on at a time exceed the share of a rank of the cache, the wave is
// split into several passes, each over a range of rows.
const (
	front  = 13      // planes, of u, r and v
	cached = 4 << 20 // bytes
	fewest = 32      // rows
)

// doWave does the stages up to s.done of a level in one pass over memory: while plane z is
// corrected, the residual of plane z-1 is computed, plane z-2 is smoothed, and so on. A stage
// changes a plane only when the stage before no longer reads it. Rows are staggered in the same
// way, so that a range of rows can be done on all planes before the next range.
func (s *solver) doWave(k, thread int) {
	l := &s.level[k]
	lo, hi := s.planes(l, thread)
	if lo == hi {
		return
	}
	var inner, part [lower + 1]region
	for st := range inner {
		inner[st] = l.inner(stage(st), s.done, lo, hi)
	}
	rows, end := l.tile, l.n[1]+2
	for row := 0; row < end; row += rows {
		for st := range inner {
			part[st] = inner[st]
			if row+rows < end {
				part[st] = part[st].before(stage(st), row+rows)
			}
			inner[st].y0 = max(inner[st].y0, part[st].y1)
		}
		s.sweep(k, hi, &part)
	}
}

// sweep does the stages up to s.done on all planes, each in its region.
func (s *solver) sweep(k, hi int, regions *[lower + 1]region) {
	for plane := regions[correct].z0; plane < hi+1+int(s.done); plane++ {
		for st := correct; st <= s.done; st++ {
			p, z := regions[st], plane-int(st)
			if st == lower { // the planes around an even z are complete; each gives one plane of the level below
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

// doRest does stage s.now of a level on the points that a wave has not done.
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

// do does a stage of level k on rows [from, to) of plane z; for stage lower, of the level below.
func (s *solver) do(st stage, k, z, from, to int) {
	if from >= to {
		return
	}
	l := &s.level[k]
	switch st {
	case correct:
		s.prolong(k, z, from, to)
	case smooth:
		s.apply(l, s.u[k], s.u[k], s.r[k], &s.smoother, z, from, to)
	case lower:
		s.restrict(k, z, from, to)
	default:
		s.apply(l, s.r[k], s.base(k), s.u[k], &s.operator, z, from, to)
	}
}

// planes returns the planes [lo, hi) of thread t on a level.
func (s *solver) planes(l *level, t int) (lo, hi int) {
	lo, hi = application.Part(l.n[2], t, s.rank.Team.Threads())
	return lo + 1, hi + 1
}
