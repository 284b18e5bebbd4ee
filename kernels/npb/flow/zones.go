package flow

import (
	"cmp"
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
			smallest := float64(n) * (x - 1) / (math.Pow(x, float64(count)) - 1)
			end = int(smallest*(math.Pow(x, float64(i))-1)/(x-1) + 0.45)
		}
		list = append(list, end-start)
		start = end
	}
	return list
}

// narrowest returns the least number of points of a zone along an axis.
func (m *Mesh) narrowest() int {
	return min(m.N[2], slices.Min(m.sizes(0)), slices.Min(m.sizes(1)))
}

// zone returns the points of a zone.
func (m *Mesh) zone(number int) [3]int {
	return [3]int{m.sizes(0)[number%m.Zones[0]], m.sizes(1)[number/m.Zones[0]], m.N[2]}
}

// points returns the points of each zone.
func (m *Mesh) points() (list []float64) {
	x, y := m.sizes(0), m.sizes(1)
	for _, b := range y {
		for _, a := range x {
			list = append(list, float64(a*b*m.N[2]))
		}
	}
	return list
}

// beside returns the zone before (side 0) or after one along x or y, periodically.
func (m *Mesh) beside(number, axis, side int) int {
	at := [2]int{number % m.Zones[0], number / m.Zones[0]}
	n := m.Zones[axis]
	at[axis] = (at[axis] + 2*side - 1 + n) % n
	return at[0] + at[1]*m.Zones[0]
}

// blocks assigns the zones to ranks in blocks of equal numbers of zones along each axis, and
// returns nil if that is not possible ("map_zones" of SP-MZ and LU-MZ).
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

// similar is a relative difference of zone sizes. Among zones that differ by at most this much from
// the largest, packed chooses the one with the longest faces to zones of the rank.
const similar = 0.05

// packed assigns zones to owners from the largest on, each to the owner with the least points so
// far ("map_zones"). Zones that are not in the list have the owner none.
func (m *Mesh) packed(zones []int, owners int) []int {
	owner, size := slices.Repeat([]int{none}, m.count()), m.points()
	widths := [2][]int{m.sizes(0), m.sizes(1)}
	order := slices.Clone(zones)
	for i := range order { // a selection sort, whose order of equal zones matters
		largest := i
		for k := i + 1; k < len(order); k++ {
			if size[order[k]] > size[order[largest]] {
				largest = k
			}
		}
		order[i], order[largest] = order[largest], order[i]
	}
	load := make([]float64, owners)
	for first := 0; first < len(order); {
		to := 0
		for other := range load {
			if load[other] < load[to] {
				to = other
			}
		}
		largest := order[first]
		best, faces := largest, m.common(widths, largest, to, owner)
		for _, z := range order[first+1:] {
			if (size[largest]-size[z])/size[largest] > similar {
				break
			}
			if owner[z] == none {
				if f := m.common(widths, z, to, owner); f > faces {
					best, faces = z, f
				}
			}
		}
		owner[best] = to
		load[to] += size[best]
		for first < len(order) && owner[order[first]] != none {
			first++
		}
	}
	return owner
}

// common returns the length of the faces that a zone shares with the zones of a rank. widths are
// the sizes along both axes: class E has 4096 zones, each of which is compared with all.
func (m *Mesh) common(widths [2][]int, zone, rank int, owner []int) (length int) {
	n := [2]int{widths[0][zone%m.Zones[0]], widths[1][zone/m.Zones[0]]}
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
	all := make([]int, m.count())
	for z := range all {
		all[z] = z
	}
	return m.packed(all, ranks)
}

// shared is the thread of zones that all threads of a rank work on together.
const shared = -2

// sharing is the relative cost of working on a zone together: threads wait for each other after
// each stage, and each reads values along one axis that others wrote along the previous one.
const sharing = 0.1

// threads assigns the zones of a rank to its threads: whole zones to one each, and the largest to
// all together where that takes less time than an unequal load.
func (m *Mesh) threads(zones []int, threads int) []int {
	size := m.points()
	order := slices.SortedStableFunc(slices.Values(zones), func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	var rest float64
	for _, z := range order {
		rest += size[z]
	}
	var thread []int
	shortest, together := math.Inf(1), 0.0 // time, in points of one thread
	for k := range len(order) + 1 {
		if together+rest/float64(threads) >= shortest {
			break // nor is it less with more zones
		}
		owner := m.packed(order[k:], threads)
		if t := together + slices.Max(m.loads(owner, threads)); t < shortest {
			for _, z := range order[:k] {
				owner[z] = shared
			}
			shortest, thread = t, owner
		}
		if k < len(order) {
			together += (1 + sharing) * size[order[k]] / float64(threads)
			rest -= size[order[k]]
		}
	}
	return thread
}

// loads returns the points of each owner.
func (m *Mesh) loads(owner []int, owners int) []float64 {
	load := make([]float64, owners)
	for z, n := range m.points() {
		if owner[z] >= 0 {
			load[owner[z]] += n
		}
	}
	return load
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

// within returns a *npb.RanksError unless every rank can have a zone.
func (m *Mesh) within(kernel string, class npb.Class, ranks int) error {
	if ranks >= 1 && ranks <= m.count() {
		return nil
	}
	return &npb.RanksError{Kernel: kernel, Class: class, Ranks: ranks,
		Legal: fmt.Sprintf("1 to %d", m.count()), Near: []int{min(max(ranks, 1), m.count())}}
}

// speedup returns the greatest speedup that the assignment of zones to ranks allows.
func (m *Mesh) speedup(ranks int) float64 {
	load := m.loads(m.owners(ranks), ranks)
	var all float64
	for _, points := range load {
		all += points
	}
	return all / slices.Max(load)
}
