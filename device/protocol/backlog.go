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

func (q *packets) empty() bool  { return q.first == len(q.queue) }
func (q *packets) waiting() int { return len(q.queue) - q.first }

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
		some, all := d.pushControl(p)
		if all {
			var more bool
			more, all = d.more(p)
			some = some || more
		}
		moved = moved || some
		if !all {
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

// pushControl pushes the control packets that wait, and reports whether it
// pushed some, and all.
func (d *core) pushControl(p *peer) (some, all bool) {
	q := &p.control
	for ; !q.empty(); q.first++ {
		k := &q.queue[q.first]
		if !d.push(p, k.header, k.data[:k.length]) {
			return some, false
		}
		some = true
	}
	return some, true
}

// pushSends moves on the queue of sends with launch, a method of the channel
// above.
func (d *core) pushSends(p *peer, launch func(*peer, *request) bool) (some, all bool) {
	for p.sends.head != nil {
		r := p.sends.head
		before := r.moved
		p.sends.remove(r)
		if !launch(p, r) {
			p.sends.pushFront(r)
			return some || r.moved != before, false
		}
		some = true
	}
	return some, true
}

// pushWaiting moves on the sends and transfers of a peer.
func (d *Device) pushWaiting(p *peer) (some, all bool) {
	some, all = d.pushSends(p, d.launcher)
	if !all && p.flow.announced < d.announced {
		return some, false // there is no room
	}
	for p.bulk.head != nil {
		r := p.bulk.head
		before := r.part.moved
		p.bulk.remove(r)
		if !d.advance(p, r) {
			p.bulk.pushFront(r)
			return some || r.part.moved != before, false
		}
		some = true
	}
	return some, all && p.control.empty()
}
