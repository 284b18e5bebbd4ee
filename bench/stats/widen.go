package stats

// Widen makes an interval that reaches less than floor from the median to either side reach so
// far: no interval is narrower than what the clock can tell. A summary without interval keeps
// none. The lower bound stays above zero.
func (s Summary) Widen(floor float64) Summary {
	if s.Confidence == 0 || floor <= 0 {
		return s
	}
	if lo := s.P50 - floor; lo > 0 {
		s.Lo = min(s.Lo, lo)
	}
	s.Hi = max(s.Hi, s.P50+floor)
	return s
}
