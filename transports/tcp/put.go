package tcp

import (
	"errors"
	"fmt"

	"gobench/device"
	"gobench/device/protocol"
)

// Register implements protocol.RMA: peers may put into buf. The buffer that a put
// reads from is registered as well, because the protocol does that for every wire.
func (w *wire) Register(buf []byte) (protocol.Key, error) { return w.regions.add(buf), nil }

// Deregister implements protocol.RMA. A peer that is writing into the buffer fails, because the
// rest of its data has no destination.
func (w *wire) Deregister(k protocol.Key) {
	if w.regions.remove(k) == 0 {
		return
	}
	for _, p := range w.peers {
		if p == nil {
			continue
		}
		if in := &p.in.in; len(in.fill) > 0 && in.handle == k[0] {
			in.fill = nil
			p.close() // the buffer is not written any more
			w.torn = append(w.torn, p)
			break
		}
	}
}

// Put implements protocol.RMA. The data follows a header frame in the stream,
// from src itself; the receiver reads it from the socket into its buffer.
func (w *wire) Put(to int, dst protocol.Key, offset int, src []byte, srcKey protocol.Key, token uint64) protocol.Started {
	c := w.peers[to].out
	if c.out.lost != "" {
		w.ended.Add(token, &device.PeerError{Rank: to, Cause: c.out.lost})
		return protocol.Pending
	}
	if offset < 0 || uint64(offset) > dst[1] || uint64(len(src)) > dst[1]-uint64(offset) {
		w.ended.Add(token, fmt.Errorf(
			"a put of %d bytes at offset %d does not fit the buffer of %d bytes of rank %d", len(src), offset, dst[1], to))
		return protocol.Pending
	}
	if c.out.putting {
		return protocol.Busy
	}
	if len(src) == 0 {
		return protocol.Done
	}
	// Nothing is written yet: the next Poll sends the header, the data and the
	// packet that the protocol will push behind it by one system call.
	head := frame{kind: framePut, header: putHeader(dst[0], offset, len(src))}.encode(w.scratch)
	if !c.out.keep(head, nil, 0) {
		return protocol.Busy
	}
	c.out.begin(src, token)
	w.pending(c)
	return protocol.Pending
}

// Get implements protocol.RMA. It is never called, because Limits.Methods does not contain it.
func (w *wire) Get(from int, src protocol.Key, offset int, dst []byte, dstKey protocol.Key, token uint64) protocol.Started {
	w.ended.Add(token, errGet)
	return protocol.Pending
}

var errGet = errors.New("over TCP nobody can read a peer's memory")

// regions is the table of the buffers of this rank that peers may write into. A handle is a row of
// the table and the generation of that row, so that the key of a deregistered buffer never accesses
// another one. The table grows to the largest number of buffers registered together and then
// allocates nothing.
type regions struct {
	table []region
	free  []uint32
	live  int
}

type region struct {
	buf        []byte
	generation uint32
	live       bool
	filling    int // connections that are writing into buf
}

func (t *regions) add(buf []byte) protocol.Key {
	if len(t.free) == 0 {
		t.table = append(t.table, region{})
		t.free = append(t.free, uint32(len(t.table)-1))
	}
	i := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	r := &t.table[i]
	r.buf, r.live, r.filling = buf, true, 0
	r.generation++
	t.live++
	return protocol.Key{uint64(i) | uint64(r.generation)<<32, uint64(len(buf))}
}

// remove removes a buffer and returns the number of connections that were writing into it. It
// ignores an invalid key.
func (t *regions) remove(k protocol.Key) (filling int) {
	r := t.find(k[0])
	if r == nil {
		return 0
	}
	filling = r.filling
	r.buf, r.live = nil, false
	t.live--
	t.free = append(t.free, uint32(k[0]))
	return filling
}

func (t *regions) find(handle uint64) *region {
	i := uint32(handle)
	if uint64(i) >= uint64(len(t.table)) {
		return nil
	}
	if r := &t.table[i]; r.live && r.generation == uint32(handle>>32) {
		return r
	}
	return nil
}

// target returns the bytes that a put frame of a peer may write, or an error if it is invalid.
func (t *regions) target(h protocol.Header) ([]byte, error) {
	r := t.find(h.W0)
	if r == nil {
		return nil, fmt.Errorf("it put data into a buffer that is not registered (handle %#x)", h.W0)
	}
	if size := uint64(len(r.buf)); h.W1 > size || h.W2 > size-h.W1 {
		return nil, fmt.Errorf("it put %d bytes at offset %d into a buffer of %d bytes", h.W2, h.W1, size)
	}
	return r.buf[h.W1 : h.W1+h.W2], nil
}
