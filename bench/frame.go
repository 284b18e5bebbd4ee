package bench

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// Control messages of the runner travel over the channel under test, which may
// spoil them. So a frame is a head and a body, each with a checksum and each
// sent twice over: one wrong byte is seen, reported as a defect like any
// other, and does not put the ranks out of step.

const (
	headSize  = 24
	headMagic = 0x676F626E // "gobn"
)

// errOutOfStep says that a rank sent another command or report than the one
// expected here: the ranks do not run the same plan.
var errOutOfStep = errors.New("control message out of step: the ranks do not run the same plan")

// putHead writes both copies of the head of a frame into b.
func putHead(b []byte, round uint64, body []byte) {
	binary.LittleEndian.PutUint32(b, headMagic)
	binary.LittleEndian.PutUint64(b[4:], round)
	binary.LittleEndian.PutUint32(b[12:], uint32(len(body)))
	binary.LittleEndian.PutUint32(b[16:], crc32.ChecksumIEEE(body))
	binary.LittleEndian.PutUint32(b[20:], crc32.ChecksumIEEE(b[:20]))
	copy(b[headSize:2*headSize], b[:headSize])
}

// head is what putHead wrote.
type head struct {
	round  uint64
	length int
	sum    uint32
}

// getHead reads the first whole copy of a head. wrong is the offset of a byte
// that the two copies disagree in, or -1; ok is false if no copy is whole.
func getHead(b []byte) (h head, wrong int, ok bool) {
	wrong = firstDifference(b[:headSize], b[headSize:2*headSize])
	for _, c := range [][]byte{b[:headSize], b[headSize : 2*headSize]} {
		if binary.LittleEndian.Uint32(c) == headMagic &&
			binary.LittleEndian.Uint32(c[20:]) == crc32.ChecksumIEEE(c[:20]) {
			return head{
				round:  binary.LittleEndian.Uint64(c[4:]),
				length: int(binary.LittleEndian.Uint32(c[12:])),
				sum:    binary.LittleEndian.Uint32(c[16:]),
			}, wrong, true
		}
	}
	return head{}, wrong, false
}

// wholeCopy returns the copy of a doubled body that has the checksum, and the
// offset of a byte that the copies disagree in, or -1.
func wholeCopy(b []byte, sum uint32) (body []byte, wrong int, ok bool) {
	first, second := b[:len(b)/2], b[len(b)/2:]
	wrong = firstDifference(first, second)
	for _, c := range [][]byte{first, second} {
		if crc32.ChecksumIEEE(c) == sum {
			return c, wrong, true
		}
	}
	return nil, wrong, false
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
