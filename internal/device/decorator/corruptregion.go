package decorator

import (
	"bytes"
	"slices"
	"unsafe"

	"gobench/device"
)

// Regions implements device.RegionAllocator. Only Corrupt reaches what a region moves: under the
// other decorators there are no regions, so that windows use messages.
func (w *dev) Regions(ranks []int) bool {
	allocator, ok := w.inner.(device.RegionAllocator)
	_, corrupts := w.hook.(*corrupt)
	return ok && corrupts && allocator.Regions(ranks)
}

// AllocRegion implements device.RegionAllocator.
func (w *dev) AllocRegion(context int32, ranks []int, n int) (device.Region, error) {
	r, err := w.inner.(device.RegionAllocator).AllocRegion(context, ranks, n)
	h := w.hook.(*corrupt)
	if err != nil || !h.in(context) {
		return r, err
	}
	return &corruptRegion{r, h, make([][][]byte, len(ranks)), make([][][]byte, len(ranks))}, nil
}

// corruptRegion damages the data of every-th operations.
type corruptRegion struct {
	device.Region
	hook *corrupt
	sent [][][]byte // by target: damaged copies of what is put, until the next Flush
	got  [][][]byte // by target: what the next Flush damages
}

func (r *corruptRegion) Put(data []byte, target, offset int) error {
	if r.hook.several(1) {
		data = bytes.Clone(data)
		damage(data)
		r.sent[target] = append(r.sent[target], data)
	}
	return r.Region.Put(data, target, offset)
}

func (r *corruptRegion) Get(data []byte, target, offset int) error {
	same := func(b []byte) bool { return unsafe.SliceData(b) == unsafe.SliceData(data) }
	if r.hook.several(1) && !slices.ContainsFunc(r.got[target], same) {
		r.got[target] = append(r.got[target], data)
	}
	return r.Region.Get(data, target, offset)
}

func (r *corruptRegion) Flush(target int) error {
	err := r.Region.Flush(target)
	for _, b := range r.got[target] {
		damage(b)
	}
	r.sent[target], r.got[target] = nil, nil
	return err
}
