package mg

import (
	"cmp"
	"slices"

	"gobench/comm"
	"gobench/kernels/npb/random"
)

// charges is the number of positive and also of negative unit charges.
const charges = 10

// site is a number of the random stream and its point, x + nx (y + ny z), which float64 represents
// exactly.
type site struct{ value, point float64 }

// charge sets v to +1 at the points with the ten largest numbers of the stream, to
// -1 at those with the ten smallest, and to 0 elsewhere ("zran3").
func (s *solver) charge() error {
	l := &s.level[s.top()]
	largest, smallest := extremes(l, s.n)
	mine := append(largest, smallest...)
	send := make([]float64, 0, 4*charges)
	for _, p := range mine {
		send = append(send, p.value, p.point)
	}
	all := make([]float64, len(send)*s.rank.Comm.Size())
	if err := comm.Allgather(s.rank.Comm, send, all); err != nil {
		return err
	}
	var high, low []site
	for i := 0; i < len(all); i += 2 {
		p := site{all[i], all[i+1]}
		if i/2/charges%2 == 0 {
			high = append(high, p)
		} else {
			low = append(low, p)
		}
	}
	slices.SortFunc(high, func(a, b site) int { return cmp.Compare(b.value, a.value) })
	slices.SortFunc(low, func(a, b site) int { return cmp.Compare(a.value, b.value) })
	clear(s.v)
	for i := range charges {
		l.put(s.v, s.n, int(high[i].point), 1)
		l.put(s.v, s.n, int(low[i].point), -1)
	}
	for z := 1; z <= l.n[2]; z++ {
		l.wrapX(s.v, z, 1, l.n[1]+1)
		l.wrapY(s.v, z)
	}
	return s.exchange(l, s.v)
}

// put sets a point of the grid if this rank holds it.
func (l *level) put(a []float64, n [3]int, point int, value float64) {
	at := [3]int{point % n[0], point / n[0] % n[1], point / (n[0] * n[1])}
	for i := range at {
		at[i] -= l.first[i]
		if at[i] < 0 || at[i] >= l.n[i] {
			return
		}
	}
	a[l.at(at[0]+1, at[1]+1, at[2]+1)] = value
}

// extremes returns the ten largest and the ten smallest numbers of the part of this rank of a grid
// of n points, unordered. A rank with fewer points adds sites with values outside of (0, 1), which
// are never among the ten.
func extremes(l *level, n [3]int) (largest, smallest []site) {
	row := make([]float64, l.n[0])
	for z := range l.n[2] {
		for y := range l.n[1] {
			point := l.first[0] + n[0]*(l.first[1]+y+n[1]*(l.first[2]+z))
			stream := random.At(random.Seed, uint64(point))
			stream.Fill(row)
			for x, v := range row {
				p := site{v, float64(point + x)}
				largest = keep(largest, p, func(a, b site) bool { return a.value < b.value })
				smallest = keep(smallest, p, func(a, b site) bool { return a.value > b.value })
			}
		}
	}
	for len(largest) < charges { // fewer points than charges
		largest, smallest = append(largest, site{-1, 0}), append(smallest, site{2, 0})
	}
	return largest, smallest
}

// keep inserts p into the ten best sites. best[0] is the worst of them.
func keep(best []site, p site, worse func(a, b site) bool) []site {
	if len(best) == charges && !worse(best[0], p) {
		return best
	}
	if len(best) < charges {
		best = append(best, p)
	} else {
		best[0] = p
	}
	worst := 0
	for i := range best {
		if worse(best[i], best[worst]) {
			worst = i
		}
	}
	best[0], best[worst] = best[worst], best[0]
	return best
}
