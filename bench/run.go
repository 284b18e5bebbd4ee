package bench

import (
	"context"
	"encoding/json"
	"fmt"

	"gobench/device"
)

// Run measures a plan over ch. It is collective: all ranks call it with
// the same plan, each on the thread that will do the timing (locked and
// pinned by the launcher). Rank 0 hands the results to sink; the others may
// pass nil.
//
// When ctx ends on any rank, all finish at the next point of agreement, tens of
// milliseconds later: the cell under way becomes a point with a warning
// if 30 samples were reached and their data is right, else nothing; Run returns ErrInterrupted.
//
// Errors: *PlanError before anything is sent; *MemoryError before anything is
// measured, *DataError, and *RankError for the failure of one rank, on all ranks;
// what the channel returns (*device.PeerError) where a peer is lost, after which
// the channel can only be closed. Points handed to sink before an error are good.
//
// Garbage collection is off during Run.
func Run(ctx context.Context, ch device.Channel, plan Plan, sink Sink) error {
	if err := plan.Check(ch.Size()); err != nil {
		return err
	}
	defer Quiet(AvailableMemory() / 2 / int64(plan.localRanks(ch.Size())))()

	r := newRank(ctx, ch, plan)
	var err error
	if ch.Rank() == 0 {
		err = conduct(r, sink)
	} else {
		err = follow(r)
	}
	if end := r.endCell(); err == nil {
		err = end
	}
	return err
}

// follow executes commands until rank 0 says stop.
func follow(r *rank) error {
	for round := uint64(1); ; round++ {
		body, err := r.link.recv(0, round)
		if err != nil {
			return err
		}
		var c command
		if err := json.Unmarshal(body, &c); err != nil {
			return fmt.Errorf("a control message from rank 0 is unreadable: %w", err)
		}
		rep, err := r.execute(c)
		if err != nil {
			return err
		}
		if err := r.answer(round, c, rep); err != nil {
			return err
		}
		if c.Verb == verbStop {
			return r.ended(c)
		}
	}
}

// ended is how a run ends on a rank that was told to stop. A defect of the stop
// command itself is known here and to rank 0.
func (r *rank) ended(c command) error {
	if err := c.reason(); err != nil {
		return err
	}
	if r.link.defect != nil {
		return r.link.defect
	}
	return nil
}

// answer reports to rank 0, and hands over the clock readings of a block.
func (r *rank) answer(round uint64, c command, rep report) error {
	body, err := json.Marshal(rep)
	if err != nil {
		return err
	}
	if err := r.link.send(0, round, body); err != nil {
		return err
	}
	if c.Verb != verbBlock || !r.timed.counts {
		return nil
	}
	n := c.Samples + 1
	if r.cell.Bench.Collective {
		n = 2 * c.Samples
	}
	return r.link.send(0, round, encodeStamps(r.timed.stamps[:n]))
}
