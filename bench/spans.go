package bench

// spans collects what the ranks say about the samples of a block.
type spans struct {
	follow bool // samples follow each other without a gate: StartNone
	late   []bool
	groups []span
}

// span is what the ranks of one group say. Times are in ns on the clock of all.
type span struct {
	ranks int     // that have said something
	first []int64 // when the first rank began each sample
	begun []int64 // when the last rank began
	last  []int64 // when the last rank ended
	long  []int64 // the longest time of a rank
	short []int64
}

// reset begins a block of so many samples of groups.
func (s *spans) reset(samples, groups int) {
	s.late = append(s.late[:0], make([]bool, samples)...)
	for len(s.groups) < groups {
		s.groups = append(s.groups, span{})
	}
	s.groups = s.groups[:groups]
	for i := range s.groups {
		g := &s.groups[i]
		g.ranks = 0
		for _, list := range []*[]int64{&g.first, &g.begun, &g.last, &g.long, &g.short} {
			*list = append((*list)[:0], make([]int64, samples)...)
		}
	}
}

// add takes in the stamps of a rank of a group. It reports whether they are as many as they
// should be.
func (s *spans) add(stamps []int64, group int) bool {
	if len(stamps) != 2*len(s.late) {
		return false
	}
	g := &s.groups[group]
	for i := range s.late {
		begin, end := stamps[2*i], stamps[2*i+1]
		if begin < 0 {
			begin, s.late[i] = -begin, true
		}
		if g.ranks == 0 {
			g.first[i], g.begun[i], g.last[i], g.long[i], g.short[i] = begin, begin, end, end-begin, end-begin
			continue
		}
		g.first[i] = min(g.first[i], begin)
		g.begun[i] = max(g.begun[i], begin)
		g.last[i] = max(g.last[i], end)
		g.long[i] = max(g.long[i], end-begin)
		g.short[i] = min(g.short[i], end-begin)
	}
	g.ranks++
	return true
}

// global is the time of sample i on the clock of all ranks.
func (g *span) global(i int, follow bool) int64 {
	switch {
	case follow && i == 0:
		return g.last[i] - g.begun[i]
	case follow:
		return g.last[i] - g.last[i-1]
	}
	return g.last[i] - g.first[i]
}

// times writes the global times of valid samples, their local times, the
// differences among the ranks and their starts into m, of several groups those of the
// slowest (IMB's -multi). It returns how many were not valid.
func (s *spans) times(m *merger) (invalid int) {
	m.times, m.local, m.skew, m.starts = m.times[:0], m.local[:0], m.skew[:0], m.starts[:0]
	for i, late := range s.late {
		global, local, skew, start := int64(0), int64(0), int64(0), s.groups[0].first[i]
		for j := range s.groups {
			g := &s.groups[j]
			t := g.global(i, s.follow)
			late = late || t <= 0 // the clocks differ by more than the event takes
			global, local = max(global, t), max(local, g.long[i])
			skew, start = max(skew, g.long[i]-g.short[i]), min(start, g.first[i])
		}
		if late {
			invalid++
			continue
		}
		m.times = append(m.times, global)
		m.local = append(m.local, local)
		m.skew = append(m.skew, skew)
		m.starts = append(m.starts, start)
	}
	return invalid
}
