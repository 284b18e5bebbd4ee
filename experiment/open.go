package experiment

import (
	"context"
	"slices"

	"gobench/bench"
	"gobench/comm"
	"gobench/device"
)

// open opens a transport at the level to be measured, with the fault of a self-test. out is nil
// except on rank 0. The caller calls end when it has closed the channel.
func (r *measurement) open(ctx context.Context, job device.Job, t Transport, at location, out *output) (c device.Channel, end func() bool, err error) {
	if t.Level == levelComm {
		c, err = t.Driver.Open(ctx, job, t.Options)
	} else {
		c, err = device.OpenAt(ctx, t.Driver, t.Level, job, t.Options)
	}
	if err != nil {
		return nil, nil, err
	}
	stop := at.interrupts(c) // not end, which a return with an error sets to nil
	defer func() {
		if err != nil {
			stop()
		}
	}()
	if err := out.stage(stageConnect); err != nil {
		c.Close()
		return nil, nil, err
	}
	if t.Level != levelComm {
		return apply(r.Fault, c, measured), stop, nil
	}
	if c, err = r.channel(c.(device.Device)); err != nil {
		return nil, nil, err
	}
	if err := out.stage(stageAgree); err != nil {
		c.Close()
		return nil, nil, err
	}
	return c, stop, nil
}

// channel creates communicators over a device.
func (r *measurement) channel(d device.Device) (device.Channel, error) {
	// A window has its own contexts, behind those of the two communicators. The second context
	// carries the data of collectives; of benchmarks of messages, it creates windows.
	collective := len(r.Plan.Cases) > 0 && r.Plan.Cases[0].Bench.Collective != nil
	world, ready, err := r.world(d, func(context int32) bool {
		return context == comm.FirstContext || context == comm.FirstContext+1 && collective || context >= comm.FirstContext+4 && !collective
	})
	if err != nil {
		return nil, err
	}
	c, err := comm.NewChannel(world)
	if err != nil {
		world.CloseAll(&err)
		return nil, err
	}
	*ready = true
	return c, nil
}

// world creates the communicator of all ranks over a device, which it closes on failure. A fault
// damages messages only after *ready is set, because the messages that create communicators must be
// intact, and only in contexts for which data returns true.
func (r *measurement) world(d device.Device, data func(context int32) bool) (world *comm.Comm, ready *bool, err error) {
	ready = new(bool)
	d = apply(r.Fault, d, func(context int32) bool { return *ready && data(context) })
	world, err = comm.World(d, comm.Options{Coll: r.Coll})
	if err != nil {
		d.Close()
		return nil, nil, err
	}
	return world, ready, nil
}

// possible removes cases whose algorithms the transport or the hosts of the ranks do not support,
// if all algorithms are measured. An algorithm that the user named remains, and fails with an
// error.
func (r *measurement) possible(c device.Channel, cells []bench.Case) []bench.Case {
	if !r.every {
		return cells
	}
	world := c.(comm.Channel).Comm()
	return slices.DeleteFunc(slices.Clone(cells), func(cell bench.Case) bool {
		op := cell.Bench.Collective
		return op != nil && (op.Shared && (!world.SharesMemory() || world.Hosts() > 1) || op.Library && !world.HasLibrary() || op.Hosts && (world.Hosts() == 1 || cell.Groups > 1))
	})
}

// measured reports whether messages in a context of a channel belong to benchmarks.
func measured(context int32) bool { return context == 0 }
