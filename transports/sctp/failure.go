package sctp

import "gobench/device/protocol"

// Sever implements protocol.Severer.
func (w *wire) Sever(rank int) { w.failed = append(w.failed, w.peers[rank]) }

// settle reports the peers that the protocol has given up, and aborts their associations: what is
// queued for a peer that does not take it would keep the room of the send buffer, which all peers
// share.
func (w *wire) settle(sink protocol.Sink) {
	for i := 0; i < len(w.failed); i++ {
		p := w.failed[i]
		if !p.gone {
			w.socket.write(p.association, nil, nil, flagAbort)
		}
		w.fail(p, "it was given up", sink)
	}
	w.failed = w.failed[:0]
}

func (w *wire) fail(p *peer, cause string, sink protocol.Sink) {
	if p.gone {
		return
	}
	p.gone, p.part = true, nil
	delete(w.by, p.association)
	sink.Failed(p.rank, cause)
}
