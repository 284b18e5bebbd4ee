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
	rank     *application.Rank
	comm     *comm.Comm
	sides    []haloSide
	requests []comm.Request
}

// A haloSide is the exchange with the neighbour before (side 0) or after along an axis.
type haloSide struct {
	axis, side int
	peer       int // rank of comm
	faces      []*Cell
	out, in    []float64
}

// NewHalo returns the halo of the cells of a rank in a grid of n points. Neighbours are ranks of c.
func NewHalo(r *application.Rank, c *comm.Comm, n [3]int, cells []*Cell, neighbours [3][2]int) *Halo {
	h := &Halo{rank: r, comm: c}
	for axis := range n {
		for side, peer := range neighbours[axis] {
			s, size := haloSide{axis: axis, side: side, peer: peer}, 0
			for _, cell := range cells {
				if side == 0 && cell.Lo[axis] > 0 || side == 1 && cell.Lo[axis]+cell.N[axis] < n[axis] {
					s.faces = append(s.faces, cell)
					size += cell.face(axis)
				}
			}
			if s.faces != nil && peer != none {
				s.out, s.in = make([]float64, size), make([]float64, size)
				h.sides = append(h.sides, s)
			}
		}
	}
	h.requests = make([]comm.Request, 0, 2*len(h.sides))
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
	if len(h.sides) == 0 {
		return nil
	}
	h.rank.Timers.Begin(application.Exchange)
	defer h.rank.Timers.Begin(application.Compute)
	h.requests = h.requests[:0]
	for i := range h.sides {
		s := &h.sides[i]
		q, err := comm.Irecv(h.comm, s.in, s.peer, 2*s.axis+s.side)
		if err != nil {
			return err
		}
		h.requests = append(h.requests, q)
	}
	for i := range h.sides {
		s, at := &h.sides[i], 0
		for _, f := range s.faces {
			first := s.side * (f.N[s.axis] - Ghosts)
			f.layers(s.axis, first, func(row []float64) { at += copy(s.out[at:], row) })
		}
		q, err := comm.Isend(h.comm, s.out, s.peer, 2*s.axis+1-s.side)
		if err != nil {
			return err
		}
		h.rank.Profile.Sent(s.peer, 8*len(s.out))
		h.requests = append(h.requests, q)
	}
	if err := comm.WaitAll(h.requests, nil); err != nil {
		return err
	}
	for i := range h.sides {
		s := &h.sides[i]
		in := s.in
		for _, f := range s.faces {
			first := -Ghosts
			if s.side == 1 {
				first = f.N[s.axis]
			}
			f.layers(s.axis, first, func(row []float64) { in = in[copy(row, in):] })
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
