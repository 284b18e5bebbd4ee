package application

import (
	"context"
	"errors"
	"sync/atomic"

	"gobench/bench/team"
	"gobench/comm"
	"gobench/internal/launch/host"
)

// Rank holds the resources of one rank of an application. It belongs to the main goroutine of the
// rank; only Progress may be called from others.
type Rank struct {
	Comm *comm.Comm // for the messages of the application
	// Aside is the communicator for times and verification results. It has the ranks of Comm and is
	// Comm itself by default. A self-test that corrupts messages of the application (--fault) sets
	// another one, so that verification results arrive intact.
	Aside   *comm.Comm
	Team    *team.Team
	Timers  Timers
	Profile Profile
	// Shared reports whether the threads of all ranks outnumber the cores. Rates of single threads
	// then cannot be added up to the rate of all.
	Shared bool

	ctx      context.Context
	kept     []*comm.Comm
	progress atomic.Int64 // step << 32 | steps
	probes   *probes      // nil = none
	waits    waitMeter    // nil = the ranks are on one host, or the transport does not measure it
	apart    [2]float64   // waits during pauses of this run: inside a host, between hosts
	before   [2]float64   // waits when the current pause began
	used     host.Usage   // of this process in timed regions
}

// waitMeter is device.WaitMeter.
type waitMeter interface {
	MeterWaits(on bool)
	Waits() (inside, between float64)
}

// NewRank returns a rank over world with the threads of team, which the caller still owns. When ctx
// ends, the next Step returns ErrInterrupted.
func NewRank(ctx context.Context, world *comm.Comm, team *team.Team) *Rank {
	r := &Rank{Comm: world, Aside: world, Team: team, Profile: newProfile(world.Size()), ctx: ctx}
	if world.Hosts() > 1 {
		r.waits, _ = world.Device().(waitMeter)
	}
	return r
}

// Over returns a rank with the threads of r over another communicator, with timers and a profile of
// its own.
func (r *Rank) Over(c *comm.Comm) *Rank { return NewRank(r.ctx, c, r.Team) }

// Keep passes the ownership of a communicator that the program has made to the rank.
func (r *Rank) Keep(c *comm.Comm) { r.kept = append(r.kept, c) }

// Close closes the communicators of Keep, but not Comm. Only a rank that has not failed calls it,
// because it may wait for the others.
func (r *Rank) Close() error {
	var first error
	for _, c := range r.kept {
		if err := c.Close(); first == nil {
			first = err
		}
	}
	r.kept = nil
	return first
}

// ErrInterrupted is returned by Step when the context of the rank has ended.
var ErrInterrupted = errors.New("interrupted")

// Step records that step (from 1) of steps is complete. All ranks call it with the same numbers. In
// a long run it measures the state of the cores from time to time, with paused timers. It returns
// ErrInterrupted when the run must end; other ranks are interrupted, too, or detect that this rank
// has left.
func (r *Rank) Step(step, steps int) error { return r.step(step, steps, true) }

// StepAlone is Step for a rank with its own steps.
func (r *Rank) StepAlone(step, steps int) error { return r.step(step, steps, false) }

func (r *Rank) step(step, steps int, shared bool) error {
	if r.probes != nil && step == r.probes.next {
		if err := r.probes.look(r, step, shared); err != nil {
			return err
		}
	}
	r.progress.Store(int64(step)<<32 | int64(steps))
	if r.ctx.Err() != nil {
		return ErrInterrupted
	}
	return nil
}

// Progress returns the last complete step and the number of steps, 0 and 0 before the first.
func (r *Rank) Progress() (step, steps int) {
	p := r.progress.Load()
	return int(p >> 32), int(p & (1<<32 - 1))
}

// Begin starts the timed region: timers and profile count from zero.
func (r *Rank) Begin() {
	r.Profile.reset()
	if r.probes != nil {
		r.probes.begin()
	}
	if r.waits != nil {
		r.waits.MeterWaits(true)
		r.apart = [2]float64{}
	}
	r.used.Add(host.Used(), -1)
	r.Timers.begin()
}

// Ready does in order what is not timed, waits for all ranks of c, and begins the timed region.
func (r *Rank) Ready(c *comm.Comm, untimed ...func() error) error {
	for _, f := range untimed {
		if err := f(); err != nil {
			return err
		}
	}
	if err := comm.Barrier(c); err != nil {
		return err
	}
	r.Begin()
	return nil
}

// Pause stops the clock of the timed region, and does not count waits, for work that is not part of
// the application, until Resume continues the current phase.
func (r *Rank) Pause() {
	if r.waits != nil {
		r.before[0], r.before[1] = r.waits.Waits()
	}
	r.Timers.pause()
	r.used.Add(host.Used(), +1)
}

// Resume ends a Pause.
func (r *Rank) Resume() {
	r.used.Add(host.Used(), -1)
	r.Timers.resume()
	if r.waits != nil {
		inside, between := r.waits.Waits()
		r.apart[0] += inside - r.before[0]
		r.apart[1] += between - r.before[1]
	}
}

// End ends the timed region and returns its length in seconds. Timers and profile
// stay as they are until the next Begin: they ignore the communication of a verification.
func (r *Rank) End() float64 {
	r.Profile.ended = true
	if r.probes != nil {
		r.probes.next = 0
	}
	if r.waits != nil {
		r.waits.MeterWaits(false)
	}
	seconds := r.Timers.end()
	r.used.Add(host.Used(), +1)
	return seconds
}
