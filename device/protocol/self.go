package protocol

// sendSelf sends to this very rank: straight into a posted receive, else as an
// unexpected message, copied while the account of eager memory has room and
// otherwise left in the sender's buffer.
func (d *Device) sendSelf(r *request) {
	if to := d.posted.match(d.rank, r.tag, r.context); to != nil {
		d.matched(to, d.rank, r.tag, len(r.buf))
		d.receiveSelf(to, r)
		return
	}
	m := d.unexpected.take()
	m.source, m.tag, m.context, m.size = d.rank, r.tag, r.context, len(r.buf)
	f := &d.peers[d.rank].flow
	if units := cost(len(r.buf)); !r.sync && len(r.buf) <= d.eagerLimit && f.room(units) {
		f.spent += units
		m.units = units
		m.data = d.pool.lend(len(r.buf))
		m.got = copy(m.data, r.buf)
		d.requests.finish(r)
	} else {
		m.self = r
	}
	d.unexpected.add(m)
}

// receiveSelf completes a receive and the send of this rank that it matched.
func (d *Device) receiveSelf(to, from *request) {
	copy(to.buf, from.buf)
	d.requests.finish(to)
	d.requests.finish(from)
}
