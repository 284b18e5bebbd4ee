package bench

import (
	"os"
	"unsafe"

	"gobench/device"
)

// buffers are the message buffers of one rank and one cell, with what they
// must contain.
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

// get returns the buffer of a stream and makes it when asked the first time,
// so that several Ops of a cell share it.
func (b *buffers) get(list *[]buffer, s stream, n int) []byte {
	for _, have := range *list {
		if have.stream == s {
			return have.data
		}
	}
	data, err := b.alloc(n)
	if err != nil {
		if b.err == nil {
			b.err = err
		}
		data = nil
	}
	*list = append(*list, buffer{s, data})
	return data
}

// own returns a new buffer that the Op looks after.
func (b *buffers) own(n int) []byte {
	data, err := b.alloc(n)
	if err != nil {
		if b.err == nil {
			b.err = err
		}
		return nil
	}
	b.owned = append(b.owned, buffer{data: data})
	return data
}

// prepare fills what is sent and poisons what is received in one iteration: a
// message that writes nothing is then wrong in every byte. The first
// call touches the memory first, on the thread that will use it.
func (b *buffers) prepare(iteration uint64) {
	for _, s := range b.sends {
		fill(s.data, s.seed(iteration), 0)
	}
	for _, r := range b.recvs {
		fill(r.data, r.seed(iteration), ^uint64(0))
	}
}

// check returns the first defect of what was received in an iteration, or nil.
func (b *buffers) check(iteration uint64) *DataError {
	for _, r := range b.recvs {
		if at, want := mismatch(r.data, r.seed(iteration)); at >= 0 {
			return &DataError{
				Bench: b.bench, Size: len(r.data), Rank: b.rank, Source: r.rank,
				Offset: at, Want: want, Got: r.data[at], Iteration: iteration,
			}
		}
	}
	return nil
}

// smallBuffers is what acknowledgements and the like may take besides the
// declared buffers.
const smallBuffers = 4096

// total is the size of all buffers.
func (b *buffers) total() int {
	n := 0
	for _, list := range [][]buffer{b.sends, b.recvs, b.owned} {
		for _, x := range list {
			n += len(x.data)
		}
	}
	return n
}

// checkable is the number of streams with data to check.
func (b *buffers) checkable() int {
	n := 0
	for _, r := range b.recvs {
		if len(r.data) > 0 {
			n++
		}
	}
	return n
}

// free gives memory back to the device it came from.
func (b *buffers) free(d device.Device) error {
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

// heapAlloc returns n zeroed bytes of ordinary memory that start on a page.
func heapAlloc(n int) ([]byte, error) {
	page := os.Getpagesize()
	b := make([]byte, n+page)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (page - 1)
	return b[skip : skip+n : skip+n], nil
}
