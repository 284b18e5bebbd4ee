package bench

import (
	"encoding/binary"
	"math/bits"
)

// A message's data depends on the sender, the stream, the iteration and the
// offset: word i of it is seed + i*weyl (a Weyl sequence), so neighbouring
// words differ, and data that came to the wrong place, from the wrong
// rank or from an earlier iteration is noticed.

const (
	weyl  = 0x9E3779B97F4A7C15 // 2^64 / golden ratio
	weyl2 = 2 * weyl % (1 << 64)
	weyl3 = 3 * weyl % (1 << 64)
	weyl4 = 4 * weyl % (1 << 64)
)

// stream identifies a sequence of messages: the sender, and which of its streams.
type stream struct {
	rank, slot int
}

// seed starts the pattern of one iteration. Successive iterations differ in
// every byte: each byte of the word goes up by one, or two with the carry.
// Streams differ in the first byte, for messages of one byte, and by chance
// (1 in 256) in the others.
func (s stream) seed(iteration uint64) uint64 {
	const ones = 0x0101010101010101
	x := scatter(uint64(s.rank)<<32 | uint64(s.slot))
	first := uint64(byte(s.rank*0x3D + s.slot*0x71))
	return x&^0xFF + first + ones*iteration
}

// scatter is the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
func scatter(x uint64) uint64 {
	x += weyl
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// fill writes the pattern of seed into b. With flip = ^0 every byte is the
// complement: a poisoned buffer has not one byte right.
func fill(b []byte, seed, flip uint64) {
	w := seed
	for ; len(b) >= 32; b = b[32:] {
		q := (*[32]byte)(b)
		binary.LittleEndian.PutUint64(q[0:], w^flip)
		binary.LittleEndian.PutUint64(q[8:], (w+weyl)^flip)
		binary.LittleEndian.PutUint64(q[16:], (w+weyl2)^flip)
		binary.LittleEndian.PutUint64(q[24:], (w+weyl3)^flip)
		w += weyl4
	}
	for len(b) >= 8 {
		binary.LittleEndian.PutUint64(b, w^flip)
		w += weyl
		b = b[8:]
	}
	if len(b) > 0 {
		var last [8]byte
		binary.LittleEndian.PutUint64(last[:], w^flip)
		copy(b, last[:])
	}
}

// mismatch returns the first offset at which b is not the pattern of seed,
// with the byte that should be there, or -1.
func mismatch(b []byte, seed uint64) (offset int, want byte) {
	w := seed
	i := 0
	for ; i+32 <= len(b); i += 32 {
		q := (*[32]byte)(b[i:])
		bad := binary.LittleEndian.Uint64(q[0:]) ^ w
		bad |= binary.LittleEndian.Uint64(q[8:]) ^ (w + weyl)
		bad |= binary.LittleEndian.Uint64(q[16:]) ^ (w + weyl2)
		bad |= binary.LittleEndian.Uint64(q[24:]) ^ (w + weyl3)
		if bad != 0 {
			break
		}
		w += weyl4
	}
	for ; i+8 <= len(b); i += 8 {
		if bad := binary.LittleEndian.Uint64(b[i:]) ^ w; bad != 0 {
			at := bits.TrailingZeros64(bad) / 8
			return i + at, byte(w >> (8 * at))
		}
		w += weyl
	}
	for at := 0; i+at < len(b); at++ {
		if want := byte(w >> (8 * at)); b[i+at] != want {
			return i + at, want
		}
	}
	return -1, 0
}
