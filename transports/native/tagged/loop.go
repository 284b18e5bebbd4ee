//go:build cgo && (ucx || ofi || mxm)

package tagged

// #include "core.h"
import "C"

import (
	"runtime"
	"unsafe"

	"gobench/device"
	"gobench/transports/native/stamps"
)

// PingPong implements device.Linker in C: the calls of Send and Recv in a loop. A message that does
// not come soon is awaited in Go, as everywhere.
func (c *raw) PingPong(out, in []byte, peer, rounds int, first bool, at *device.Stamps) error {
	if err := c.checkPeer(peer); err != nil {
		return err
	}
	d := c.d
	want, mask := d.layout.pattern(peer, rawTag, rawContext)
	l := d.core.loop
	*l = C.struct_tagged_loop{
		send:    C.struct_tagged_op{peer: cInt(peer), tag: cWord(d.layout.tag(d.Config.Rank, rawTag, rawContext)), turns: turns},
		receive: C.struct_tagged_op{tag: cWord(want), mask: cWord(mask), turns: turns},
		at:      (*C.int64_t)(stamps.Times(at)), left: cInt(2 * rounds),
	}
	setBuffer(&l.send, out)
	setBuffer(&l.receive, in)
	if first {
		l.sending = 1
	}
	times := (*stamps.Stamps)(unsafe.Pointer(&l.stamps))
	times.Take(at)
	defer func() {
		times.Give(at)
		runtime.KeepAlive(out)
		runtime.KeepAlive(in)
	}()
	for l.left > 0 {
		if d.aliveNow(peer); d.peers[peer].err != nil { // what it has sent before can be received
			if l.sending != 0 {
				if err := c.Send(out, peer, rawTag, rawContext); err != nil {
					return err
				}
			} else if _, err := c.Recv(in, peer, rawTag, rawContext); err != nil {
				return err
			}
			l.taken = 1
		}
		switch e := d.core.pingPong(); {
		case e < 0:
			return d.peerFault(peer, e)
		case e == began:
			number, buf := int(l.receive.number), in
			if l.sending != 0 {
				number, buf = int(l.send.number), out
			}
			if _, err := d.await(d.begun(number, buf, l.sending == 0, peer), number); err != nil {
				return err
			}
			l.taken = 1
		}
	}
	return nil
}
