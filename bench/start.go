package bench

import (
	"fmt"
	"slices"
	"time"

	"gobench/bench/clock"
	"gobench/device"
)

// Start says how the ranks begin an event of a collective benchmark together.
type Start string

const (
	// StartAuto is StartTime where ranks do not outnumber cores, else StartBarrier.
	StartAuto Start = ""
	// StartBarrier: after a dissemination barrier of the runner's own, never the
	// operation under test (rule 11).
	StartBarrier Start = "barrier"
	// StartTime: at a time on the common clock that rank 0 announces (Round-Time,
	// Hunold and Carpen-Amarie, "Autotuning MPI Collectives using Performance
	// Guidelines", HPC Asia 2018): a rank that hears of it too late makes the event invalid.
	StartTime Start = "time"
	// StartNone: one event after the other, as IMB does.
	StartNone Start = "none"
)

// Starts are the names of all ways to start.
func Starts() []string {
	return []string{string(StartBarrier), string(StartTime), string(StartNone)}
}

const (
	barrierTag int32 = 2
	timeTag    int32 = 3
)

// gate brings ranks together before an event. It allocates nothing.
type gate struct {
	link  *link
	ch    device.Channel
	now   func() int64 // ns, this rank's clock
	model clock.Model  // from it to the clock of all
	start Start
	lead  int64 // ns from the announcement of a start to the start
	token [1]byte
	heard [1]byte
}

// pass returns when this rank may begin an event, and whether it was in time.
func (g *gate) pass() (inTime bool, err error) {
	switch g.start {
	case StartBarrier:
		return true, g.barrier()
	case StartTime:
		return g.appointment()
	}
	return true, nil
}

// barrier is a dissemination barrier (Hensgen, Finkel, Manber, "Two Algorithms for
// Barrier Synchronization", 1988): in round k every rank tells the one 2^k after it.
func (g *gate) barrier() error {
	rank, ranks := g.ch.Rank(), g.ch.Size()
	for d := 1; d < ranks; d *= 2 {
		r, err := g.ch.Irecv(g.heard[:], (rank-d+ranks)%ranks, barrierTag, controlContext)
		if err != nil {
			return err
		}
		if err := g.ch.Send(g.token[:], (rank+d)%ranks, barrierTag, controlContext); err != nil {
			return err
		}
		if _, err := g.ch.Wait(r); err != nil {
			return err
		}
	}
	return nil
}

// appointment waits for the time that rank 0 announces along a binomial tree. All
// ranks must have finished the event before: the barrier sees to that, so that a
// start is late only because of noise.
func (g *gate) appointment() (inTime bool, err error) {
	if err := g.barrier(); err != nil {
		return false, err
	}
	rank, ranks := g.ch.Rank(), g.ch.Size()
	at := g.now() + g.lead
	below := 1 // children are rank + 1, 2, 4 ... below this
	for below < ranks && rank&below == 0 {
		below *= 2
	}
	word := uint64(g.model.Global(at))
	if rank > 0 {
		if word, err = g.link.recvWord(rank-below, timeTag); err != nil {
			return false, err
		}
		at = g.model.Own(int64(word))
	}
	for d := below / 2; d > 0; d /= 2 {
		if rank+d < ranks {
			if err := g.link.sendWord(rank+d, timeTag, word); err != nil {
				return false, err
			}
		}
	}
	inTime = g.now() <= at
	for g.now() < at {
	}
	return inTime, nil
}

// calibrate chooses how long before a start it is announced: twice the longest of
// some announcements on any rank, found by making appointments without delay. The
// ranks agree on rank 0's view of it by sharing the time itself, so only
// rank 0's lead counts.
func (g *gate) calibrate() error {
	if g.start != StartTime || g.lead > 0 {
		return nil
	}
	const trials = 15
	took := make([]int64, trials)
	for i := range took {
		begin := g.now()
		if _, err := g.appointment(); err != nil {
			return err
		}
		// The barrier in it needs as long as the announcement, or longer.
		took[i] = g.now() - begin
	}
	slices.Sort(took)
	g.lead = max(2*took[trials/2], 500)
	return nil
}

// Skew delays the arrival of ranks on purpose.
type Skew struct {
	Kind SkewKind
	By   time.Duration // the longest delay
}

// SkewKind says who is late.
type SkewKind string

const (
	SkewNone   SkewKind = ""
	SkewRandom SkewKind = "random" // every rank, by a random part of the time
	SkewLate   SkewKind = "late"   // one rank, another one for each event
)

func (s Skew) String() string {
	if s.Kind == SkewNone {
		return ""
	}
	return fmt.Sprintf("%s:%v", s.Kind, s.By)
}

// delay is that of a rank in an event, in ns.
func (s Skew) delay(rank, ranks int, event uint64) int64 {
	switch s.Kind {
	case SkewRandom:
		return int64(scatter(event<<20+uint64(rank)) % uint64(s.By+1))
	case SkewLate:
		if event%uint64(ranks) == uint64(rank) {
			return int64(s.By)
		}
	}
	return 0
}
