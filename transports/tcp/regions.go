package tcp

import (
	"fmt"

	"gobench/device/protocol"
)

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
