package coll

import (
	"errors"
	"fmt"

	"gobench/comm/coll/shared"
	"gobench/comm/schedule"
	"gobench/device"
)

// Options say how collective operations are done. They are equal on all ranks.
type Options struct {
	Table *Table                  // nil = Defaults()
	Force [schedule.Kinds]*Choice // in place of the table's choice
	Check Check
	// Progress is how non-blocking operations get on while their caller computes.
	Progress Progress
}

// Runner does the collective operations of one communicator. It belongs to the
// goroutine that owns the device. Operations that were done before with the
// same shape allocate nothing.
type Runner struct {
	dev       device.Device
	context   int32
	world     []int // ranks of the device by rank of the communicator; nil = the same
	rank      int
	ranks     int
	options   Options
	transport string

	cache cache
	last  [schedule.Kinds]*cached
	run   *schedule.Execution // of blocking operations
	tag   int32               // of the next operation

	arena  *shared.Arena // nil until the first algorithm in shared memory
	asked  bool          // for an arena
	shares bool          // the device can share memory

	pending pending
}

// NewRunner makes the runner of a communicator of so many ranks, of which this is
// rank. Messages travel in context, which nobody else uses. world gives the ranks of
// the device, nil where they are the same.
func NewRunner(dev device.Device, context int32, world []int, rank, ranks int, o Options) *Runner {
	if o.Table == nil {
		o.Table = Defaults()
	}
	r := &Runner{
		dev: dev, context: context, world: world, rank: rank, ranks: ranks, options: o,
		transport: dev.Info().Transport, run: schedule.NewExecution(dev, context, world),
	}
	_, r.shares = dev.(device.Sharer)
	r.pending.r = r
	return r
}

// Force has an operation done by one algorithm from now on, nil by the table's.
// All ranks do so between the same two operations.
func (r *Runner) Force(kind schedule.Kind, c *Choice) {
	r.options.Force[kind] = c
	for i, p := range r.cache {
		if p != nil && p.shape.Kind == kind {
			r.cache[i] = nil
		}
	}
}

// Algorithm names what did the last operation of a kind, "" if there was none.
func (r *Runner) Algorithm(kind schedule.Kind) string {
	if r.last[kind] == nil {
		return ""
	}
	return r.last[kind].choice.String()
}

// FitError says that the algorithm asked for cannot do an operation.
type FitError struct {
	Kind      schedule.Kind
	Algorithm string
	Why       string
}

func (e *FitError) Error() string {
	return fmt.Sprintf("algorithm %s cannot do this %v: %s", e.Algorithm, e.Kind, e.Why)
}

// Do does an operation and returns when this rank's part is done. It returns a
// *FitError, a *MismatchError where ranks do not agree, and what the device
// returns, such as a *device.PeerError, whose rank is one of the device.
func (r *Runner) Do(c *shared.Call) error {
	if len(r.pending.live) > 0 {
		r.pending.advance()
	}
	if r.options.Check == CheckStrict {
		if err := r.agree(c); err != nil {
			return err
		}
	}
	p := r.cache.find(c.Shape)
	if p == nil {
		var err error
		if p, err = r.plan(c.Shape, false); err != nil {
			return err
		}
		r.cache.keep(p)
	}
	r.last[c.Shape.Kind] = p
	if p.program == nil {
		return r.explain(c, p.choice.Share(r.arena, c))
	}
	r.run.Start(p.program, c.Send, c.Recv, c.Op, r.nextTag())
	return r.explain(c, r.run.Run())
}

// nextTag tells the messages of one operation from those of others under way.
// Every rank calls the operations of a communicator in the same order.
func (r *Runner) nextTag() int32 {
	t := r.tag
	r.tag = (r.tag + 1) & lastTag
	return t
}

// lastTag is a mask: tags above it are for what is no operation.
const lastTag = 1<<30 - 1

// plan chooses an algorithm and builds its program. messages asks for one that
// can get on without blocking.
func (r *Runner) plan(s *schedule.Shape, messages bool) (*cached, error) {
	choice := Choice{}
	if forced := r.options.Force[s.Kind]; forced != nil && !(messages && forced.Share != nil) {
		choice = *forced
		if why := choice.fits(s); why != "" {
			return nil, &FitError{s.Kind, choice.String(), why}
		}
		if choice.Share != nil && !r.shares {
			return nil, &FitError{s.Kind, choice.String(), "transport " + r.transport + " shares no memory between these ranks"}
		}
	} else {
		choice = r.options.Table.choose(r.transport, s, r.shares && !messages)
	}
	if choice.Share != nil {
		if err := r.openArena(); err != nil {
			return nil, err
		}
		if r.arena == nil {
			return r.plan(s, messages) // r.shares is false now, on all ranks
		}
		return &cached{shape: *s, choice: choice}, nil
	}
	if choice.Algorithm == nil {
		return nil, &FitError{s.Kind, "none", "no algorithm fits"}
	}
	build := func(b *schedule.Builder) { choice.Build(b, choice.Number) }
	return &cached{*s, choice, schedule.Build(*s, build)}, nil
}

// openArena gets shared memory at first use. Where the ranks agree that there is
// none they do without.
func (r *Runner) openArena() error {
	if r.asked {
		return nil
	}
	r.asked = true
	var err error
	r.arena, err = shared.Open(r.dev, r.context, r.world, r.rank, r.ranks)
	var none *shared.UnavailableError
	if errors.As(err, &none) {
		r.shares = false
		return nil
	}
	return err
}

// Close ends what is under way and gives memory back.
func (r *Runner) Close() error {
	err := r.pending.finish()
	if r.arena != nil {
		if e := r.arena.Close(); err == nil {
			err = e
		}
		r.arena = nil
	}
	return err
}
