package tcp

import (
	"errors"

	"gobench/device/protocol"
)

// inboundSize is the size of the receive buffer of a connection: large enough to receive several
// packets by one system call, and small enough for the level-2 cache. The buffer is allocated at
// the first read.
const inboundSize = 2 * (wideSize + packetLimit)

// inbound splits the byte stream of one connection into frames. Packets are delivered from the
// buffer where they were received. The data of a put is read directly into the registered buffer.
type inbound struct {
	buf  []byte
	r, w int // received and not yet delivered: buf[r:w]

	fill   []byte // memory still to be written by the current put or long packet
	handle uint64 // the region of the put, while fill is not empty
	long   frame  // a long packet whose data have no place yet; kind 0: none
	lands  bool   // fill is of a long packet
	last   bool   // the last packet with data was long
	ended  bool   // the peer has sent its end frame
	peeked int    // the end of the packet that Peek has returned; 0: none
	failed error  // of a read by Peek, for the next Poll
}

// glance bounds the bytes of one read while a put or another long packet may arrive, so that its
// data is not read into the buffer together with its header.
const glance = 1 << 10

// target returns the memory for the next bytes of the stream: first fill, then tail. tail is never
// empty.
func (in *inbound) target(regions *regions) (fill, tail []byte) {
	if in.buf == nil {
		in.buf = make([]byte, inboundSize)
	}
	tail = in.buf[in.w:]
	if (regions.live > 0 && in.fill == nil || in.last) && in.r == in.w && len(tail) > glance {
		tail = tail[:glance]
	}
	return in.fill, tail
}

// deliver takes the n bytes that were read into target and delivers all complete packets to sink.
// An error means that src sent an invalid stream.
func (in *inbound) deliver(n int, src int, regions *regions, sink protocol.Sink) error {
	if len(in.fill) > 0 {
		direct := min(n, len(in.fill))
		n -= direct
		in.advance(direct, regions)
		if in.lands && in.fill == nil {
			in.lands = false
			sink.Landed(src)
		}
	}
	in.w += n
	for len(in.fill) == 0 && in.long.kind == 0 && in.w-in.r >= frameSize {
		f, body, whole, err := in.next()
		if err != nil || whole == 0 {
			return err
		}
		switch f.kind {
		case framePacket:
			in.take(whole)
			sink.Packet(src, f.header, in.buf[body:whole])
		case framePut:
			in.r = body
			if err := in.startPut(f.header, regions); err != nil {
				return err
			}
		case frameLong:
			in.r, in.long, in.last = body, f, true
		case frameEnd:
			in.r = body
			in.ended = true
		}
	}
	in.makeRoom(frameSize)
	return nil
}

// next decodes the next frame, whose header has arrived, and returns where its data begin and where
// a packet ends. whole is 0 if they have not all arrived; then there is room for them.
func (in *inbound) next() (f frame, body, whole int, err error) {
	if f, err = decodeFrame(in.buf[in.r:]); err != nil {
		return f, 0, 0, err
	}
	body = in.r + f.head()
	whole = body
	if f.kind == framePacket {
		whole += f.size
	}
	if in.w < whole {
		in.makeRoom(whole - in.r)
		return f, 0, 0, nil
	}
	return f, body, whole, nil
}

// take removes the packet that ends at whole.
func (in *inbound) take(whole int) {
	in.last = in.last && whole == in.r+frameSize // without data
	in.r, in.peeked = whole, 0
}

// land sets the memory for the long packet whose header has been read, and moves the bytes read so
// far there.
func (in *inbound) land(src int, regions *regions, sink protocol.Sink) error {
	f := in.long
	in.long = frame{}
	dst := sink.Land(src, f.header, f.size)
	if dst == nil {
		return errors.New("it sent a long packet that has no place")
	}
	n := copy(dst, in.buf[in.r:in.w])
	in.r += n
	in.makeRoom(frameSize)
	in.fill, in.lands = dst[n:], true
	if len(in.fill) > 0 {
		return nil
	}
	in.fill, in.lands = nil, false
	sink.Landed(src)
	return in.deliver(0, src, regions, sink)
}

// startPut sets the target of a put, and moves the bytes read so far there.
func (in *inbound) startPut(h protocol.Header, regions *regions) error {
	dst, err := regions.target(h)
	if err != nil || len(dst) == 0 {
		return err
	}
	in.fill, in.handle = dst, h.W0
	regions.find(h.W0).filling++
	n := copy(dst, in.buf[in.r:in.w])
	in.r += n
	in.advance(n, regions)
	return nil
}

func (in *inbound) advance(n int, regions *regions) {
	in.fill = in.fill[n:]
	if len(in.fill) == 0 {
		in.fill = nil
		if in.lands {
			return
		}
		if r := regions.find(in.handle); r != nil {
			r.filling--
		}
	}
}

// makeRoom moves the undelivered bytes to the front of the buffer if a frame of need bytes would
// not fit.
func (in *inbound) makeRoom(need int) {
	if in.r == in.w {
		in.r, in.w = 0, 0
	} else if in.r+need > len(in.buf) {
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
	}
}
