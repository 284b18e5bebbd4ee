package bench

import (
	"cmp"
	"context"

	"gobench/device"
	"gobench/internal/launch/host"
)

// Run measures a plan over ch. It is collective: all ranks call it with the same plan, each on the
// thread that is timed (locked and pinned by the launcher). Rank 0 hands the results to sink; the
// others may pass nil.
//
// When ctx ends on any rank, all ranks stop at the next command, tens of milliseconds later. The
// current case becomes a point with a warning if it has 30 samples and its data is right. Run then
// returns ErrInterrupted.
//
// Errors: *PlanError before anything is sent; *MemoryError before anything is measured; *DataError,
// and *RankError for the failure of one rank, on all ranks; the channel's error (*device.PeerError)
// where a peer is lost, after which the channel can only be closed. Points handed to sink before an
// error are valid.
//
// Garbage collection is off during Run.
func Run(ctx context.Context, ch device.Channel, plan Plan, sink Sink) error {
	if err := plan.Check(ch.Size()); err != nil {
		return err
	}
	defer host.SuspendGC(host.AvailableMemory() / 2 / int64(plan.localRanks(ch.Size())))()

	r := newRank(ctx, ch, plan)
	var err error
	if ch.Rank() == 0 {
		err = conduct(r, sink)
	} else {
		err = follow(r)
	}
	if end := cmp.Or(r.endCase(), r.threads.close(), r.closeGroup()); err == nil {
		err = end
	}
	return err
}
