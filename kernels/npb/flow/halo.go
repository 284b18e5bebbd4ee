package flow

import (
	"gobench/comm"
	"gobench/kernels/application"
)

// none is the neighbour of a rank at the border of the grid, and the owner of zones of other ranks.
const none = -1

// A Halo exchanges the ghosts of all cells of a rank: one message to each neighbour along an axis,
// with the faces of all cells that have a neighbour there, in the order of cells.
type Halo struct {
	rank       *application.Rank
	comm       *comm.Comm
	faces      [3][2][]*Cell // along each axis, before and after
	neighbours [3][2]int     // ranks of comm, or none
	out, in    [3][2][]float64
	requests   []comm.Request
}

// NewHalo returns the halo of the cells of a rank in a grid of n points. Neighbours are ranks of c.
func NewHalo(r *application.Rank, c *comm.Comm, n [3]int, cells []*Cell, neighbours [3][2]int) *Halo {
	h := &Halo{rank: r, comm: c, neighbours: neighbours}
	messages := 0
	for axis := range n {
		for side := range 2 {
			var size int
			for _, cell := range cells {
				if side == 0 && cell.Lo[axis] > 0 || side == 1 && cell.Lo[axis]+cell.N[axis] < n[axis] {
					h.faces[axis][side] = append(h.faces[axis][side], cell)
					size += cell.face(axis)
				}
			}
			if h.faces[axis][side] == nil {
				h.neighbours[axis][side] = none
				continue
			}
			h.out[axis][side], h.in[axis][side] = make([]float64, size), make([]float64, size)
			messages += 2
		}
	}
	h.requests = make([]comm.Request, 0, messages)
	return h
}

// HaloMemory returns the bytes of the halos of all ranks, for cells with n points each. faces is
// the number of faces along each axis that have a neighbour.
func HaloMemory(n, faces [3]int) (bytes int64) {
	c := Cell{N: n}
	for axis := range n {
		bytes += 2 * 8 * int64(faces[axis]*c.face(axis))
	}
	return bytes
}

// face returns the numbers of the face of a cell along an axis.
func (c *Cell) face(axis int) int { return 5 * Ghosts * c.N[(axis+1)%3] * c.N[(axis+2)%3] }

// Exchange makes the ghosts of U valid.
func (h *Halo) Exchange() error {
	if cap(h.requests) == 0 {
		return nil
	}
	h.rank.Timers.Begin(application.Exchange)
	defer h.rank.Timers.Begin(application.Compute)
	h.requests = h.requests[:0]
	for axis := range h.neighbours {
		for side, peer := range h.neighbours[axis] {
			if peer == none {
				continue
			}
			q, err := comm.Irecv(h.comm, h.in[axis][side], peer, 2*axis+side)
			if err != nil {
				return err
			}
			h.requests = append(h.requests, q)
		}
	}
	for axis := range h.neighbours {
		for side, peer := range h.neighbours[axis] {
			if peer == none {
				continue
			}
			out := h.out[axis][side]
			at := 0
			for _, f := range h.faces[axis][side] {
				first := 0
				if side == 1 {
					first = f.N[axis] - Ghosts
				}
				f.layers(axis, first, func(row []float64) { at += copy(out[at:], row) })
			}
			q, err := comm.Isend(h.comm, out, peer, 2*axis+1-side)
			if err != nil {
				return err
			}
			h.rank.Profile.Sent(peer, 8*len(out))
			h.requests = append(h.requests, q)
		}
	}
	if err := comm.WaitAll(h.requests, nil); err != nil {
		return err
	}
	for axis := range h.neighbours {
		for side, peer := range h.neighbours[axis] {
			if peer == none {
				continue
			}
			in := h.in[axis][side]
			for _, f := range h.faces[axis][side] {
				first := -Ghosts
				if side == 1 {
					first = f.N[axis]
				}
				f.layers(axis, first, func(row []float64) { in = in[copy(row, in):] })
			}
		}
	}
	return nil
}

// layers calls f with the rows of both layers from first on along an axis.
func (c *Cell) layers(axis, first int, f func(row []float64)) {
	lo, n := [3]int{}, c.N
	lo[axis], n[axis] = first, Ghosts
	for k := lo[2]; k < lo[2]+n[2]; k++ {
		for j := lo[1]; j < lo[1]+n[1]; j++ {
			at := c.At(lo[0], j, k)
			for range 5 {
				f(c.U[at : at+n[0]])
				at += c.Comp
			}
		}
	}
}
