package protocol

import (
	"encoding/binary"
	"fmt"
)

// HeaderSize is the length of an encoded Header in bytes.
const HeaderSize = 24

// Header goes before the data of every packet. Wires carry it unread: three
// words, so that it travels in registers and, with a small message, in one cache line.
//
//	W0  bits 0..7 kind, 8..15 flags, 32..63 tag
//	W1  bits 0..31 context, 32..63 credit: units of eager memory that the sender of this packet has freed so far, modulo 2^32
//	W2  by kind: size of the message, or a request of the receiver of this packet
type Header struct{ W0, W1, W2 uint64 }

// Encode writes h to the first HeaderSize bytes of b, little endian.
func (h Header) Encode(b []byte) {
	_ = b[HeaderSize-1]
	binary.LittleEndian.PutUint64(b, h.W0)
	binary.LittleEndian.PutUint64(b[8:], h.W1)
	binary.LittleEndian.PutUint64(b[16:], h.W2)
}

// DecodeHeader reads what Encode wrote. Any 24 bytes give a Header; whether it means
// something is for the protocol to check.
func DecodeHeader(b []byte) Header {
	_ = b[HeaderSize-1]
	return Header{
		W0: binary.LittleEndian.Uint64(b),
		W1: binary.LittleEndian.Uint64(b[8:]),
		W2: binary.LittleEndian.Uint64(b[16:]),
	}
}

// kind says what a packet is for.
type kind uint8

const (
	kindEager     kind = iota + 1 // first or only fragment of a message; W2 = size of the message
	kindFragment                  // the next bytes of the eager message under way
	kindRTS                       // ready to send: W2 = sender's request; data = rts
	kindCTS                       // clear to send: W2 = sender's request; data = cts
	kindData                      // next bytes of a pipelined rendezvous; W2 = receiver's request
	kindFin                       // one side's part is in place; W2 = request of the packet's receiver
	kindCredit                    // nothing but the credit
	kindCancel                    // withdraw the RTS of sender's request W2
	kindCancelled                 // answer: W2 = sender's request, flagYes if it was withdrawn
	kindBye                       // the last packet of a rank that closes its device; W2 = one more than the dead rank that it may close for, 0 = none
	kindEnd                       // one past the last kind
)

var kindNames = [kindEnd]string{"", "eager", "fragment", "RTS", "CTS", "data", "FIN", "credit", "cancel", "cancelled", "bye"}

const flagYes = 1

func header(k kind, flags uint8, tag, context int32, w2 uint64) Header {
	return Header{
		W0: uint64(k) | uint64(flags)<<8 | uint64(uint32(tag))<<32,
		W1: uint64(uint32(context)),
		W2: w2,
	}
}

func (h Header) kind() kind     { return kind(h.W0) }
func (h Header) flags() uint8   { return uint8(h.W0 >> 8) }
func (h Header) tag() int32     { return int32(h.W0 >> 32) }
func (h Header) context() int32 { return int32(h.W1) }
func (h Header) credit() uint32 { return uint32(h.W1 >> 32) }

// Kind names what the packet is for, such as "RTS"; for traces.
func (h Header) Kind() string {
	if k := h.kind(); k > 0 && k < kindEnd {
		return kindNames[k]
	}
	return "unknown"
}

// Last reports whether this is the last packet to that peer, the goodbye. A wire that batches
// acknowledgements asks for one here.
func (h Header) Last() bool { return h.kind() == kindBye }

// isWhole reports whether a packet with n bytes of data is a whole eager message with
// that tag and context.
func (h Header) isWhole(tag, context int32, n int) bool {
	return h.W0 == uint64(kindEager)|uint64(uint32(tag))<<32 && h.context() == context && h.W2 == uint64(n)
}

// String shows a header in a trace or an error.
func (h Header) String() string {
	return fmt.Sprintf("kind %d (%s) flags %d tag %d context %d credit %d word %#x",
		h.kind(), h.Kind(), h.flags(), h.tag(), h.context(), h.credit(), h.W2)
}
