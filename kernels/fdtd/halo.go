package fdtd

import (
	"cmp"
	"unsafe"

	"gobench/comm"
	"gobench/internal/simd"
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
		err = cmp.Or(err, e)
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

// border updates the points that depend on the halo, after it has arrived, and packs the columns
// for the neighbours.
func (s *Solver[T]) border() {
	h := s.halo
	if h.has(south) {
		s.kernel.Magnetic(s.hx.row(-1, 0, s.nx), s.e.row(-1, 0, s.nx), s.e.row(0, 0, s.nx), s.c)
	}
	if h.has(north) {
		s.kernel.Magnetic(s.hx.row(s.ny-1, 0, s.nx), s.e.row(s.ny-1, 0, s.nx), s.e.row(s.ny, 0, s.nx), s.c)
	}
	if h.has(west) || h.has(east) {
		for j := range s.ny {
			s.borderH(j)
			if j >= s.sweep.y0 && j < s.sweep.y1 {
				s.borderE(j)
			}
		}
	}
	// Whole rows that depend on the halo. A single row is both.
	if h.has(south) {
		s.electricRow(0)
	}
	if h.has(north) && !(s.ny == 1 && h.has(south)) {
		s.electricRow(s.ny - 1)
	}
	s.packRow(0)
	s.packRow(s.ny - 1)
}

// borderH updates Hy of row j at the west and east sides, with Ez of the neighbours from the
// buffers.
func (s *Solver[T]) borderH(j int) {
	if in := s.halo.in[east]; in != nil {
		h := s.hy.at(j, s.nx-1)
		*h = simd.YeeH(*h, in[j], *s.e.at(j, s.nx-1), s.c)
	}
	if in := s.halo.in[west]; in != nil {
		h := s.hy.at(j, -1)
		*h = simd.YeeH(*h, *s.e.at(j, 0), in[j], s.c)
	}
}

// borderE updates Ez of row j at the west and east sides. A single column is both.
func (s *Solver[T]) borderE(j int) {
	if out := s.halo.out[west]; out != nil {
		out[j] = s.electricAt(j, 0)
		if s.nx == 1 && s.halo.out[east] != nil {
			s.halo.out[east][j] = out[j]
			return
		}
	}
	if out := s.halo.out[east]; out != nil {
		out[j] = s.electricAt(j, s.nx-1)
	}
}

// electricAt updates Ez at one point and returns it.
func (s *Solver[T]) electricAt(j, i int) T {
	e := s.e.at(j, i)
	*e = simd.YeeE(*e, *s.hy.at(j, i), *s.hy.at(j, i-1), *s.hx.at(j, i), *s.hx.at(j-1, i), s.c)
	return *e
}

func (s *Solver[T]) electricRow(j int) {
	s.kernel.Electric(s.e.row(j, 0, s.nx), s.hx.row(j, 0, s.nx), s.hx.row(j-1, 0, s.nx), s.hy.row(j, -1, s.nx+1), s.c)
}

// packRow copies both ends of row j into the send buffers of the columns.
func (s *Solver[T]) packRow(j int) {
	s.halo.pack(j, 0, *s.e.at(j, 0))
	s.halo.pack(j, s.nx-1, *s.e.at(j, s.nx-1))
}

// packAll copies the columns into their send buffers, after Ez was set by other means than a step.
func (s *Solver[T]) packAll() {
	for j := range s.ny {
		s.packRow(j)
	}
}

// pack copies a point into the send buffers of the columns that contain it.
func (h *halo[T]) pack(j, i int, v T) {
	if i == 0 && h.out[west] != nil {
		h.out[west][j] = v
	}
	if out := h.out[east]; out != nil && i == h.last {
		out[j] = v
	}
}
