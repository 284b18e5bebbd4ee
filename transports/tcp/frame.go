package tcp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"gobench/device/protocol"
)

// frameSize is the length of the header of a frame: a prefix of 8 bytes and 24 bytes whose meaning
// depends on the kind.
//
//	byte 0     kind
//	bytes 1-3  zero
//	bytes 4-7  data bytes of a packet, short or long, little endian; zero for other kinds
//	bytes 8-31 the protocol's header of a packet; handle, offset and length of a put
//
// Where many data follow, the header is filled up with zeros to wideSize bytes, a cache line. The
// kernel copies a message into its own memory from the beginning of a page on, and is much slower
// where the copy begins within a line (docs/notes/tcp.md).
const (
	frameSize = 8 + protocol.HeaderSize
	wideSize  = 64
)

// wideFrom is the least data of a packet with a wide header. All puts and long packets have one.
const wideFrom = 4 << 10

// Kinds of frames.
const (
	framePacket = 1 + iota // a packet of the protocol, its data behind it
	framePut               // bytes for a registered buffer behind it
	frameLong              // a packet whose data the receiver reads into its destination
	frameEnd               // the last frame of a rank that closes
)

// frame is the decoded header of a frame.
type frame struct {
	kind   byte
	size   int             // data bytes of a packet, short or long
	header protocol.Header // of a packet; otherwise see putHeader
}

// head returns the length of the header.
func (f frame) head() int {
	if f.kind == framePut || f.kind == frameLong || f.size >= wideFrom {
		return wideSize
	}
	return frameSize
}

// encode writes the header to the front of b, which has room for wideSize bytes, and returns it.
func (f frame) encode(b []byte) []byte {
	b = b[:wideSize]
	binary.LittleEndian.PutUint64(b, uint64(f.kind)|uint64(f.size)<<32)
	f.header.Encode(b[8:])
	if f.head() == frameSize {
		return b[:frameSize]
	}
	clear(b[frameSize:])
	return b
}

// decodeFrame reads what encode wrote. It accepts only what encode writes, so that a stream that is
// out of step is detected.
func decodeFrame(b []byte) (frame, error) {
	word := binary.LittleEndian.Uint64(b)
	f := frame{kind: byte(word), size: int(word >> 32), header: protocol.DecodeHeader(b[8:])}
	switch {
	case f.kind < framePacket || f.kind > frameEnd || word<<32>>40 != 0:
		return frame{}, fmt.Errorf("its stream holds no frame where one must begin (%#x)", word)
	case f.kind == frameLong && f.size == 0:
		return frame{}, errors.New("it announces a long packet without data")
	case f.kind == framePacket && f.size > packetLimit:
		return frame{}, fmt.Errorf("it announces a packet of %d bytes, more than %d", f.size, packetLimit)
	case f.kind != framePacket && f.kind != frameLong && f.size != 0:
		return frame{}, fmt.Errorf("its frame of kind %d claims %d bytes of packet data", f.kind, f.size)
	}
	return f, nil
}

// putHeader packs the target of a put into the words of a frame.
func putHeader(handle uint64, offset, length int) protocol.Header {
	return protocol.Header{W0: handle, W1: uint64(offset), W2: uint64(length)}
}
