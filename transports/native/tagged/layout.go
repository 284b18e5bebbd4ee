//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"fmt"
	"math/bits"

	"gobench/device"
)

// tagBits are the bits of a tag of the contract, which is 0 or more.
const tagBits = 31

// A layout divides the tag of the library, from the lowest bit on: the tag, the source, the
// context, and, where the library has no synchronous sends, one bit that requests an
// acknowledgement, which receives ignore. A receive from any source or of any tag masks those bits,
// so that the library keeps MPI's order in all cases.
//
// The context has the remaining bits. The values that fit are the lowest and the highest of an
// int32; with 2 ranks and 64 bits all of them fit. The highest is used for control messages.
type layout struct {
	contextShift uint
	contexts     uint64 // mask of a context
	low, high    uint32 // contexts that fit are below low, or at high and above
	sync         uint64 // 0 where the library has synchronous sends
	whole        uint64 // mask of a receive from one source of one tag
	control      uint64 // tag of messages of control but for the source
	sources      uint64 // mask of the source
}

// newLayout returns the layout of a job for a library whose tags have libraryBits bits, and which
// may have synchronous sends.
func newLayout(ranks, libraryBits int, synchronous bool) (layout, error) {
	sourceBits := max(1, bits.Len(uint(ranks-1)))
	contextBits := min(libraryBits-1-tagBits-sourceBits, tagBits)
	if contextBits < 8 {
		return layout{}, fmt.Errorf("its tags have %d bits, and %d ranks need %d", libraryBits, ranks, 1+tagBits+sourceBits+8)
	}
	l := layout{contextShift: uint(tagBits + sourceBits), contexts: 1<<contextBits - 1}
	l.low = 1 << (contextBits - 1)
	l.high = 1<<tagBits - l.low
	l.sync, l.whole = (l.contexts+1)<<l.contextShift, (l.contexts+1)<<l.contextShift-1
	if synchronous {
		l.sync, l.whole = 0, ^uint64(0)
	}
	l.sources = 1<<sourceBits - 1
	l.control = l.contexts << l.contextShift
	return l, nil
}

// fits reports whether a context can be used.
func (l *layout) fits(context int32) bool {
	c := uint32(context)
	return c < l.low || c >= l.high && c < 1<<31-1
}

// tag returns the tag of the library for a message.
func (l *layout) tag(source int, tag, context int32) uint64 {
	return uint64(context)&l.contexts<<(l.contextShift&63) | uint64(source)<<tagBits | uint64(tag)
}

// pattern returns the tag and the mask of a receive or a probe.
func (l *layout) pattern(source int, tag, context int32) (want, mask uint64) {
	mask = l.whole
	if source == device.AnySource {
		source = 0
		mask &^= l.sources << tagBits
	}
	if tag == device.AnyTag {
		tag = 0
		mask &^= 1<<tagBits - 1
	}
	return l.tag(source, tag, context), mask
}

func (l *layout) source(tag uint64) int { return int(tag >> tagBits & l.sources) }
func (l *layout) user(tag uint64) int32 { return int32(tag & (1<<tagBits - 1)) }

// contextError is the error for a context that does not fit.
func (l *layout) contextError(context int32) error {
	return &device.ArgumentError{Name: "context", Value: int(context),
		Want: fmt.Sprintf("0..%d or %d..%d: the tags of the library have %d bits for it", l.low-1, l.high, 1<<31-2, bits.Len32(l.low))}
}
