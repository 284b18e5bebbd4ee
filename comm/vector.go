package comm

import (
	"encoding/binary"
	"math/bits"

	"gobench/device"
)

// SendVector sends the elements of data that v selects as one contiguous message. Any receive of
// equally many elements can receive it.
func SendVector[T Type](c *Comm, data []T, v Vector, dst, tag int) error {
	r, err := IsendVector(c, data, v, dst, tag)
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

// RecvVector receives a message into the elements of data that v selects, and leaves the elements
// between them unchanged.
func RecvVector[T Type](c *Comm, data []T, v Vector, src, tag int) (Status, error) {
	r, err := IrecvVector(c, data, v, src, tag)
	if err != nil {
		return Status{}, err
	}
	return r.Wait()
}

// IsendVector starts a SendVector. Elements that are not contiguous are first copied to a buffer of
// the communicator.
func IsendVector[T Type](c *Comm, data []T, v Vector, dst, tag int) (Request, error) {
	if err := v.check("send", len(data)); err != nil {
		return Request{}, err
	}
	if v.contiguous() {
		return c.isend(standard, raw(data[:v.Len()]), dst, tag)
	}
	if err := c.checkSend("send", dst, tag); err != nil {
		return Request{}, err
	}
	return c.isendVector(raw(data), v.bytes(size[T]()), dst, tag)
}

// IrecvVector starts a RecvVector. The elements are copied to their places when the request
// completes.
func IrecvVector[T Type](c *Comm, data []T, v Vector, src, tag int) (Request, error) {
	if err := v.check("recv", len(data)); err != nil {
		return Request{}, err
	}
	if v.contiguous() {
		return c.irecv(raw(data[:v.Len()]), src, tag)
	}
	if err := c.checkRecv("recv", src, tag); err != nil {
		return Request{}, err
	}
	return c.irecvVector(raw(data), v.bytes(size[T]()), src, tag)
}

// strided implements deferred for a message that travels through a buffer of the pool. Records are
// reused; the generation distinguishes one use from the next.
type strided struct {
	c          *Comm
	generation uint64
	request    Request
	buffer     []byte
	data       []byte // where a received message goes; nil for a send
	layout     Vector // in bytes
}

func (c *Comm) isendVector(data []byte, v Vector, dst, tag int) (Request, error) {
	t := c.record(v)
	v.pack(t.buffer, data)
	r, err := c.isend(standard, t.buffer, dst, tag)
	return t.started(r, err)
}

func (c *Comm) irecvVector(data []byte, v Vector, src, tag int) (Request, error) {
	t := c.record(v)
	t.data = data
	r, err := c.irecv(t.buffer, src, tag)
	return t.started(r, err)
}

// record takes a record with a buffer for a pattern.
func (c *Comm) record(v Vector) *strided {
	c.engine.Lock()
	defer c.engine.Unlock()
	var t *strided
	p := &c.pool
	if n := len(p.records); n > 0 {
		t = p.records[n-1]
		p.records = p.records[:n-1]
	} else {
		t = &strided{c: c, generation: 1}
	}
	t.buffer, t.layout = p.take(v.Len()), v
	return t
}

func (t *strided) started(r Request, err error) (Request, error) {
	if err != nil {
		t.release()
		return Request{}, err
	}
	t.request = r
	return Request{c: t.c, more: t, id: t.generation}, nil
}

// release returns the record and its buffer to the pool.
func (t *strided) release() {
	t.c.engine.Lock()
	defer t.c.engine.Unlock()
	p := &t.c.pool
	p.give(t.buffer)
	t.generation++
	t.request, t.buffer, t.data = Request{}, nil, nil
	p.records = append(p.records, t)
}

func (t *strided) wait(id uint64) (Status, error) {
	if id != t.generation {
		return Status{}, device.ErrRequest
	}
	status, err := t.request.Wait()
	t.end(status)
	return status, err
}

func (t *strided) test(id uint64) (Status, bool, error) {
	if id != t.generation {
		return Status{}, false, device.ErrRequest
	}
	status, done, err := t.request.Test()
	if done || err != nil {
		t.end(status)
	}
	return status, done, err
}

// end copies the received bytes to the pattern: after an error s.Bytes is 0, unless the message was
// too long.
func (t *strided) end(s Status) {
	if t.data != nil && !s.Cancelled {
		t.layout.unpack(t.data, t.buffer[:min(s.Bytes, len(t.buffer))])
	}
	t.release()
}

func (t *strided) cancel(id uint64) error {
	if id != t.generation {
		return device.ErrRequest
	}
	return t.request.Cancel()
}

func (t *strided) active() bool { return true }
func (t *strided) lasts() bool  { return false }

// A Vector is a regular pattern in a slice, in elements, like MPI_Type_vector:
// Count blocks of Block elements, Stride from the start of one to
// the start of the next. A column of an h x w matrix is Vector{h, 1, w}.
type Vector struct{ Count, Block, Stride int }

// Len returns the number of elements in the pattern.
func (v Vector) Len() int { return v.Count * v.Block }

// Extent returns the number of elements from the first to the last of the pattern,
// inclusive.
func (v Vector) Extent() int {
	if v.Len() == 0 {
		return 0
	}
	return (v.Count-1)*v.Stride + v.Block
}

// contiguous reports whether the pattern has no gaps.
func (v Vector) contiguous() bool { return v.Count <= 1 || v.Block == v.Stride || v.Block == 0 }

// check checks the pattern against a slice of n elements. Overlapping blocks are an error, also for
// sends.
func (v Vector) check(op string, n int) error {
	switch {
	case v.Count < 0:
		return &ArgumentError{op, "the count of the vector", v.Count, "0 or more"}
	case v.Block < 0:
		return &ArgumentError{op, "the block of the vector", v.Block, "0 or more"}
	case v.Count > 1 && v.Stride < v.Block:
		return &ArgumentError{op, "the stride of the vector", v.Stride, "at least the block"}
	case v.Count > 0 && v.Block > n || v.Count > 1 && v.Block > 0 && (n-v.Block)/v.Stride < v.Count-1:
		return &ArgumentError{op, "the length of the data", n, "at least the extent of the vector"}
	}
	return nil
}

// bytes returns the pattern in bytes.
func (v Vector) bytes(elem int) Vector { return Vector{v.Count, v.Block * elem, v.Stride * elem} }

// pack gathers the pattern of src into dst, of its length. v is in bytes.
func (v Vector) pack(dst, src []byte) {
	switch v.Block {
	case 8: // loads and stores of one element are several times as fast as copying few bytes
		for i := range v.Count {
			binary.LittleEndian.PutUint64(dst[8*i:], binary.LittleEndian.Uint64(src[i*v.Stride:]))
		}
	case 4:
		for i := range v.Count {
			binary.LittleEndian.PutUint32(dst[4*i:], binary.LittleEndian.Uint32(src[i*v.Stride:]))
		}
	default:
		for i := range v.Count {
			copy(dst[i*v.Block:(i+1)*v.Block], src[i*v.Stride:])
		}
	}
}

// unpack scatters src, which may be shorter than the pattern, into the pattern of dst.
func (v Vector) unpack(dst, src []byte) {
	whole := len(src) / max(v.Block, 1)
	switch v.Block {
	case 8:
		for i := range whole {
			binary.LittleEndian.PutUint64(dst[i*v.Stride:], binary.LittleEndian.Uint64(src[8*i:]))
		}
	case 4:
		for i := range whole {
			binary.LittleEndian.PutUint32(dst[i*v.Stride:], binary.LittleEndian.Uint32(src[4*i:]))
		}
	default:
		for i := range whole {
			copy(dst[i*v.Stride:], src[i*v.Block:(i+1)*v.Block])
		}
	}
	if v.Block > 0 {
		copy(dst[min(whole*v.Stride, len(dst)):], src[whole*v.Block:])
	}
}

// A pool holds free buffers for messages that are not contiguous, by powers of two.
// It grows with the greatest number of them in progress and never shrinks.
type pool struct {
	free    [bits.UintSize][][]byte
	records []*strided
}

// take returns n bytes, which are not zeroed.
func (p *pool) take(n int) []byte {
	class := class(n)
	list := p.free[class]
	if len(list) == 0 {
		return make([]byte, n, 1<<class)
	}
	b := list[len(list)-1]
	p.free[class] = list[:len(list)-1]
	return b[:n]
}

func (p *pool) give(b []byte) {
	class := class(cap(b))
	p.free[class] = append(p.free[class], b)
}

// class returns the logarithm of the least power of two that is at least n.
func class(n int) int { return bits.Len(uint(max(n, 1) - 1)) }
