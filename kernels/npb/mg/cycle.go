package mg

// vcycle is one V-cycle ("mg3P") and the residual after it: from the residual r at
// the top it computes the correction level by level, and adds it to u.
func (s *solver) vcycle() error {
	top := s.top()
	for k := top; k > 1; k-- {
		if err := s.descend(k); err != nil {
			return err
		}
	}
	clear(s.u[1])
	s.run(s.smooth, 1)
	if err := s.exchange(&s.level[1], s.u[1]); err != nil {
		return err
	}
	for k := 2; k < top; k++ {
		if err := s.rise(k); err != nil {
			return err
		}
		s.run(s.smooth, k)
		if err := s.exchange(&s.level[k], s.u[k]); err != nil {
			return err
		}
	}
	if err := s.rise(top); err != nil {
		return err
	}
	return s.last()
}

// descend restricts the residual of level k to the level below.
func (s *solver) descend(k int) error {
	s.run(s.lower, k)
	if k-1 == s.gathered && s.gathered > 0 {
		return s.gather.bring(&s.level[k-1], s.r[k-1], &s.staging, s.stage)
	}
	return s.exchange(&s.level[k-1], s.r[k-1])
}

// rise adds the correction of the level below to u and takes the residual.
func (s *solver) rise(k int) error {
	s.run(s.prolongResid, k)
	s.run(s.boundary, k)
	return s.exchange(&s.level[k], s.r[k])
}

// last smooths at the top and takes the residual for the next cycle or the norm.
func (s *solver) last() error {
	top := s.top()
	l := &s.level[top]
	if l.parts[0] > 1 { // every row has ghosts of another rank
		s.run(s.smooth, top)
		if err := s.exchange(l, s.u[top]); err != nil {
			return err
		}
		return s.residual()
	}
	s.run(s.smoothResid, top)
	if err := s.exchange(l, s.u[top]); err != nil {
		return err
	}
	s.run(s.finish, top)
	return s.exchange(l, s.r[top])
}

// residual sets r at the top to v - A u.
func (s *solver) residual() error {
	s.run(s.resid, s.top())
	return s.exchange(&s.level[s.top()], s.r[s.top()])
}
