package flow

import (
	"fmt"
	"math"
	"slices"

	"gobench/kernels/npb"
)

// A Mesh holds the parameters of a class of a multi-zone code: points of the whole mesh, zones
// along x and y, steps and the length of a step.
type Mesh struct {
	N     [3]int
	Zones [2]int
	// Ratio of the widths of the largest and the smallest zone along an axis; 0 = equal zones.
	Ratio float64
	Steps int
	Dt    float64
}

// count returns the number of zones.
func (m *Mesh) count() int { return m.Zones[0] * m.Zones[1] }

// sizes returns the points of the zones along an axis ("zone_setup").
func (m *Mesh) sizes(axis int) []int {
	n, count := m.N[axis], m.Zones[axis]
	var list []int
	start := 0
	for i := 1; i <= count; i++ {
		end := i * n / count
		if m.Ratio > 0 {
			x := math.Exp(math.Log(m.Ratio) / float64(count-1))
			least := float64(n) * (x - 1) / (math.Pow(x, float64(count)) - 1)
			end = int(least*(math.Pow(x, float64(i))-1)/(x-1) + 0.45)
		}
		list = append(list, end-start)
		start = end
	}
	return list
}

// zone returns the points of a zone.
func (m *Mesh) zone(number int) [3]int {
	return [3]int{m.sizes(0)[number%m.Zones[0]], m.sizes(1)[number/m.Zones[0]], m.N[2]}
}

// beside returns the zone before (side 0) or after one along x or y, periodically.
func (m *Mesh) beside(number, axis, side int) int {
	at := [2]int{number % m.Zones[0], number / m.Zones[0]}
	n := m.Zones[axis]
	at[axis] = (at[axis] + 2*side - 1 + n) % n
	return at[0] + at[1]*m.Zones[0]
}

// blocks assigns the zones to ranks in blocks of as many zones along each axis, and returns nil
// where that is not possible ("map_zones" of SP-MZ and LU-MZ).
func (m *Mesh) blocks(ranks int) []int {
	rest, x := m.Zones[1]%ranks, 0
	for n := 1; n*n <= ranks; n++ {
		if ranks%n != 0 {
			continue
		}
		if r := m.Zones[0]%n + m.Zones[1]%(ranks/n); r <= rest {
			rest, x = r, n
		}
	}
	if rest != 0 || x == 0 {
		return nil
	}
	each := [2]int{m.Zones[0] / x, m.Zones[1] / (ranks / x)}
	owner := make([]int, m.count())
	for z := range owner {
		owner[z] = z%m.Zones[0]/each[0] + x*(z/m.Zones[0]/each[1])
	}
	return owner
}

// similar is the greatest difference of sizes, relative, of zones between which the one with more
// neighbours on a rank is chosen.
const similar = 0.05

// packed assigns the zones to ranks from the largest on, each to the rank with the least points so
// far ("map_zones").
func (m *Mesh) packed(ranks int) []int {
	zones := m.count()
	owner, size, order := make([]int, zones), make([]float64, zones), make([]int, zones)
	for z := range owner {
		n := m.zone(z)
		owner[z], size[z], order[z] = -1, float64(n[0]*n[1]*n[2]), z
	}
	for i := range order { // a selection sort, whose order of equal zones matters
		most := i
		for k := i + 1; k < zones; k++ {
			if size[order[k]] > size[order[most]] {
				most = k
			}
		}
		order[i], order[most] = order[most], order[i]
	}
	load := make([]float64, ranks)
	for first := 0; first < zones; {
		rank := 0
		for r := range load {
			if load[r] < load[rank] {
				rank = r
			}
		}
		largest := order[first]
		best, faces := largest, m.common(largest, rank, owner)
		for _, z := range order[first+1:] {
			if (size[largest]-size[z])/size[largest] > similar {
				break
			}
			if owner[z] < 0 {
				if f := m.common(z, rank, owner); f > faces {
					best, faces = z, f
				}
			}
		}
		owner[best] = rank
		load[rank] += size[best]
		for first < zones && owner[order[first]] >= 0 {
			first++
		}
	}
	return owner
}

// common returns the length of the faces that a zone shares with the zones of a rank.
func (m *Mesh) common(zone, rank int, owner []int) (length int) {
	n := m.zone(zone)
	for axis := range 2 {
		for side := range 2 {
			if owner[m.beside(zone, axis, side)] == rank {
				length += n[1-axis]
			}
		}
	}
	return length
}

// owners returns the rank of each zone. Equal zones are assigned in blocks if possible.
func (m *Mesh) owners(ranks int) []int {
	if m.Ratio == 0 {
		if owner := m.blocks(ranks); owner != nil {
			return owner
		}
	}
	return m.packed(ranks)
}

// of returns the zones of a rank.
func of(owner []int, rank int) (zones []int) {
	for z, r := range owner {
		if r == rank {
			zones = append(zones, z)
		}
	}
	return zones
}

// atMost returns a *npb.RanksError unless every rank can have a zone.
func (m *Mesh) atMost(kernel string, class npb.Class, ranks int) error {
	if ranks >= 1 && ranks <= m.count() {
		return nil
	}
	return &npb.RanksError{Kernel: kernel, Class: class, Ranks: ranks,
		Legal: fmt.Sprintf("1 to %d", m.count()), Near: []int{min(max(ranks, 1), m.count())}}
}

// speedup returns the greatest speedup that the assignment of zones to ranks allows.
func (m *Mesh) speedup(ranks int) float64 {
	load := make([]float64, ranks)
	var all float64
	for z, rank := range m.owners(ranks) {
		n := m.zone(z)
		points := float64(n[0] * n[1] * n[2])
		load[rank] += points
		all += points
	}
	return all / slices.Max(load)
}
