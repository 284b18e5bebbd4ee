package mg

import (
	"gobench/comm"
	"gobench/kernels/application"
)

// halo exchanges the ghosts of distributed levels with the neighbours ("comm3"). Its buffers fit
// the faces of the finest level.
type halo struct {
	rank      *application.Rank
	neighbour [3][2]int // the rank before and after this one along each axis
	out, in   [2][]float64
	requests  [4]comm.Request
}

func newHalo(r *application.Rank, d [3]int, finest level) halo {
	h := halo{rank: r}
	here := coordinates(r.Comm.Rank(), d)
	for axis := range d {
		if d[axis] == 1 {
			continue
		}
		for side := range 2 {
			there := here
			there[axis] += 2*side - 1
			h.neighbour[axis][side] = number(there, d)
		}
	}
	largest := finest.shared()
	for side := range 2 {
		h.out[side], h.in[side] = make([]float64, largest), make([]float64, largest)
	}
	return h
}

// shared returns the values of the largest face that a rank shares with another one.
func (l *level) shared() (largest int) {
	for axis, parts := range l.parts {
		if parts > 1 {
			largest = max(largest, l.face(axis))
		}
	}
	return largest
}

// face returns the number of values that a rank sends to each side along an axis. Along y they
// include the ghosts along x, along z both, so that edges and corners arrive through the
// neighbours.
func (l *level) face(axis int) int {
	switch axis {
	case 0:
		return l.n[1] * l.n[2]
	case 1:
		return (l.n[0] + 2) * l.n[2]
	default:
		return (l.n[0] + 2) * (l.n[1] + 2)
	}
}

// exchange makes the ghosts of a valid, except those along x of a rank with whole rows, which are
// set together with the rows.
func (s *solver) exchange(l *level, a []float64) error {
	for axis := range l.parts {
		if l.parts[axis] > 1 {
			if err := s.halo.swap(l, a, axis); err != nil {
				return err
			}
		} else if axis == 1 {
			for z := 1; z <= l.n[2]; z++ {
				l.wrapY(a, z)
			}
		}
	}
	l.wrapZ(a)
	return nil
}

// swap sends the outermost points of both sides along an axis and receives ghosts. The tag
// distinguishes the sides if both neighbours are the same rank.
func (h *halo) swap(l *level, a []float64, axis int) error {
	n := l.face(axis)
	h.rank.Timers.Begin(application.Exchange)
	defer h.rank.Timers.Begin(application.Compute)
	c := h.rank.Comm
	for side := range 2 {
		var err error
		if h.requests[side], err = comm.Irecv(c, h.in[side][:n], h.neighbour[axis][side], tag(axis, side)); err != nil {
			return err
		}
	}
	for side := range 2 {
		to := h.neighbour[axis][side]
		l.pack(h.out[side], a, axis, l.edge(axis, side))
		var err error
		if h.requests[2+side], err = comm.Isend(c, h.out[side][:n], to, tag(axis, 1-side)); err != nil {
			return err
		}
		h.rank.Profile.Sent(to, 8*n)
	}
	if err := comm.WaitAll(h.requests[:], nil); err != nil {
		return err
	}
	for side := range 2 {
		l.unpack(a, h.in[side], axis, side*(l.n[axis]+1))
	}
	return nil
}

// tag returns the tag of messages that arrive from a side.
func tag(axis, side int) int { return 2*axis + side }

// edge returns the index of the outermost points of a side.
func (l *level) edge(axis, side int) int {
	if side == 0 {
		return 1
	}
	return l.n[axis]
}

// pack copies the points with an index along an axis into a message.
func (l *level) pack(out, a []float64, axis, index int) {
	switch axis {
	case 0:
		for z := 1; z <= l.n[2]; z++ {
			for y := 1; y <= l.n[1]; y++ {
				out[(z-1)*l.n[1]+y-1] = a[l.at(index, y, z)]
			}
		}
	case 1:
		for z := 1; z <= l.n[2]; z++ {
			copy(out[(z-1)*(l.n[0]+2):z*(l.n[0]+2)], a[l.at(0, index, z):])
		}
	default:
		for y := range l.n[1] + 2 {
			copy(out[y*(l.n[0]+2):(y+1)*(l.n[0]+2)], a[l.at(0, y, index):])
		}
	}
}

// unpack copies a message to the points with an index along an axis.
func (l *level) unpack(a, in []float64, axis, index int) {
	switch axis {
	case 0:
		for z := 1; z <= l.n[2]; z++ {
			for y := 1; y <= l.n[1]; y++ {
				a[l.at(index, y, z)] = in[(z-1)*l.n[1]+y-1]
			}
		}
	case 1:
		for z := 1; z <= l.n[2]; z++ {
			copy(a[l.at(0, index, z):], in[(z-1)*(l.n[0]+2):z*(l.n[0]+2)])
		}
	default:
		for y := range l.n[1] + 2 {
			copy(a[l.at(0, y, index):], in[y*(l.n[0]+2):(y+1)*(l.n[0]+2)])
		}
	}
}
