package protocol

// packet is a control packet that found no room.
type packet struct {
	header Header
	length int
	data   [ctsSize]byte
}

// packets is a queue of them.
type packets struct {
	queue []packet
	first int
}

func (q *packets) empty() bool { return q.first == len(q.queue) }

func (q *packets) add(h Header, data []byte) {
	if q.empty() {
		q.queue, q.first = q.queue[:0], 0
	}
	k := packet{header: h, length: len(data)}
	copy(k.data[:], data)
	q.queue = append(q.queue, k)
}

// enlist notes that something waits to be pushed to p.
func (d *core) enlist(p *peer) {
	if !p.listed {
		p.listed = true
		d.backlog = append(d.backlog, p)
	}
}

// drain moves on what waits, for every peer of the backlog, and reports
// whether anything moved.
func (d *core) drain() bool {
	moved := false
	for i := 0; i < len(d.backlog); {
		p := d.backlog[i]
		if !d.pushControl(p, &moved) || !d.more(p, &moved) {
			i++
			continue
		}
		p.listed = false
		last := len(d.backlog) - 1
		d.backlog[i] = d.backlog[last]
		d.backlog = d.backlog[:last]
	}
	return moved
}

// pushControl reports whether no control packet waits any longer.
func (d *core) pushControl(p *peer, moved *bool) bool {
	q := &p.control
	for ; !q.empty(); q.first++ {
		k := &q.queue[q.first]
		if !d.push(p, k.header, k.data[:k.length]) {
			return false
		}
		*moved = true
	}
	return true
}

// pushWaiting moves on the sends and transfers of a peer and reports whether
// none waits any longer.
func (d *Device) pushWaiting(p *peer, moved *bool) bool {
	for p.sends.head != nil {
		r := p.sends.head
		before := r.moved
		p.sends.remove(r)
		if !d.launch(p, r) {
			*moved = *moved || r.moved != before
			p.sends.pushFront(r)
			return false
		}
		*moved = true
	}
	for p.bulk.head != nil {
		r := p.bulk.head
		before := r.part.moved
		p.bulk.remove(r)
		if !d.advance(p, r) {
			*moved = *moved || r.part.moved != before
			p.bulk.pushFront(r)
			return false
		}
		*moved = true
	}
	return p.control.empty()
}
