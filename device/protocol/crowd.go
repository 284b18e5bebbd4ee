package protocol

// crowded reports whether this rank awaits a message from, or moves one to or from,
// another peer than p.
func (d *Device) crowded(p *peer) bool {
	for _, q := range d.backlog {
		if q != p {
			return true
		}
	}
	if d.posted.n == 0 {
		return false
	}
	for source := range d.posted.source {
		if source != p.rank && d.posted.source[source].head != nil {
			return true
		}
	}
	return false
}
