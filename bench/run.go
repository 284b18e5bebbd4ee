package bench

import (
	"cmp"
	"context"
	"time"

	"gobench/device"
	"gobench/launch/host"
	"gobench/record"
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
	if end := cmp.Or(r.endCase(), r.closeGroup()); err == nil {
		err = end
	}
	return err
}

// A Sink receives the results of a run, on rank 0 only and never in a timed region. An error of a
// Sink ends the run on all ranks.
type Sink interface {
	// Started is called once, before the first case, with the facts of every rank's thread, by
	// rank.
	Started(ranks []RankFacts) error
	// Progress is called while a case runs, at most 20 times a second.
	Progress(Progress)
	// Point is called once for every finished case, or once for each state of the cores that
	// occurred in it.
	Point(record.Point) error
	// LeftOut is called for a case that is not measured, because one event of it would take about
	// this time, longer than Stop.Longest.
	LeftOut(c Case, event time.Duration) error
}

// RankFacts holds the facts measured on a rank's thread before the first case.
type RankFacts struct {
	Clock record.Clock  `json:"clock"`
	Noise *record.Noise `json:"noise,omitempty"` // nil without a noise probe
}

// Progress is the state of the running case.
type Progress struct {
	Case    int     // index into the plan
	Cases   int     // in the plan
	Bench   string  // name
	Size    int     // bytes
	WarmUp  bool    // warming up: no estimate yet
	N       int     // samples so far
	Metric  string  // key of the time metric: "half_rtt_s"
	Median  float64 // rough estimate of it, from the last block, in seconds
	Elapsed float64 // seconds of the timed part so far, including the warm-up
}
