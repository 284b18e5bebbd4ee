package flow

import (
	"slices"

	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// Stepper returns a step of BT or SP.
func Stepper(r *application.Rank, code *Code, class npb.Class, m Method) func() error {
	p := newPartitioned(r, code, class, m)
	p.Start()
	return p.step
}

// Sends returns what a rank of p x p sends in a run of BT or SP, by theory: in each step two layers
// of the faces between cells, and for each line through a border of cells the state of the solver
// forth and back.
func Sends(s Size, p int, m Method, rank int) application.Traffic {
	var t application.Traffic
	part := NewPartition(rank, p*p)
	for axis := range 3 {
		sides := [2]bool{}
		for cell := range p {
			at := part.Position(cell)
			var n [3]int
			for i := range n {
				_, n[i] = Slab(s.N, at[i], p)
			}
			face := int64(n[(axis+1)%3] * n[(axis+2)%3])
			lines := int64(1)
			for _, other := range []int{(axis + 1) % 3, (axis + 2) % 3} {
				inside := n[other]
				if at[other] == 0 {
					inside--
				}
				if at[other] == p-1 {
					inside--
				}
				lines *= int64(inside)
			}
			for side, there := range [2]bool{at[axis] > 0, at[axis] < p-1} {
				if !there {
					continue
				}
				sides[side] = true
				t.Bytes += 8 * 5 * Ghosts * face
				state := int64(m.Backward)
				if side == 1 {
					state = int64(m.Forth)
				}
				t.Bytes += 8 * lines * state
				t.Messages++
			}
		}
		for _, there := range sides {
			if there {
				t.Messages++
			}
		}
	}
	t.Messages *= int64(s.Steps)
	t.Bytes *= int64(s.Steps)
	return t
}

// ZonedStepper returns a step of a multi-zone code.
func ZonedStepper(r *application.Rank, code *ZonedCode, class npb.Class) func() error {
	z := newZoned(r, code, class)
	z.zones.Prepare()
	return z.step
}

// Sizes returns the points of the zones along an axis.
func Sizes(m *Mesh, axis int) []int { return m.sizes(axis) }

// Owners returns the rank of each zone.
func Owners(m *Mesh, ranks int) []int { return m.owners(ranks) }

// ThreadLoads returns the mean and the greatest number of points that a thread of rank 0 works on,
// with its part of those that all work on together.
func ThreadLoads(m *Mesh, ranks, threads int) (mean, largest float64) {
	zones := of(m.owners(ranks), 0)
	thread, size := m.threads(zones, threads), m.points()
	load := make([]float64, threads)
	for _, z := range zones {
		mean += size[z] / float64(threads)
		for own := range load {
			switch thread[z] {
			case own:
				load[own] += size[z]
			case shared:
				load[own] += size[z] / float64(threads)
			}
		}
	}
	return mean, slices.Max(load)
}

// SharedZones returns the number of zones that all threads of rank 0 work on together.
func SharedZones(m *Mesh, ranks, threads int) int {
	return len(of(m.threads(of(m.owners(ranks), 0), threads), shared))
}

// Speedup returns the greatest speedup that the assignment of zones allows.
func Speedup(m *Mesh, ranks int) float64 { return m.speedup(ranks) }

// Bound returns the greatest speedup that any assignment allows: no zone is divided.
func Bound(m *Mesh, ranks int) float64 {
	var all, largest float64
	for z := range m.count() {
		n := m.zone(z)
		points := float64(n[0] * n[1] * n[2])
		all += points
		largest = max(largest, points)
	}
	bound := min(float64(ranks), all/largest)
	if m.Ratio == 0 { // a rank has whole zones
		bound = float64(m.count()) / float64((m.count()+ranks-1)/ranks)
	}
	return bound
}
