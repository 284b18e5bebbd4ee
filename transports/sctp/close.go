package sctp

import (
	"time"

	"golang.org/x/sys/unix"
)

// closeBound limits the time for which Close waits until what was sent has been taken by the hosts
// of the peers.
const closeBound = time.Second

// Close implements protocol.Wire.
func (w *wire) Close() error {
	open := 0
	for _, p := range w.peers {
		if p != nil && !p.gone && p.association != 0 {
			w.socket.write(p.association, nil, nil, flagEOF)
			open++
		}
	}
	for until := time.Now().Add(closeBound); open > 0 && time.Now().Before(until); {
		n, _, notification, _, err := w.socket.read(w.in)
		if err != 0 {
			w.await(10 * time.Millisecond)
			continue
		}
		if !notification {
			continue // data without a receiver
		}
		if association, _, ok := ended(w.in[:n]); ok && isOver(w.in[:n]) && w.by[association] != nil {
			delete(w.by, association)
			open--
		}
	}
	return unix.Close(w.socket.fd)
}
