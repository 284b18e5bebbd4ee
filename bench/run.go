package bench

import (
	"cmp"
	"context"
	"time"

	"gobench/device"
	"gobench/internal/launch/host"
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
	defer r.cycles.Close()
	defer r.instructions.Close()
	var err error
	if ch.Rank() == 0 {
		err = conduct(r, sink)
	} else {
		err = follow(r)
	}
	err = cmp.Or(err, cmp.Or(r.endCase(), r.threads.close(), r.closeGroup()))
	return err
}

// A Sink receives the results of a run, on rank 0 only and never in a timed region. Benchmarks,
// applications and the start of ranks have the same one. An error of a Sink ends the run on all
// ranks.
type Sink interface {
	// Point is called once for every finished case, or once for each state of the cores that
	// occurred in it.
	Point(record.Point) error
	// Event is called for what happens between points.
	Event(Event) error
}

// An Event has one of its fields; which ones occur depends on what is measured. A Sink ignores
// those that it does not need. Its JSON form passes it from a rank to the process that started the
// rank.
type Event struct {
	// Ranks holds facts of every rank's thread, by rank. It is the first event, before any point.
	Ranks []RankFacts `json:"ranks,omitempty"`
	// Progress is the state of the running case, at most 20 times a second.
	Progress *Progress `json:"progress,omitempty"`
	// Line is the progress of an application, one line, at most 5 times a second. It comes from
	// another goroutine than the other events.
	Line string `json:"line,omitempty"`
	// Text is the output of an application.
	Text string `json:"text,omitempty"`
	// LeftOut is a case that is not measured.
	LeftOut *LeftOut `json:"left_out,omitempty"`
	// Stage is a stage of the launch that has ended.
	Stage *Stage `json:"stage,omitempty"`
}

// Passing reports whether the event is of interest only while it happens, for people.
func (e *Event) Passing() bool { return e.Progress != nil || e.Line != "" }

// RankFacts holds the facts measured on a rank's thread before the first case.
type RankFacts struct {
	Clock record.Clock  `json:"clock"`
	Noise *record.Noise `json:"noise,omitempty"` // nil if there is no noise probe
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

// LeftOut is a case that is not measured, because one event of it would take longer than
// Stop.Longest.
type LeftOut struct {
	Transport string        `json:"transport"`
	Level     string        `json:"level"`
	Bench     string        `json:"bench"`
	Algorithm string        `json:"algorithm,omitempty"`
	Size      int           `json:"size"`
	Event     time.Duration `json:"event_ns"` // estimated time of one event
}

// Is reports whether l is a case over a transport at a level.
func (l LeftOut) Is(c Case, transport, level string) bool {
	return l.Same(leftOut(c, transport, level, 0))
}

// Same reports whether two are the same case, whatever the estimates of its time.
func (l LeftOut) Same(other LeftOut) bool {
	l.Event, other.Event = 0, 0
	return l == other
}

func leftOut(c Case, transport, level string, event time.Duration) LeftOut {
	l := LeftOut{Transport: transport, Level: level, Bench: c.Bench.Name, Size: c.Size, Event: event}
	if op := c.Bench.Collective; op != nil {
		l.Algorithm = op.Algorithm
	}
	return l
}

// A Stage is the end of a stage of a launch.
type Stage struct {
	Name     string `json:"name"`
	Resident int64  `json:"resident"` // memory of rank 0 then, bytes
}
