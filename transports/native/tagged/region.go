//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"errors"
	"slices"
	"unsafe"

	"gobench/device"
)

var _ device.RegionAllocator = (*Device)(nil)

// A region is memory that the library accesses by keys.
type region struct {
	d     *Device
	mem   []byte         // at least one byte
	bytes int            // of it that are used
	shown unsafe.Pointer // handle of mem
	parts []part
}

// A part is the memory of a rank of the region.
type part struct {
	target
	held [][]byte // data of puts and gets since the last Flush: the library uses it until then
	puts bool     // some of them are puts
}

// Regions implements device.RegionAllocator.
func (d *Device) Regions(ranks []int) bool {
	r := &d.Remote
	offered := !d.closed && r.Alone != nil && r.Offers(device.LinkPut) == nil && r.Offers(device.LinkGet) == nil
	return offered && !slices.ContainsFunc(ranks, func(rank int) bool { return d.peers[rank].err != nil || !r.Alone(rank) })
}

// AllocRegion exchanges keys by messages. If the memory of any rank cannot be registered, no rank
// has a region.
func (d *Device) AllocRegion(context int32, ranks []int, n int) (device.Region, error) {
	if d.closed {
		return nil, device.ErrClosed
	}
	r := &region{d: d, bytes: n, parts: make([]part, len(ranks))}
	var packed []byte
	var failed error
	if d.Remote.Alloc != nil {
		r.mem, r.shown, packed, failed = d.Remote.Alloc(max(n, 1))
	} else if r.mem, failed = d.Memory.Alloc(max(n, 1)); failed == nil {
		clear(r.mem) // so that the pages are there: FI_MR_ALLOCATED of libfabric
		r.shown, packed, failed = d.Remote.Expose(r.mem)
	}
	own, _ := keyMessage(len(r.mem), packed, failed)
	all, err := device.Swap(d, own, ranks, 0, context)
	refused := slices.ContainsFunc(all, func(message []byte) bool { return keyedBytes(message) == 0 })
	for i, rank := range ranks {
		if err == nil && !refused {
			r.parts[i].target, err = d.reach(rank, all[i], -1)
		}
	}
	if err = device.Ready(d, err, ranks, context); err == nil && refused {
		err = errors.ErrUnsupported
	}
	if err != nil {
		r.release()
		return nil, err
	}
	d.regions = append(d.regions, r)
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
	t.held, t.puts = append(t.held, data), true
	return t.post(accessPut, data, offset, 0)
}

// Get implements device.Region.
func (r *region) Get(data []byte, target, offset int) error {
	t := &r.parts[target]
	if err := t.begin(); err != nil || len(data) == 0 {
		return err
	}
	t.held = append(t.held, data)
	return t.post(accessGet, data, offset, 0)
}

// Flush implements device.Region. The end of a get is its completion; that of a put says only that
// its data may be changed, except with libfabric (FI_DELIVERY_COMPLETE).
func (r *region) Flush(target int) error {
	t := &r.parts[target]
	err := t.begin()
	switch {
	case err != nil:
		return err
	case t.puts:
		err = t.inPlace()
	default:
		err = t.settle()
	}
	if err == nil {
		clear(t.held)
		t.held, t.puts = t.held[:0], false
	}
	return err
}

// Close implements device.Region.
func (r *region) Close() error {
	if r.d.closed {
		return device.ErrClosed
	}
	r.d.regions = slices.DeleteFunc(r.d.regions, func(open *region) bool { return open == r })
	r.release()
	return nil
}

func (r *region) release() {
	for _, t := range r.parts {
		if t.key != nil && r.d.core.open(t.peer) == 0 { // else UCX would use the key when it closes
			r.d.Remote.Forget(t.key)
		}
	}
	if r.shown != nil {
		r.d.Remote.Conceal(r.shown)
	}
	r.d.Memory.Free(r.mem)
}
