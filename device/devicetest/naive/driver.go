// Package naive is the simplest device that follows the contract, for ranks
// that are goroutines: one mutex, one list of messages and one list of posted receives per
// rank, every message copied when it is sent. It is slow, simple and
// correct. Package devicetest is tested with it: with a Fault it breaks one rule, which must then
// fail.
package naive

import (
	"context"
	"sync/atomic"

	"gobench/device"
	"gobench/device/devicetest/inprocess"
)

// Driver opens naive devices. The zero Driver is ready to use.
type Driver struct {
	Fault Fault

	worlds inprocess.Shared[*world]
	over   atomic.Bool
}

// Stop ends every call that blocks on one of the driver's devices with
// ErrClosed, so that a test of a Fault leaves nothing running.
func (d *Driver) Stop() { d.over.Store(true) }

func (*Driver) Name() string             { return "naive" }
func (*Driver) About() string            { return "one mutex for all: for tests" }
func (*Driver) Probe() error             { return nil }
func (*Driver) Options() []device.Option { return nil }

// Open gives each rank a view of the job's world, which rank 0 creates.
func (d *Driver) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	w, _, err := d.worlds.Join(ctx, job, func() *world { return d.newWorld(job.Size()) })
	if err != nil {
		return nil, err
	}
	return &Device{world: w, rank: job.Rank(), fault: d.Fault}, nil
}

func (d *Driver) newWorld(size int) *world {
	contexts := func() []map[int32][]int {
		list := make([]map[int32][]int, size)
		for rank := range list {
			list[rank] = map[int32][]int{}
		}
		return list
	}
	return &world{
		bound: contexts(), senders: contexts(),
		inbox:  make([][]*message, size),
		posted: make([][]*operation, size),
		gone:   make([]string, size),
		killed: make([]bool, size),
		over:   &d.over,
	}
}
