package application

import (
	"context"
	"errors"
	"sync/atomic"

	"gobench/comm"
)

// Rank is what one rank of an application runs with. It belongs to the rank's
// main goroutine; Progress alone may be called from others.
type Rank struct {
	Comm *comm.Comm // for the messages of the application
	// Aside is for what ranks tell each other about a run and what it came to. It has
	// the ranks of Comm, and is Comm unless someone sets it to another: where messages
	// of the application are damaged on purpose the verdict must be whole.
	Aside   *comm.Comm
	Team    *Team
	Timers  Timers
	Profile Profile
	// Shared says that threads of all ranks outnumber their cores: they take time from each other,
	// and what one of them does alone in its turn is no measure of what all do at once.
	Shared bool

	ctx      context.Context
	progress atomic.Int64 // step << 32 | steps
}

// NewRank makes a rank over world with the threads of team, which remain the
// caller's. The end of ctx interrupts the run at the next step.
func NewRank(ctx context.Context, world *comm.Comm, team *Team) *Rank {
	return &Rank{Comm: world, Aside: world, Team: team, Profile: newProfile(world.Size()), ctx: ctx}
}

// ErrInterrupted comes from Step when the run is to end early.
var ErrInterrupted = errors.New("interrupted")

// Step says that step (from 1) of steps is done. The error, ErrInterrupted, ends
// the application; the other ranks are told or will miss this one.
func (r *Rank) Step(step, steps int) error {
	r.progress.Store(int64(step)<<32 | int64(steps))
	if r.ctx.Err() != nil {
		return ErrInterrupted
	}
	return nil
}

// Progress returns the last step of the run that was done, and of how many; zeros
// before the first.
func (r *Rank) Progress() (step, steps int) {
	p := r.progress.Load()
	return int(p >> 32), int(p & (1<<32 - 1))
}

// Begin starts the timed region: timers and profile count from zero.
func (r *Rank) Begin() {
	r.Profile.reset()
	r.Timers.begin()
}

// End ends the timed region and returns its length in seconds. Timers and profile
// stay as they are until the next Begin.
func (r *Rank) End() float64 { return r.Timers.end() }
