package protocol

// A notice takes the place of a FIN where the wire is a Notifier. It has room for the row of the request
// alone, not for its generation, and carries no credit.

// notify sends a notice instead of a FIN, if it can and nothing waits that it would overtake.
func (d *Device) notify(p *peer, request uint64) bool {
	return d.notifier != nil && !p.gone && p.control.empty() && d.notifier.Notice(p.rank, uint32(request))
}

// Notice takes a notice from the wire.
func (d *Device) Notice(src int, word uint32) {
	p := &d.peers[src]
	if p.gone {
		return
	}
	var r *request
	if int(word) < len(d.requests.rows) {
		r = d.requests.rows[word]
	}
	d.fin(p, r, header(kindFin, 0, 0, 0, uint64(word)))
}
