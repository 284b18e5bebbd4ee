package protocol

import (
	"encoding/binary"
	"fmt"
)

// HeaderSize is the length of an encoded Header in bytes.
const HeaderSize = 24

// A Header precedes the data of every packet. Wires do not interpret it. It has three words, so
// that it is passed in registers and, with a small message, fits one cache line.
//
//	W0  bits 0..7 kind, 8..15 flags, 32..63 tag
//	W1  bits 0..31 context, 32..63 credit: units of eager memory that the sender of this packet
//	    has freed so far, modulo 2^32
//	W2  by kind: size of the message, or a request of the receiver of this packet
type Header struct{ W0, W1, W2 uint64 }

// Encode writes h to the first HeaderSize bytes of b, little endian.
func (h Header) Encode(b []byte) {
	_ = b[HeaderSize-1]
	binary.LittleEndian.PutUint64(b, h.W0)
	binary.LittleEndian.PutUint64(b[8:], h.W1)
	binary.LittleEndian.PutUint64(b[16:], h.W2)
}

// DecodeHeader decodes what Encode wrote. Any 24 bytes decode to a Header; the protocol checks
// whether it is valid.
func DecodeHeader(b []byte) Header {
	_ = b[HeaderSize-1]
	return Header{
		W0: binary.LittleEndian.Uint64(b),
		W1: binary.LittleEndian.Uint64(b[8:]),
		W2: binary.LittleEndian.Uint64(b[16:]),
	}
}

// The packets that a peer may send depend on what this rank has asked it: kindCTS, kindFin,
// kindData and kindCancelled answer a request of this rank, by its handle; the others need none.
//
// kind is the type of a packet.
type kind uint8

const (
	kindEager     kind = iota + 1 // first or only fragment of a message; W2 = size of the message
	kindFragment                  // the next bytes of the eager message under way
	kindRTS                       // ready to send: W2 = sender's request; data = rts
	kindCTS                       // clear to send: W2 = sender's request; data = cts
	kindData                      // next bytes of a pipelined rendezvous; W2 = receiver's request
	kindFin                       // one side's part is complete; W2 = request of the packet's receiver
	kindCredit                    // carries only the credit
	kindCancel                    // withdraw the RTS of sender's request W2
	kindCancelled                 // answer: W2 = sender's request, flagYes if it was withdrawn
	// last packet of a rank that closes; W2 = 1 + the dead rank that made it close, 0 = none
	kindBye
	kindEnd // one past the last kind
)

var kindNames = [kindEnd]string{"", "eager", "fragment", "RTS", "CTS", "data", "FIN", "credit", "cancel", "cancelled", "bye"}

// flagYes is the answer yes of kindCancelled: the message was withdrawn before it was matched.
const flagYes = 1

// header returns a Header without credit, which flow.withCredit adds at each push.
func header(k kind, flags uint8, tag, context int32, w2 uint64) Header {
	return Header{
		W0: uint64(k) | uint64(flags)<<8 | uint64(uint32(tag))<<32,
		W1: uint64(uint32(context)),
		W2: w2,
	}
}

// The fields of a header, as its type says. kind may be no kind that there is.
func (h Header) kind() kind     { return kind(h.W0) }
func (h Header) flags() uint8   { return uint8(h.W0 >> 8) }
func (h Header) tag() int32     { return int32(h.W0 >> 32) }
func (h Header) context() int32 { return int32(h.W1) }
func (h Header) credit() uint32 { return uint32(h.W1 >> 32) }

// Kind returns the name of the packet's type, such as "RTS", for traces.
func (h Header) Kind() string {
	if k := h.kind(); k > 0 && k < kindEnd {
		return kindNames[k]
	}
	return "unknown"
}

// Last reports whether this packet is the last to its peer, the goodbye. A wire that batches
// acknowledgements requests one with it.
func (h Header) Last() bool { return h.kind() == kindBye }

// isWhole reports whether a packet with n bytes of data is a whole eager message with that tag and
// context.
func (h Header) isWhole(tag, context int32, n int) bool {
	return h.W0 == uint64(kindEager)|uint64(uint32(tag))<<32 && h.context() == context && h.W2 == uint64(n)
}

// String formats a header for a trace or an error.
func (h Header) String() string {
	return fmt.Sprintf("kind %d (%s) flags %d tag %d context %d credit %d word %#x",
		h.kind(), h.Kind(), h.flags(), h.tag(), h.context(), h.credit(), h.W2)
}

// rts is the data of an RTS packet, which announces a rendezvous: the size of the message, and the
// key of the sender's buffer if the receiver may read it. Control data is little endian.
type rts struct {
	size  uint64
	keyed bool
	key   Key
}

// rtsSize is the length of all RTS data: 8 bytes of size, 1 of keyed, 32 of key.
const rtsSize = 8 + 1 + 32

// encode returns the data in b, which is core.scratch.
func (m rts) encode(b *[64]byte) []byte {
	binary.LittleEndian.PutUint64(b[0:], m.size)
	b[8] = 0
	if m.keyed {
		b[8] = 1
	}
	putKey(b[9:], m.key)
	return b[:rtsSize]
}

// decodeRTS reports false for data that no correct peer sends, also for sizes near the limit of an
// int, with which sums would overflow.
func decodeRTS(b []byte) (rts, bool) {
	if len(b) != rtsSize || b[8] > 1 {
		return rts{}, false
	}
	m := rts{size: binary.LittleEndian.Uint64(b), keyed: b[8] == 1, key: getKey(b[9:])}
	return m, m.size < 1<<62
}

// cts is the data of a CTS packet: the sender is to move bytes at..until of the message to the
// receiver's request, in packets (Pipeline) or by writing to key.
type cts struct {
	method    Method
	at, until uint64
	request   uint64
	key       Key
}

// ctsSize is the length of all CTS data: 1 byte of method, 8 each of at, until and request, 32 of
// key. No control packet has more data, so a queue of them needs no other memory.
const ctsSize = 1 + 8 + 8 + 8 + 32

// encode returns the data in b, which is core.scratch.
func (m cts) encode(b *[64]byte) []byte {
	b[0] = byte(m.method)
	binary.LittleEndian.PutUint64(b[1:], m.at)
	binary.LittleEndian.PutUint64(b[9:], m.until)
	binary.LittleEndian.PutUint64(b[17:], m.request)
	putKey(b[25:], m.key)
	return b[:ctsSize]
}

// decodeCTS reports false for data that no correct peer sends. The range is checked against the
// request, by onCTS.
func decodeCTS(b []byte) (cts, bool) {
	if len(b) != ctsSize || b[0] > byte(Split) {
		return cts{}, false
	}
	return cts{
		method:  Method(b[0]),
		at:      binary.LittleEndian.Uint64(b[1:]),
		until:   binary.LittleEndian.Uint64(b[9:]),
		request: binary.LittleEndian.Uint64(b[17:]),
		key:     getKey(b[25:]),
	}, true
}

// putKey and getKey pass a key on as it is: only the wires of the two ranks know what it means.
func putKey(b []byte, k Key) {
	for i, word := range k {
		binary.LittleEndian.PutUint64(b[8*i:], word)
	}
}

func getKey(b []byte) (k Key) {
	for i := range k {
		k[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return k
}
