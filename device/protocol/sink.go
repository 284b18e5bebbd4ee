package protocol

// Packet takes one packet from the wire.
func (d *Device) Packet(src int, h Header, data []byte) {
	p := &d.peers[src]
	if p.gone {
		return
	}
	if !p.flow.onCredit(h.credit()) {
		d.violation(p, "a credit for what was never sent", h)
		return
	}
	switch h.kind() {
	case kindEager:
		d.eager(p, h, data)
	case kindFragment:
		d.nextFragment(p, h, data)
	case kindRTS:
		d.asked(p, h, data)
	case kindCTS:
		d.cleared(p, h, data)
	case kindData:
		d.data(p, h, data)
	case kindFin:
		d.finished(p, h)
	case kindCredit: // the header was all
	case kindCancel:
		d.withdraw(p, h)
	case kindCancelled:
		d.withdrawn(p, h)
	case kindBye:
		if h.W2 > uint64(d.size) {
			d.violation(p, "a goodbye because of a rank outside of the job", h)
			return
		}
		p.culprit = h.W2
		d.leave(p)
	default:
		d.violation(p, "a packet of unknown kind", h)
	}
}
