package decorator

import (
	"errors"

	"gobench/device"
)

// AllocRegion implements device.RegionAllocator. Only Corrupt reaches what a region moves: under
// the other decorators there are no regions, so that windows use messages.
func (w *dev) AllocRegion(context int32, ranks []int, n int) (device.Region, error) {
	allocator, ok := w.inner.(device.RegionAllocator)
	h, corrupts := w.hook.(*corrupt)
	if !ok || !corrupts {
		return nil, errors.ErrUnsupported
	}
	r, err := allocator.AllocRegion(context, ranks, n)
	if err != nil || !h.in(context) {
		return r, err
	}
	return &corruptRegion{r, h, make([][][]byte, len(ranks))}, nil
}

// corruptRegion damages the data of every-th operations. The data of the caller is damaged until
// Flush only, because the rank that it is written to makes no call.
type corruptRegion struct {
	device.Region
	hook    *corrupt
	damaged [][][]byte // by target: what the next Flush flips
}

func (r *corruptRegion) Put(data []byte, target, offset int) error {
	r.spoil(data, target)
	return r.Region.Put(data, target, offset)
}

func (r *corruptRegion) Get(data []byte, target, offset int) error {
	if r.hook.several(1) {
		r.damaged[target] = append(r.damaged[target], data)
	}
	return r.Region.Get(data, target, offset)
}

func (r *corruptRegion) Update(u *device.Update, target, offset int) error {
	if u.Result == nil {
		r.spoil(u.Data, target)
	} else if r.hook.several(1) {
		r.damaged[target] = append(r.damaged[target], u.Result)
	}
	return r.Region.Update(u, target, offset)
}

// spoil damages what is written to a target.
func (r *corruptRegion) spoil(data []byte, target int) {
	if r.hook.several(1) {
		damage(data)
		r.damaged[target] = append(r.damaged[target], data)
	}
}

func (r *corruptRegion) Flush(target int) error {
	err := r.Region.Flush(target)
	for _, b := range r.damaged[target] {
		damage(b)
	}
	r.damaged[target] = nil
	return err
}
