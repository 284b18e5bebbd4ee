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

// opposite returns the side of the neighbour that touches side s of this block.
func (s side) opposite() side { return s ^ 1 }

// halo exchanges Ez along the sides of a block with its neighbours.
type halo[T Real] struct {
	peers    [sides]int // ranks; comm.ProcNull at a wall
	requests []comm.Request
	out, in  [sides][]T // buffers of columns, nil for rows and at a wall
	bytes    [sides]int // sent to each side in a step
	last     int        // index of the last point of a row
}

// newHalo makes the persistent requests that every step starts. Rows of e are sent and received in
// place.
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

// start starts the exchange. The rows that are sent and received in place must not be written
// before wait returns.
func (h *halo[T]) start(profile *application.Profile) error {
	for s, peer := range h.peers {
		profile.Sent(peer, h.bytes[s])
	}
	return comm.StartAll(h.requests)
}

// progress makes progress on the messages without waiting.
func (h *halo[T]) progress() error {
	_, err := comm.TestAll(h.requests, nil)
	return err
}

func (h *halo[T]) wait() error { return comm.WaitAll(h.requests, nil) }
