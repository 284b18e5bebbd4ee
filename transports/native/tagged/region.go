//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"unsafe"

	"gobench/device"
)

var _ device.RegionAllocator = (*Device)(nil)

// A region is memory that the library accesses by keys.
type region struct {
	d       *Device
	mem     []byte         // at least one byte
	bytes   int            // of it that are used
	shown   unsafe.Pointer // handle of mem
	parts   []part
	scratch []byte // takes results that nobody wants
}

// A part is the memory of a rank of the region.
type part struct {
	target
	puts, gets bool // since the last Flush
}

// AllocRegion exchanges keys by messages.
func (d *Device) AllocRegion(context int32, ranks []int, n int) (device.Region, error) {
	switch {
	case d.closed:
		return nil, device.ErrClosed
	case !d.Remote.Alone || d.Remote.Offers(device.LinkPut) != nil || d.Remote.Offers(device.LinkGet) != nil:
		return nil, errors.ErrUnsupported
	}
	r := &region{d: d, bytes: n, parts: make([]part, len(ranks)), scratch: make([]byte, word)}
	var packed []byte
	var failed error
	if d.Remote.Alloc != nil {
		r.mem, r.shown, packed, failed = d.Remote.Alloc(max(n, 1))
	} else if r.mem, failed = d.Memory.Alloc(max(n, 1)); failed == nil {
		r.shown, packed, failed = d.Remote.Expose(r.mem)
	}
	own, failed := keyMessage(len(r.mem), packed, failed)
	all, err := device.Swap(d, own, ranks, 0, context)
	failed = cmp.Or(failed, err)
	for i, rank := range ranks {
		if failed == nil {
			r.parts[i].target, failed = d.reach(rank, all[i], -1)
		}
	}
	if err := device.Ready(d, failed, ranks, context); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Bytes implements device.Region.
func (r *region) Bytes() []byte { return r.mem[:r.bytes] }

// Put implements device.Region.
func (r *region) Put(data []byte, target, offset int) error {
	t := &r.parts[target]
	if err := t.begin(); err != nil || len(data) == 0 {
		return err
	}
	t.puts = true
	return t.post(accessPut, data, offset, 0, 0)
}

// Get implements device.Region.
func (r *region) Get(data []byte, target, offset int) error {
	t := &r.parts[target]
	if err := t.begin(); err != nil || len(data) == 0 {
		return err
	}
	t.gets = true
	return t.post(accessGet, data, offset, 0, 0)
}

// Flush implements device.Region. The end of a get is its completion; that of a put says only that
// its data may be changed, except with libfabric (FI_DELIVERY_COMPLETE).
func (r *region) Flush(target int) error {
	t := &r.parts[target]
	puts, gets := t.puts, t.gets
	t.puts, t.gets = false, false
	switch err := t.begin(); {
	case err != nil:
		return err
	case puts:
		return t.inPlace()
	case gets:
		return t.settle()
	}
	return nil
}

// word is the length of the integers of atomic operations, in bytes.
const word = 8

// Offers implements device.Region: networks add and swap integers of 64 bits.
func (r *region) Offers(operator, element string) bool {
	switch {
	case !slices.Contains([]string{"int", "int64", "uint", "uint64"}, element):
		return false
	case operator == device.OpSwap:
		return r.d.Remote.Offers(device.LinkCompareSwap) == nil
	}
	return (operator == "sum" || operator == device.OpNone) && r.d.Remote.Offers(device.LinkFetchAdd) == nil
}

// Update waits for the results: the order of atomic operations that are under way together differs
// from network to network. A swap has one element.
func (r *region) Update(u *device.Update, target, offset int) error {
	t := &r.parts[target]
	if err := t.begin(); err != nil {
		return err
	}
	kind, step := accessAdd, word
	if u.Operator == device.OpSwap {
		kind, step = accessSwap, 2*word
	}
	for i := 0; i < len(u.Data); i += step {
		operand, stored := uint64(0), uint64(0) // of OpNone
		if u.Operator != device.OpNone {
			operand = binary.NativeEndian.Uint64(u.Data[i:])
		}
		if kind == accessSwap {
			stored = binary.NativeEndian.Uint64(u.Data[word:])
		}
		if err := t.post(kind, r.result(u, i), offset+i, operand, stored); err != nil {
			return err
		}
	}
	return t.settle()
}

// result returns the place of the result of the integer at i.
func (r *region) result(u *device.Update, i int) []byte {
	if u.Result == nil {
		return r.scratch
	}
	return u.Result[i : i+word]
}

// Close implements device.Region.
func (r *region) Close() error {
	if r.d.closed {
		return device.ErrClosed
	}
	for _, t := range r.parts {
		if t.key != nil {
			r.d.Remote.Forget(t.key)
		}
	}
	if r.shown != nil {
		r.d.Remote.Conceal(r.shown)
	}
	r.d.Memory.Free(r.mem)
	return nil
}
