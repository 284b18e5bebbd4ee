package cell

import "gobench/report/host"

// kin is all points of a set whose factors are alike. There are few of them
// where there are many points, so questions about factors are asked of kin.
type kin struct{ first Point }

// relatives finds the kin of points.
type relatives struct {
	known map[string]*kin // by file, host and all factors
	hosts map[any]string  // of runs
	key   []byte
}

func newRelatives() *relatives {
	return &relatives{known: map[string]*kin{}, hosts: map[any]string{}}
}

func (r *relatives) of(p Point) *kin {
	name, ok := r.hosts[p.Run]
	if !ok {
		name = host.Names(p.Run)
		r.hosts[p.Run] = name
	}
	r.key = append(append(append(append(r.key[:0], p.File...), 0), name...), 0)
	r.key = p.AppendCellKey(r.key)
	k := r.known[string(r.key)]
	if k == nil {
		k = &kin{first: p}
		r.known[string(r.key)] = k
	}
	return k
}

// representatives are one point of each kin, in the order of the points.
func representatives(points []Point) []Point {
	seen := map[*kin]bool{}
	var some []Point
	for _, p := range points {
		if !seen[p.kin] {
			seen[p.kin] = true
			some = append(some, p)
		}
	}
	return some
}
