package flow

import (
	"gobench/comm"
	"gobench/kernels/application"
)

// A border is a face of a zone that takes its values from the neighbour there, from the plane next
// to the neighbour's opposite face ("exch_qbc").
type border struct {
	from, to   *Cell // nil on other ranks than their own
	axis       int
	at, source int // planes of the face and of its source
}

// numbers returns the numbers of a border of a zone of n points: those on its edges are not
// exchanged.
func (b *border) numbers(n [3]int) int { return 5 * (n[1-b.axis] - 2) * (n[2] - 2) }

// rows calls f with the rows of a plane of a cell along an axis, without the edges of the face.
func (c *Cell) rows(axis, plane int, f func(row []float64)) {
	lo, hi := [3]int{1, 1, 1}, [3]int{c.N[0] - 1, c.N[1] - 1, c.N[2] - 1}
	lo[axis], hi[axis] = plane, plane+1
	for k := lo[2]; k < hi[2]; k++ {
		for j := lo[1]; j < hi[1]; j++ {
			at := c.At(lo[0], j, k)
			for range 5 {
				f(c.U[at : at+hi[0]-lo[0]])
				at += c.Comp
			}
		}
	}
}

// Borders exchanges the faces between zones: one message to each rank with all faces that it needs.
type Borders struct {
	rank     *application.Rank
	local    []border
	peers    []borderPeer
	requests []comm.Request
	face     []float64 // of a zone of the same rank
}

// A borderPeer is a rank that has neighbours of the own zones.
type borderPeer struct {
	rank      int
	send, get []border
	out, in   []float64
}

// newBorders returns the borders of the zones of a rank, whose cells are given by the number of the
// zone, nil for those of other ranks.
func newBorders(r *application.Rank, m *Mesh, owner []int, cells []*Cell) *Borders {
	b := &Borders{rank: r}
	own := r.Comm.Rank()
	peers := map[int]*borderPeer{}
	peer := func(rank int) *borderPeer {
		if peers[rank] == nil {
			peers[rank] = &borderPeer{rank: rank}
		}
		return peers[rank]
	}
	longest := 0
	for zone := range owner { // both ranks go through the faces in this order
		n := m.zone(zone)
		for axis := range 2 {
			for side := range 2 {
				beside := m.beside(zone, axis, side)
				f := border{from: cells[beside], to: cells[zone], axis: axis, source: m.zone(beside)[axis] - 2}
				if side == 1 {
					f.at, f.source = n[axis]-1, 1
				}
				size := f.numbers(n)
				switch {
				case owner[zone] == own && owner[beside] == own:
					b.local = append(b.local, f)
					longest = max(longest, size)
				case owner[zone] == own:
					p := peer(owner[beside])
					p.get, p.in = append(p.get, f), append(p.in, make([]float64, size)...)
				case owner[beside] == own:
					p := peer(owner[zone])
					p.send, p.out = append(p.send, f), append(p.out, make([]float64, size)...)
				}
			}
		}
	}
	for rank := range r.Comm.Size() {
		if p := peers[rank]; p != nil {
			b.peers = append(b.peers, *p)
		}
	}
	b.requests = make([]comm.Request, 0, 2*len(b.peers))
	b.face = make([]float64, longest)
	return b
}

// tagBorders is the tag of the faces between zones.
const tagBorders = 1

// Exchange sets the faces along x and y of all zones of the rank. Sources are points inside of
// zones, so that no face is one.
func (b *Borders) Exchange() error {
	b.rank.Timers.Enter(application.Exchange)
	defer b.rank.Timers.Enter(application.Compute)
	b.requests = b.requests[:0]
	for i := range b.peers {
		p := &b.peers[i]
		q, err := comm.Irecv(b.rank.Comm, p.in, p.rank, tagBorders)
		if err != nil {
			return err
		}
		b.requests = append(b.requests, q)
	}
	for i := range b.peers {
		p := &b.peers[i]
		at := 0
		for _, f := range p.send {
			f.from.rows(f.axis, f.source, func(row []float64) { at += copy(p.out[at:], row) })
		}
		q, err := comm.Isend(b.rank.Comm, p.out, p.rank, tagBorders)
		if err != nil {
			return err
		}
		b.rank.Profile.Sent(p.rank, 8*len(p.out))
		b.requests = append(b.requests, q)
	}
	for _, f := range b.local {
		at := 0
		f.from.rows(f.axis, f.source, func(row []float64) { at += copy(b.face[at:], row) })
		at = 0
		f.to.rows(f.axis, f.at, func(row []float64) { at += copy(row, b.face[at:]) })
	}
	if err := comm.WaitAll(b.requests, nil); err != nil {
		return err
	}
	for i := range b.peers {
		at, in := 0, b.peers[i].in
		for _, f := range b.peers[i].get {
			f.to.rows(f.axis, f.at, func(row []float64) { at += copy(row, in[at:]) })
		}
	}
	return nil
}
