package flow

import (
	"gobench/comm"
	"gobench/kernels/application"
)

// A face is a plane of constant x or y of a cell, without its edges, or its values in a message. It
// has a row of numbers for each z and each of the five components.
type face struct {
	a                     []float64
	at, plane, comp, step int // first number, and from a plane, a component and a number to the next
}

// border returns a plane of a cell as a face.
func (c *Cell) border(axis, plane int) face {
	first := [3]int{1, 1, 1}
	first[axis] = plane
	f := face{c.U, c.At(first[0], first[1], first[2]), c.Z, c.Comp, 1}
	if axis == 0 {
		f.step = c.Y
	}
	return f
}

// values returns a face whose values are in a message from an index on.
func values(message []float64, at, numbers int) face {
	return face{message, at, 5 * numbers, numbers, 1}
}

// A border copies the plane of a zone next to one of its faces to the face of the neighbour zone
// there ("exch_qbc"). Source or destination is in a message if the zones belong to different ranks.
type border struct {
	from, to        face
	numbers, planes int // in a row, and rows of each component
}

// set copies the values.
func (b *border) set() {
	from, to := &b.from, &b.to
	for k := range b.planes {
		for m := range 5 {
			source, at := from.at+k*from.plane+m*from.comp, to.at+k*to.plane+m*to.comp
			if from.step == 1 && to.step == 1 {
				copy(to.a[at:at+b.numbers], from.a[source:])
				continue
			}
			for i := range b.numbers {
				to.a[at+i*to.step] = from.a[source+i*from.step]
			}
		}
	}
}

// A borderList has the borders that each thread sets.
type borderList [][]border

// add gives a border to a thread, or to the one with the fewest if no thread owns the zone.
func (l borderList) add(thread int, b border) {
	if thread == shared {
		thread = 0
		for other := range l {
			if len(l[other]) < len(l[thread]) {
				thread = other
			}
		}
	}
	l[thread] = append(l[thread], b)
}

// setter returns a job that sets all borders.
func (l borderList) setter() func(thread int) {
	return func(thread int) {
		for i := range l[thread] {
			l[thread][i].set()
		}
	}
}

// Borders exchanges the faces between zones: one message to each rank with all faces that it needs.
type Borders struct {
	rank     *application.Rank
	peers    []borderPeer
	requests []comm.Request
	// Borders between own zones, and those from and to messages. Each thread sets those of its
	// zones.
	local, out, in          borderList
	setLocal, setOut, setIn func(thread int) // made once because a method value allocates
}

// A borderPeer is a rank that has neighbours of the own zones.
type borderPeer struct {
	rank    int
	out, in []float64
}

// newBorders returns the borders of the zones of a rank, whose cells are given by the number of the
// zone, nil for those of other ranks. thread has the thread of each own zone, or shared.
func newBorders(r *application.Rank, m *Mesh, owner, thread []int, cells []*Cell) *Borders {
	threads := r.Team.Threads()
	b := &Borders{rank: r, local: make(borderList, threads), out: make(borderList, threads), in: make(borderList, threads)}
	own, ranks := r.Comm.Rank(), r.Comm.Size()
	out, in := make([]int, ranks), make([]int, ranks) // lengths of the messages
	m.borders(func(zone, beside, _, _ int, size border) {
		n := 5 * size.numbers * size.planes
		switch own {
		case owner[zone]:
			in[owner[beside]] += n
		case owner[beside]:
			out[owner[zone]] += n
		}
	})
	messages := make([]borderPeer, ranks)
	for rank := range ranks {
		if rank != own && out[rank] > 0 {
			messages[rank] = borderPeer{rank, make([]float64, out[rank]), make([]float64, in[rank])}
			b.peers = append(b.peers, messages[rank])
		}
	}
	clear(out) // from here on the filled lengths
	clear(in)
	m.borders(func(zone, beside, axis, side int, f border) {
		to, source := 0, m.zone(beside)[axis]-2
		if side == 1 {
			to, source = m.zone(zone)[axis]-1, 1
		}
		n := 5 * f.numbers * f.planes
		switch {
		case owner[zone] == own && owner[beside] == own:
			f.from, f.to = cells[beside].border(axis, source), cells[zone].border(axis, to)
			b.local.add(thread[zone], f)
		case owner[zone] == own:
			peer := owner[beside]
			f.from, f.to = values(messages[peer].in, in[peer], f.numbers), cells[zone].border(axis, to)
			b.in.add(thread[zone], f)
			in[peer] += n
		case owner[beside] == own:
			peer := owner[zone]
			f.from, f.to = cells[beside].border(axis, source), values(messages[peer].out, out[peer], f.numbers)
			b.out.add(thread[beside], f)
			out[peer] += n
		}
	})
	b.requests = make([]comm.Request, 0, 2*len(b.peers))
	b.setLocal, b.setOut, b.setIn = b.local.setter(), b.out.setter(), b.in.setter()
	return b
}

// borders calls f for each face of each zone and the zone beside it, with the size of the border.
// All ranks go through the faces in the same order.
func (m *Mesh) borders(f func(zone, beside, axis, side int, size border)) {
	for zone := range m.count() {
		n := m.zone(zone)
		for axis := range 2 {
			for side := range 2 {
				f(zone, m.beside(zone, axis, side), axis, side, border{numbers: n[1-axis] - 2, planes: n[2] - 2})
			}
		}
	}
}

// tagBorders is the tag of the faces between zones.
const tagBorders = 1

// Exchange sets the faces along x and y of all zones of the rank. Sources lie inside of zones,
// never on faces, so the order of the copies does not matter.
func (b *Borders) Exchange() error {
	b.rank.Timers.Begin(application.Exchange)
	defer b.rank.Timers.Begin(application.Compute)
	b.requests = b.requests[:0]
	for i := range b.peers {
		p := &b.peers[i]
		q, err := comm.Irecv(b.rank.Comm, p.in, p.rank, tagBorders)
		if err != nil {
			return err
		}
		b.requests = append(b.requests, q)
	}
	if len(b.peers) > 0 {
		b.rank.Team.Run(b.setOut)
	}
	for i := range b.peers {
		p := &b.peers[i]
		q, err := comm.Isend(b.rank.Comm, p.out, p.rank, tagBorders)
		if err != nil {
			return err
		}
		b.rank.Profile.Sent(p.rank, 8*len(p.out))
		b.requests = append(b.requests, q)
	}
	b.rank.Team.Run(b.setLocal)
	if len(b.peers) == 0 {
		return nil
	}
	if err := comm.WaitAll(b.requests, nil); err != nil {
		return err
	}
	b.rank.Team.Run(b.setIn)
	return nil
}
