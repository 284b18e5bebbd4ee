//go:build mpi && cgo

package mpi

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"gobench/device"
	"gobench/transports/mpi/library"
)

var _ device.RegionAllocator = (*mpi)(nil)

// accumulators are in the order of library/abi/table.h.
var accumulators = append(slices.Clone(operators), "land", "lor", "lxor", "replace", device.OpNone, device.OpSwap)

// integers are the element types of windows with operators, the shorter ones first.
var integers = []string{"int8", "uint8", "int16", "uint16", "int32", "uint32", "int", "int64", "uint", "uint64"}

// A region is a window of MPI. Its memory model is MPI_WIN_UNIFIED: what MPI_Win_flush has
// completed is in the memory of the target, and the message that tells the target so orders its
// loads.
type region struct {
	d      *mpi
	group  device.Group
	window *library.Window
	mem    []byte

	// The last operator, so that names are looked up once.
	operator, element string
	reduction         library.Reduction
}

// AllocRegion makes a window by MPI_Win_allocate. A put of MPICH 4.0 waits for the target's next
// call of MPI, which takes a millisecond if that rank sleeps, and longer than messages if it does
// not.
func (d *mpi) AllocRegion(context int32, ranks []int, n int) (device.Region, error) {
	if strings.Contains(d.job.Version, "MPICH Version: 4.0.") {
		return nil, errors.ErrUnsupported
	}
	g, err := d.Group(context, ranks)
	if err != nil {
		return nil, err
	}
	mem, window, err := library.Allocate(g.(*group).number, n)
	if err == nil && window == nil {
		err = errors.ErrUnsupported
	}
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return &region{d: d, group: g, window: window, mem: mem}, nil
}

// Bytes implements device.Region.
func (r *region) Bytes() []byte { return r.mem }

// check returns the error of a call that has returned a code.
func (r *region) check(call string, code int) error {
	if code == 0 {
		return nil
	}
	return library.Check(call, code)
}

// Put is MPI_Put.
func (r *region) Put(data []byte, target, offset int) error {
	if r.d.closed {
		return device.ErrClosed
	}
	return r.check("MPI_Put", r.window.Put(data, target, offset))
}

// Get is MPI_Get.
func (r *region) Get(data []byte, target, offset int) error {
	if r.d.closed {
		return device.ErrClosed
	}
	return r.check("MPI_Get", r.window.Get(data, target, offset))
}

// Offers reports that a window of integers has all operators: MPI_Compare_and_swap has no other
// types, and accumulations of one element have one type (MPI-4.0, 12.7.1). With Open MPI 4 it is
// only integers of 32 and 64 bits without compare-and-swap: in 4.1.4 sums of shorter ones saturate
// (component op/avx), and MPI_Compare_and_swap ends with a segmentation fault (osc/rdma).
func (r *region) Offers(operator, element string) bool {
	i := slices.Index(integers, element)
	if strings.HasPrefix(r.d.job.Version, "Open MPI v4.") && (operator == device.OpSwap || i < slices.Index(integers, "int32")) {
		return false
	}
	return i >= 0 && slices.Contains(accumulators, operator)
}

// Update is MPI_Fetch_and_op, MPI_Get_accumulate, MPI_Accumulate or MPI_Compare_and_swap.
func (r *region) Update(u *device.Update, target, offset int) error {
	if r.d.closed {
		return device.ErrClosed
	}
	if u.Operator != r.operator || u.Element != r.element {
		r.operator, r.element = u.Operator, u.Element
		r.reduction = library.Reduction{Element: elementOf(u.Element), Operator: slices.Index(accumulators, u.Operator)}
	}
	return r.check("an atomic operation of MPI", r.window.Update(u.Data, u.Result, r.reduction, target, offset))
}

// Flush is MPI_Win_flush. It waits in the library, whatever the option wait is.
func (r *region) Flush(target int) error {
	if r.d.closed {
		return device.ErrClosed
	}
	return r.check("MPI_Win_flush", r.window.Flush(target))
}

// Close is MPI_Win_free.
func (r *region) Close() error {
	if r.d.closed {
		return device.ErrClosed
	}
	return cmp.Or(r.window.Free(), r.group.Close())
}
