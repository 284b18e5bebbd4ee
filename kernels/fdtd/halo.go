package fdtd

import (
	"unsafe"

	"gobench/comm"
	"gobench/kernels/application"
)

// side is one of the four sides of a block.
type side int

const (
	south side = iota // below row 0
	north
	west // before point 0
	east
	sides
)

// opposite is the side on which the neighbour sees this block.
func (s side) opposite() side { return s ^ 1 }

// halo exchanges Ez along the sides of a block with its neighbours.
type halo[T Real] struct {
	peers    [sides]int // ranks; comm.ProcNull at a wall
	requests []comm.Request
	// Columns, as they are sent and received. Nil at a wall.
	out, in [sides][]T
	bytes   [sides]int // of what is sent to each side
	last    int        // point of a row
}

// newHalo makes the requests that every step starts again. Rows of e are sent and
// received in place.
func newHalo[T Real](cart *comm.Cart, k block, e *field[T]) (*halo[T], error) {
	h := &halo[T]{last: k.nx - 1}
	var err error
	if h.peers[south], h.peers[north], err = cart.Shift(0, 1); err != nil {
		return nil, err
	}
	if h.peers[west], h.peers[east], err = cart.Shift(1, 1); err != nil {
		return nil, err
	}
	add := func(r comm.Request, e error) {
		h.requests = append(h.requests, r)
		if err == nil {
			err = e
		}
	}
	for s := range sides {
		if !h.has(s) {
			continue
		}
		var out, in []T
		switch s {
		case south:
			out, in = e.row(0, 0, k.nx), e.row(-1, 0, k.nx)
		case north:
			out, in = e.row(k.ny-1, 0, k.nx), e.row(k.ny, 0, k.nx)
		default:
			out, in = make([]T, k.ny), make([]T, k.ny)
			h.out[s], h.in[s] = out, in
		}
		h.bytes[s] = len(out) * int(unsafe.Sizeof(T(0)))
		add(comm.RecvInit(cart.Comm, in, h.peers[s], int(s.opposite())))
		add(comm.SendInit(cart.Comm, out, h.peers[s], int(s)))
	}
	return h, err
}

// has reports whether there is a neighbour, not a wall.
func (h *halo[T]) has(s side) bool { return h.peers[s] != comm.ProcNull }

// start starts the exchange. What is sent and received in place may not be written until wait.
func (h *halo[T]) start(profile *application.Profile) error {
	for s, peer := range h.peers {
		profile.Sent(peer, h.bytes[s])
	}
	return comm.StartAll(h.requests)
}

// progress lets messages move on.
func (h *halo[T]) progress() error {
	_, err := comm.TestAll(h.requests, nil)
	return err
}

func (h *halo[T]) wait() error { return comm.WaitAll(h.requests, nil) }
