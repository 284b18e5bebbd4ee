package bench

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"os"
	"time"
	"unsafe"

	"gobench/internal/race"
)

// buffers holds the message buffers of one rank and one case with their expected content.
type buffers struct {
	bench string
	rank  int
	alloc func(n int) ([]byte, error)
	sends []buffer
	recvs []buffer
	owned []buffer // filled and checked by the Op
	err   error    // first failed allocation
}

type buffer struct {
	stream
	data []byte
}

// get returns the buffer of a stream. It allocates on first use, so several Ops of a case share the
// buffer.
func (b *buffers) get(list *[]buffer, s stream, n int) []byte {
	for _, have := range *list {
		if have.stream == s {
			return have.data
		}
	}
	data, err := b.alloc(n)
	if err != nil {
		b.err = cmp.Or(b.err, err)
		data = nil
	}
	*list = append(*list, buffer{s, data})
	return data
}

// own returns a new buffer for an Op that is a Checker.
func (b *buffers) own(n int) []byte {
	data, err := b.alloc(n)
	if err != nil {
		b.err = cmp.Or(b.err, err)
		return make([]byte, n) // New may divide it; the case ends with b.err
	}
	b.owned = append(b.owned, buffer{data: data})
	return data
}

// prepare fills the send buffers and poisons the receive buffers of one iteration: every byte of a
// receive buffer that is not written is wrong. The first call also places the memory (first touch),
// on the thread that will use it.
func (b *buffers) prepare(iteration uint64) {
	for _, s := range b.sends {
		fill(s.data, s.seed(iteration), 0)
	}
	for _, r := range b.recvs {
		fill(r.data, r.seed(iteration), ^uint64(0))
	}
}

// check returns the first defect in the data received in an iteration, or nil.
func (b *buffers) check(iteration uint64) *DataError {
	for _, r := range b.recvs {
		if at, want := mismatch(r.data, r.seed(iteration)); at >= 0 {
			poison := make([]byte, len(r.data))
			fill(poison, r.seed(iteration), ^uint64(0))
			return &DataError{
				Bench: b.bench, Size: len(r.data), Rank: b.rank, Source: r.rank,
				Offset: at, Want: want, Got: r.data[at], Iteration: iteration, Missing: bytes.Equal(r.data, poison),
			}
		}
	}
	return nil
}

// smallBuffers is the number of bytes allowed in addition to the declared buffers, such as for
// acknowledgements.
const smallBuffers = 4096

// total returns the size of all buffers in bytes.
func (b *buffers) total() int {
	n := 0
	for _, list := range [][]buffer{b.sends, b.recvs, b.owned} {
		for _, x := range list {
			n += len(x.data)
		}
	}
	return n
}

// checkable returns the number of streams with data to check.
func (b *buffers) checkable() int {
	n := 0
	for _, r := range b.recvs {
		if len(r.data) > 0 {
			n++
		}
	}
	return n
}

// An allocator allocates memory of the device: a device.Device, or a channel over one.
type allocator interface {
	Alloc(n int) ([]byte, error)
	Free([]byte) error
}

// free returns the memory to the device that allocated it.
func (b *buffers) free(d allocator) error {
	var first error
	for _, list := range [][]buffer{b.sends, b.recvs, b.owned} {
		for _, x := range list {
			if len(x.data) == 0 {
				continue
			}
			if err := d.Free(x.data); err != nil && first == nil {
				first = err
			}
		}
	}
	b.sends, b.recvs, b.owned = nil, nil, nil
	return first
}

// heapAlloc returns n zeroed bytes of ordinary memory, aligned to a page.
func heapAlloc(n int) ([]byte, error) {
	page := os.Getpagesize()
	b := make([]byte, n+page)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (page - 1)
	return b[skip : skip+n : skip+n], nil
}

// The data of a message depends on the sender, the stream, the iteration and the offset: word i is
// seed + i*weyl (a Weyl sequence). So data at the wrong offset, from the wrong rank or from an
// earlier iteration is detected.
const (
	weyl  = 0x9E3779B97F4A7C15 // 2^64 / golden ratio
	weyl2 = 2 * weyl % (1 << 64)
	weyl3 = 3 * weyl % (1 << 64)
	weyl4 = 4 * weyl % (1 << 64)
)

// A stream identifies a sequence of messages by the sender and the number of the stream.
type stream struct {
	rank, slot int
}

// seed returns the first word of the pattern of one iteration. Successive iterations differ in
// every byte: each byte of the word grows by one, or by two with the carry. Streams differ in the
// first byte, for messages of one byte; in each other byte they agree with a probability of 1/256.
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

// fill writes the pattern of seed into b. With flip = ^0 it writes the complement, so that every
// byte of a poisoned buffer is wrong.
//
//go:norace
func fill(b []byte, seed, flip uint64) {
	race.Writes(b)
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

// mismatch returns the first offset at which b differs from the pattern of seed, with the expected
// byte, or -1.
//
//go:norace
func mismatch(b []byte, seed uint64) (offset int, want byte) {
	race.Reads(b)
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

// CheckRate measures how many bytes per second a thread of this machine makes, moves and checks, in
// some milliseconds: the best of three.
func CheckRate() (perSecond float64) {
	from, to := make([]byte, 4<<20), make([]byte, 4<<20)
	for seed := range uint64(3) {
		start := time.Now()
		fill(from, seed, 0)
		fill(to, seed, ^uint64(0))
		copy(to, from)
		mismatch(to, seed)
		perSecond = max(perSecond, float64(len(to))/time.Since(start).Seconds())
	}
	return perSecond
}
