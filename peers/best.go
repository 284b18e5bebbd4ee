package main

// best returns the program with the lowest median time at one size among those of a group and role,
// and its times by round. The name is empty if none has a valid point.
func best(programs []program, all *results, group string, role role, size int) (program, map[int]float64) {
	var (
		winner program
		times  map[int]float64
		least  float64
	)
	for _, p := range programs {
		if p.group != group || p.role != role {
			continue
		}
		s := all.series(p, size, halfRTT)
		if len(s) == 0 {
			continue
		}
		if m := middle(values(s)); winner.name == "" || m < least {
			winner, times, least = p, s, m
		}
	}
	return winner, times
}

// find returns the program with the given group and name.
func find(programs []program, group, name string) program {
	for _, p := range programs {
		if p.group == group && p.name == name {
			return p
		}
	}
	panic("peers: no program " + name + " over " + group)
}
