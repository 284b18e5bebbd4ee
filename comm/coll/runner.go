package coll

import (
	"gobench/comm/coll/shared"
	"gobench/comm/schedule"
	"gobench/device"
)

// Options say how collective operations are done. They are equal on all ranks, which
// Digest helps to find out.
type Options struct {
	Table *Table                  // nil = Defaults()
	Force [schedule.Kinds]*Choice // in place of the table's choice
	Check Check
	// Progress is how non-blocking operations get on while their caller computes.
	Progress Progress
	// Engine moves the non-blocking operations of all communicators of the device on. nil
	// makes one, with Progress, for this communicator alone, which is right only
	// where there are no others.
	Engine *Engine
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
	strict    bool
	closed    bool

	engine *Engine
	own    bool // the engine is this Runner's

	cache    cache // plans of blocking operations
	messages cache // and of those that must go by messages
	last     [schedule.Kinds]*plan
	run      *schedule.Execution // of blocking operations
	blocking *operation          // the same where there is more to do
	tag      int32               // of the next operation
	claims   *schedule.Program   // of strict checking
	verdicts *schedule.Program
	pending  pending

	arena    *shared.Arena // nil until the first algorithm in shared memory
	unshared string        // why there can be none
}

// NewRunner makes the runner of a communicator of so many ranks, of which this is
// rank. Messages travel in context, which nobody else uses; where the device is a device.Binder
// the caller has bound it to the ranks. world gives the ranks of
// the device, nil where they are the same.
func NewRunner(dev device.Device, context int32, world []int, rank, ranks int, o Options) *Runner {
	if o.Table == nil {
		o.Table = Defaults()
	}
	r := &Runner{
		dev: dev, context: context, world: world, rank: rank, ranks: ranks, options: o,
		transport: dev.Info().Transport, strict: o.Check == CheckStrict && ranks > 1,
		engine: o.Engine, run: schedule.NewExecution(dev, context, world),
	}
	if r.engine == nil {
		r.engine, r.own = NewEngine(dev, o.Progress), true
	}
	if _, ok := dev.(device.Sharer); !ok {
		r.unshared = "transport " + r.transport + " shares no memory between these ranks"
	}
	r.blocking = r.newOperation()
	if r.strict {
		r.claims, r.verdicts = claims(rank, ranks), verdicts(rank, ranks)
	}
	return r
}

func (r *Runner) newOperation() *operation {
	return &operation{r: r, run: schedule.NewExecution(r.dev, r.context, r.world)}
}

// Force has an operation done by one algorithm from now on, nil by the table's.
// All ranks do so between the same two operations.
func (r *Runner) Force(kind schedule.Kind, c *Choice) {
	r.options.Force[kind] = c
	r.cache.forget(kind)
	r.messages.forget(kind)
}

// SharesMemory reports whether algorithms in shared memory may be used, as far as is
// known without trying.
func (r *Runner) SharesMemory() bool { return r.unshared == "" }

// Algorithm names what did the last operation of a kind, "knomial:4", "" if there was none.
func (r *Runner) Algorithm(kind schedule.Kind) string {
	if r.last[kind] == nil {
		return ""
	}
	return r.last[kind].choice.String()
}

// Do does an operation and returns when this rank's part is done. It returns a
// *FitError, a *MismatchError where ranks do not agree, and what the device
// returns, such as a *device.PeerError, whose rank is one of the device.
//
// After an error the communicator is of no more use: others may be waiting for
// messages that will not come.
func (r *Runner) Do(c *shared.Call) error {
	if r.strict || r.closed || r.engine.open > 0 {
		return r.do(c)
	}
	p := r.cache.find(c.Shape)
	if p == nil {
		var err error
		if p, err = r.plan(c.Shape, false); err != nil {
			return err
		}
	}
	r.last[c.Shape.Kind] = p
	var err error
	if p.program != nil {
		r.run.Start(p.program, c.Send, c.Recv, c.Op, r.nextTag())
		err = r.run.Run()
	} else {
		r.nextTag() // tags count operations
		err = r.arena.Do(p.choice.Share, c)
	}
	if err != nil {
		return r.explain(c.Shape.Kind, err)
	}
	return nil
}

// do does an operation where there is more to it: ranks check each other, or
// others are under way and must get on meanwhile.
func (r *Runner) do(c *shared.Call) error {
	if r.closed {
		return device.ErrClosed
	}
	e := r.engine
	e.Enter()
	defer e.Leave()
	o := r.blocking
	o.begin(c, false)
	w := e.waits()
	for !o.done {
		before := o.position()
		o.advance(len(e.live) == 0)
		if o.done {
			break
		}
		if o.position() != before {
			w.Polls = 0
		}
		e.turn(w)
	}
	return o.err
}

// nextTag tells the messages of one operation from those of others under way.
// Every rank calls the operations of a communicator in the same order.
func (r *Runner) nextTag() int32 {
	t := r.tag
	r.tag = (r.tag + 1) & lastTag
	return t
}

// lastTag is a mask: tags above it are for what is no operation.
const lastTag = 1<<29 - 1

// Close ends what is under way and gives memory back. It is collective.
func (r *Runner) Close() error {
	if r.closed {
		return device.ErrClosed
	}
	err := r.finish()
	r.closed = true
	if r.arena != nil {
		r.engine.Enter() // other communicators may have operations under way
		if e := r.arena.Close(); err == nil {
			err = e
		}
		r.engine.Leave()
		r.arena = nil
	}
	if r.own {
		r.engine.Close()
	}
	return err
}
