package flow

import (
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
		_, rows := across(axis)
		sides := [2]bool{}
		for cell := range p {
			at := part.Place(cell)
			var n [3]int
			for i := range n {
				_, n[i] = Slab(s.N, at[i], p)
			}
			face := int64(n[(axis+1)%3] * n[(axis+2)%3])
			lines := n[rows]
			if at[rows] == 0 {
				lines--
			}
			if at[rows] == p-1 {
				lines--
			}
			passing := int64(lines) * face / int64(n[rows])
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
				t.Bytes += 8 * passing * state
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
