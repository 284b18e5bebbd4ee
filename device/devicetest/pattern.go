package devicetest

import (
	"bytes"
	"encoding/binary"

	"gobench/internal/race"
)

// Payloads are a function of a key, so that a receiver can check a message
// without having seen it. Word i of the payload is key + i times an odd
// number, mixed; equal bytes at wrong places, or of other messages, show.

func word(key uint64, i int) uint64 {
	x := key + uint64(i)*0x9e3779b97f4a7c15
	x ^= x >> 31
	return x * 0xbf58476d1ce4e5b9
}

// fill writes the payload of key.
//
//go:norace
func fill(b []byte, key uint64) []byte {
	race.Writes(b)
	n := len(b) / 8
	for i := range n {
		binary.LittleEndian.PutUint64(b[8*i:], word(key, i))
	}
	last := word(key, n)
	for i := 8 * n; i < len(b); i++ {
		b[i] = byte(last >> (8 * (i % 8)))
	}
	return b
}

// differs returns the index of the first byte that is not that of the payload of
// key, or -1.
//
//go:norace
func differs(b []byte, key uint64) int {
	race.Reads(b)
	n := len(b) / 8
	for i := range n {
		if got := binary.LittleEndian.Uint64(b[8*i:]); got != word(key, i) {
			want := word(key, i)
			for j := range 8 {
				if byte(got>>(8*j)) != byte(want>>(8*j)) {
					return 8*i + j
				}
			}
		}
	}
	last := word(key, n)
	for i := 8 * n; i < len(b); i++ {
		if b[i] != byte(last>>(8*(i%8))) {
			return i
		}
	}
	return -1
}

// key makes a payload key of who sends what to whom.
func key(src, dst int, number int) uint64 {
	return uint64(src)<<48 ^ uint64(dst)<<40 ^ uint64(number)
}

// check fails unless b is the payload of key.
func (r *rank) check(b []byte, key uint64, what string) {
	if i := differs(b, key); i >= 0 {
		r.fail("%s: byte %d of %d is wrong", what, i, len(b))
	}
}

// guarded is a receive buffer of n bytes with guards on either side, which are
// as long as the buffer, but at least 64 and at most 4096 bytes.
type guarded struct{ all, buf []byte }

const guardByte = 0xa5

// guards are as many as a side has at most.
var guards = [4096]byte(bytes.Repeat([]byte{guardByte}, 4096))

func newGuarded(n int) guarded {
	g := min(max(n, 64), 4096)
	all := make([]byte, g+n+g)
	guard(all)
	return guarded{all, all[g : g+n : g+n]}
}

// guard sets all bytes to guardByte.
func guard(b []byte) {
	for done := 0; done < len(b); {
		done += copy(b[done:], guards[:])
	}
}

// intact fails if a byte outside of the buffer was written.
func (r *rank) intact(g guarded) {
	n := len(g.buf)
	side := (len(g.all) - n) / 2
	if bytes.Equal(g.all[:side], guards[:side]) && bytes.Equal(g.all[side+n:], guards[:side]) {
		return
	}
	for i, b := range g.all {
		if (i < side || i >= side+n) && b != guardByte {
			r.fail("byte %d of a buffer of %d bytes was written", i-side, n)
		}
	}
}
