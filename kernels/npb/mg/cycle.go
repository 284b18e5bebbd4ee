package mg

// vcycle does one V-cycle ("mg3P") and computes the residual after it. From the residual r at the
// top it computes the correction level by level and adds it to u.
func (s *solver) vcycle() error {
	top := s.top()
	for k := top; k > 1; k-- {
		if err := s.descend(k); err != nil {
			return err
		}
	}
	clear(s.u[1])
	if err := s.complete(1, smooth, nothing); err != nil {
		return err
	}
	for k := 2; k <= top; k++ {
		if err := s.rise(k); err != nil {
			return err
		}
	}
	return nil
}

// descend restricts the residual of level k to the level below. At the top it does the points that
// the wave of the cycle before has not done.
func (s *solver) descend(k int) error {
	s.now, s.done = lower, nothing
	if k == s.top() {
		s.done = s.ahead
	}
	s.run(s.rest, k)
	if k-1 == s.gathered && s.gathered > 0 {
		return s.gather.bring(&s.level[k-1], s.r[k-1], &s.staging, s.stage)
	}
	return s.exchange(&s.level[k-1], s.r[k-1])
}

// rise does all stages of level k: a wave over the points that do not depend on ghosts of its own
// results, and then the other points stage by stage. At the top the wave also restricts for the
// next cycle; after the last cycle that result is not used.
func (s *solver) rise(k int) error {
	last, done := smooth, smooth
	if k == s.top() {
		last, done = again, lower
	}
	if s.level[k].parts[0] > 1 { // every row has ghosts of another rank
		done = residual
	}
	s.done = done
	s.run(s.wave, k)
	for st := residual; st <= last; st++ {
		if err := s.complete(k, st, done); err != nil {
			return err
		}
	}
	s.ahead = done
	return nil
}

// complete does a stage on the points of level k that a wave with stages up to done has not done,
// and makes the ghosts of the result valid.
func (s *solver) complete(k int, st, done stage) error {
	s.now, s.done = st, done
	s.run(s.rest, k)
	if st == smooth {
		return s.exchange(&s.level[k], s.u[k])
	}
	return s.exchange(&s.level[k], s.r[k])
}

// residual sets r at the top to v - A u.
func (s *solver) residual() error {
	s.ahead = nothing
	return s.complete(s.top(), residual, nothing)
}
