package cell

import "gobench/report/host"

// A group holds all points of a set that have equal factors. A set has few groups and many points,
// so functions on factors look at groups.
type group struct{ first Point }

// groups finds the group of a point.
type groups struct {
	known map[string]*group // by file, host, label and all factors
	hosts map[any]string    // hosts, label and map of a run
	key   []byte
}

func newGroups() *groups {
	return &groups{known: map[string]*group{}, hosts: map[any]string{}}
}

func (r *groups) of(p Point) *group {
	name, ok := r.hosts[p.Run]
	if !ok {
		name = host.Names(p.Run) + "\x00" + p.label() + "\x00" + mapText(p)
		r.hosts[p.Run] = name
	}
	r.key = append(append(append(append(r.key[:0], p.file...), 0), name...), 0)
	r.key = p.AppendCellKey(r.key)
	k := r.known[string(r.key)]
	if k == nil {
		k = &group{first: p}
		r.known[string(r.key)] = k
	}
	return k
}

// representatives returns the first point of each group, in the order of the points.
func representatives(points []Point) []Point {
	seen := map[*group]bool{}
	var some []Point
	for _, p := range points {
		if !seen[p.group] {
			seen[p.group] = true
			some = append(some, p)
		}
	}
	return some
}
