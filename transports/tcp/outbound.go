package tcp

import (
	"cmp"

	"gobench/device/protocol"
)

// outboundSize bounds the bytes that a connection buffers when the socket accepts only a part: at
// least one whole frame and some small ones after it.
const outboundSize = wideSize + packetLimit + 16<<10

// outbound holds the bytes that one connection still has to write: copied bytes, and at most one
// put or long packet (called put below), whose bytes are borrowed. In stream order these are
// buf[r:at], put, buf[at:w]; without a put, at equals w.
type outbound struct {
	buf      []byte // made when first needed
	r, at, w int

	put     []byte // what is left of it
	putting bool
	token   uint64
	lost    string // why writing has failed, "" if it has not
}

func (o *outbound) idle() bool { return o.r == o.w && !o.putting }

// keep appends a frame without its first skip bytes, which are written already, and reports whether
// there was room.
func (o *outbound) keep(head, data []byte, skip int) bool {
	if o.buf == nil {
		o.buf = make([]byte, outboundSize)
	}
	if o.w+len(head)+len(data)-skip > len(o.buf) {
		if o.r == 0 || o.w-o.r+len(head)+len(data)-skip > len(o.buf) {
			return false
		}
		copy(o.buf, o.buf[o.r:o.w])
		o.at, o.w, o.r = o.at-o.r, o.w-o.r, 0
	}
	if skip < len(head) {
		o.w += copy(o.buf[o.w:], head[skip:])
		skip = len(head)
	}
	o.w += copy(o.buf[o.w:], data[skip-len(head):])
	if !o.putting {
		o.at = o.w
	}
	return true
}

// next returns the parts to write now, at most chunk bytes of a put.
func (o *outbound) next(chunk int) (before, put, after []byte) {
	before = o.buf[o.r:o.at]
	if !o.putting {
		return before, nil, nil
	}
	if len(o.put) > chunk {
		return before, o.put[:chunk], nil
	}
	return before, o.put, o.buf[o.at:o.w]
}

// wrote removes n bytes from the front and reports whether that completed the put.
func (o *outbound) wrote(n int) (putDone bool) {
	k := min(n, o.at-o.r)
	o.r += k
	n -= k
	if o.putting {
		k = min(n, len(o.put))
		o.put = o.put[k:]
		if n -= k; len(o.put) == 0 && o.r == o.at {
			o.put, o.putting, putDone = nil, false, true
			o.r += n
			o.at = o.w
		}
	}
	if o.r == o.w && !o.putting {
		o.r, o.at, o.w = 0, 0, 0
	}
	return putDone
}

// begin appends put to the buffered bytes.
func (o *outbound) begin(put []byte, token uint64) {
	o.put, o.putting, o.token = put, true, token
	o.at = o.w
}

// scratchFor returns memory for any header, and for the data of a packet that is copied after it.
func scratchFor(set settings) []byte { return make([]byte, wideSize+set.merge) }

// send writes a frame to the link, as much of it as the kernel accepts, and buffers the rest. If
// there is no room for the rest, it does nothing and reports false.
func (c *conn) send(f frame, data []byte) bool {
	o := &c.out
	head := f.encode(c.wire.scratch)
	if !o.idle() {
		return o.keep(head, data, 0)
	}
	var n int
	var err error
	if len(data) <= c.wire.set.merge {
		n, err = c.link.write(c.wire.scratch[:len(head)+copy(c.wire.scratch[len(head):], data)], nil, nil)
	} else {
		n, err = c.link.write(head, data, nil)
	}
	switch {
	case n == len(head)+len(data):
		return true
	case err != nil:
		c.lose(err)
		return true
	case n == 0:
		return false
	}
	o.keep(head, data, n)
	c.wire.pending(c)
	return true
}

// sendLong writes a frame to the link, as much of it as the kernel accepts, and borrows the rest.
func (c *conn) sendLong(f frame, data []byte, token uint64) protocol.Started {
	o := &c.out
	if o.putting {
		return protocol.Busy
	}
	head := f.encode(c.wire.scratch)
	n := 0
	if o.idle() {
		var err error
		n, err = c.link.write(head, data[:min(len(data), c.wire.set.chunk)], nil)
		switch {
		case n == len(head)+len(data):
			return protocol.Done
		case err != nil:
			c.lose(err)
			return protocol.Done
		case n == 0:
			return protocol.Busy
		}
	}
	if n < len(head) && !o.keep(head, nil, n) {
		return protocol.Busy
	}
	o.begin(data[max(0, n-len(head)):], token)
	c.wire.pending(c)
	return protocol.Pending
}

// flush writes the buffered bytes with one system call. It reports whether it wrote any, and
// whether that completed the put.
func (c *conn) flush() (moved, putDone bool) {
	if c.out.lost != "" {
		return false, false
	}
	n, err := c.link.write(c.out.next(c.wire.set.chunk))
	if n > 0 {
		putDone = c.out.wrote(n)
	}
	if err != nil {
		c.lose(err)
	}
	return n > 0, putDone
}

// lose records that nothing more can be written. The peer does not fail yet, because data that it
// sent before may still have to be read.
func (c *conn) lose(err error) {
	c.out.lost = cmp.Or(c.out.lost, c.peer.describe(err))
}
