package tcp

import (
	"gobench/device/protocol"
)

// inboundSize is the receive buffer of a connection: room for several packets,
// so that one system call brings many, and small enough to stay in a second
// level cache. It is made when the connection is first read.
const inboundSize = 2 * (frameSize + packetLimit)

// inbound splits the byte stream of one connection into frames. Packets are
// delivered from the buffer where they were received. The data of a put goes
// from the socket straight into the registered buffer.
type inbound struct {
	buf  []byte
	r, w int // received and not yet delivered: buf[r:w]

	fill   []byte // what the put under way still has to write
	handle uint64 // its region, while fill is not empty
	ended  bool   // the peer has sent its end frame
}

// glance bounds the bytes of one read while a put may arrive, so that its data is not read into the
// buffer together with its header.
const glance = 1 << 10

// target returns where the next bytes of the stream belong: first all of fill,
// then tail. tail is never empty.
func (in *inbound) target(regions *regions) (fill, tail []byte) {
	if in.buf == nil {
		in.buf = make([]byte, inboundSize)
	}
	tail = in.buf[in.w:]
	if regions.live > 0 && in.fill == nil && in.r == in.w && len(tail) > glance {
		tail = tail[:glance]
	}
	return in.fill, tail
}

// deliver takes the n bytes that were read into target and delivers all complete packets to sink. An
// error means that src sent an invalid stream.
func (in *inbound) deliver(n int, src int, regions *regions, sink protocol.Sink) error {
	if len(in.fill) > 0 {
		direct := min(n, len(in.fill))
		in.advance(direct, regions)
		n -= direct
	}
	in.w += n
	for len(in.fill) == 0 && in.w-in.r >= frameSize {
		f, err := decodeFrame(in.buf[in.r:])
		if err != nil {
			return err
		}
		body := in.r + frameSize
		switch f.kind {
		case framePacket:
			if in.w-body < f.size {
				in.makeRoom(frameSize + f.size)
				return nil
			}
			in.r = body + f.size
			sink.Packet(src, f.header, in.buf[body:in.r])
		case framePut:
			in.r = body
			if err := in.startPut(f.header, regions); err != nil {
				return err
			}
		case frameEnd:
			in.r = body
			in.ended = true
		}
	}
	in.makeRoom(frameSize)
	return nil
}

// startPut directs the stream to the target of a put, and moves there what has been read of it already.
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
		if r := regions.find(in.handle); r != nil {
			r.filling--
		}
	}
}

// makeRoom moves what is left to the front of the buffer if a frame of need bytes would not fit behind
// it.
func (in *inbound) makeRoom(need int) {
	if in.r == in.w {
		in.r, in.w = 0, 0
	} else if in.r+need > len(in.buf) {
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
	}
}
