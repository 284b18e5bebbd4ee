package measure

import (
	"context"

	"gobench/bench"
	"gobench/comm"
	"gobench/device"
)

// open opens the level of a transport that is to be measured, with the fault
// that was asked for.
func (r *Request) open(ctx context.Context, job device.Job, t Transport) (device.Channel, error) {
	if raw, ok := t.Driver.(device.RawOpener); ok && r.Plan.Level == "raw" {
		c, err := raw.OpenRaw(ctx, job, t.Options)
		if err != nil {
			return nil, err
		}
		return apply(r.Fault, c, measured), nil
	}
	d, err := t.Driver.Open(ctx, job, t.Options)
	if err != nil {
		return nil, err
	}
	if r.Plan.Level != "comm" {
		return apply(r.Fault, device.Channel(d), measured), nil
	}
	// Communicators are made with messages, which must be whole, and the one for what ranks
	// say about the work comes second.
	ready := false
	d = apply(r.Fault, d, func(context int32) bool {
		return ready && (context == comm.FirstContext || context == comm.FirstContext+1)
	})
	world, err := comm.World(d, comm.Options{Coll: r.Coll})
	if err != nil {
		d.Close()
		return nil, err
	}
	c, err := comm.NewChannel(world)
	if err != nil {
		d.Close()
		return nil, err
	}
	ready = true
	return c, nil
}

// possible leaves out the cells whose algorithms need what the transport does not
// offer, where all algorithms are measured; who named one is told.
func (r *Request) possible(c device.Channel, cells []bench.Cell) ([]bench.Cell, error) {
	if !r.every {
		return cells, nil
	}
	world := c.(comm.Channel).Comm()
	var kept []bench.Cell
	for _, cell := range cells {
		if cell.Bench.Shared && !world.SharesMemory() {
			continue
		}
		kept = append(kept, cell)
	}
	return kept, nil
}

// measured reports whether messages in a context of a channel are those of benchmarks.
func measured(context int32) bool { return context == 0 }
