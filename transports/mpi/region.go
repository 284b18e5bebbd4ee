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

// A region is a window of MPI. Its memory model is MPI_WIN_UNIFIED: what MPI_Win_flush has
// completed is in the memory of the target, and the message that tells the target so orders its
// loads.
type region struct {
	d      *mpi
	group  device.Group
	window *library.Window
	mem    []byte
}

// mpich40 is in the version of MPICH 4.0.
const mpich40 = "MPICH Version: 4.0."

// Regions returns false for MPICH 4.0: a put waits for the target's next call of MPI, which takes a
// millisecond if that rank sleeps, and longer than messages if it does not.
func (d *mpi) Regions([]int) bool { return !d.closed && !strings.Contains(d.job.Version, mpich40) }

// AllocRegion makes a window by MPI_Win_allocate. After an error the communicator remains, because
// a rank that lacks it cannot take part in MPI_Comm_free.
func (d *mpi) AllocRegion(context int32, ranks []int, n int) (device.Region, error) {
	g, err := d.Group(context, ranks)
	if err := device.Ready(d, err, ranks, context); err != nil {
		return nil, err
	}
	mem, window, err := library.Allocate(g.(*group).number, n)
	switch {
	case err != nil:
		return nil, err
	case window == nil:
		return nil, cmp.Or(g.Close(), errors.ErrUnsupported)
	}
	r := &region{d: d, group: g, window: window, mem: mem}
	d.regions = append(d.regions, r)
	return r, nil
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
	r.d.regions = slices.DeleteFunc(r.d.regions, func(open *region) bool { return open == r })
	return errors.Join(r.window.Free(), r.group.Close())
}
