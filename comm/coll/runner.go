package coll

import (
	"cmp"
	"math/bits"

	"gobench/comm/schedule"
	"gobench/device"
	"gobench/internal/comm/coll/shared"
)

// Options configure the collective operations of a communicator. Table, Force, Check and Hosts must
// be the same on all ranks, which Agree checks.
type Options struct {
	Table *Table                  // nil = Defaults()
	Force [schedule.Kinds]*Choice // overrides the table's choice
	Check Check
	// Hosts holds the number of the host of each rank of the device, 0 or more; nil means one host.
	Hosts []int
	// Progress selects how non-blocking operations progress while their caller computes.
	Progress Progress
	// Engine progresses the non-blocking operations of all communicators of the device. If it is
	// nil, the Runner makes one with Progress, which is correct only for the sole communicator of
	// a device.
	Engine *Engine
}

// A Runner runs the collective operations of one communicator. It belongs to the
// goroutine that owns the device. An operation whose plan is in the cache allocates nothing.
type Runner struct {
	dev       device.Device
	context   int32
	world     []int // ranks of the device by rank of the communicator; nil = the same
	rank      int
	ranks     int
	hosts     []int // schedule.Shape.Hosts of this communicator
	options   Options
	transport string
	strict    bool
	closed    bool
	failed    bool // an operation has failed after its plan, so the ranks are out of step

	engine *Engine
	own    bool // the engine is this Runner's

	cache      cache // plans of blocking operations
	messages   cache // plans of non-blocking operations
	last       [schedule.Kinds]*plan
	run        *schedule.Execution // of blocking operations, on the fast path
	blocking   *operation          // a blocking operation on the slow path: see do
	tags       tags
	tag        int32             // of the next operation
	signatures *schedule.Program // with CheckStrict
	answer     *schedule.Program
	pending    pending

	arena    *shared.Arena // nil until the first algorithm in shared memory
	unshared string        // the reason why the ranks share no memory

	group      device.Group // nil until the first algorithm of a library
	collective device.Collective
}

// NewRunner returns the runner of rank in a communicator of ranks ranks. Messages use context,
// which must not be used for anything else; if the device is a device.Binder, the caller has bound
// the context to the ranks. world holds the device's rank of each rank of the communicator, nil
// if the two are the same.
func NewRunner(dev device.Device, context int32, world []int, rank, ranks int, o Options) *Runner {
	o.Table = o.table()
	r := &Runner{
		dev: dev, context: context, world: world, rank: rank, ranks: ranks, options: o,
		hosts:     HostsOf(o.Hosts, world, ranks),
		transport: dev.Info().Transport, strict: o.Check == CheckStrict && ranks > 1,
		tags:   tagsOf(dev),
		engine: o.Engine, run: schedule.NewExecution(dev, context, world),
	}
	if r.engine == nil {
		r.engine, r.own = NewEngine(dev, o.Progress, o.Hosts), true
	}
	if _, ok := dev.(device.Sharer); !ok {
		r.unshared = "transport " + r.transport + " shares no memory between these ranks"
	}
	r.blocking = r.newOperation()
	if r.strict {
		r.signatures, r.answer = gatherSignatures(rank, ranks), sendAnswer(rank, ranks)
	}
	return r
}

func (r *Runner) newOperation() *operation {
	return &operation{r: r, run: schedule.NewExecution(r.dev, r.context, r.world)}
}

// Force selects the algorithm of an operation from now on; nil restores the table's choice.
// All ranks must call it between the same two operations.
func (r *Runner) Force(kind schedule.Kind, c *Choice) {
	r.engine.Lock()
	r.options.Force[kind] = c
	r.cache.forget(kind)
	r.messages.forget(kind)
	r.engine.Unlock()
}

// HasLibrary reports whether the transport is a library with collective operations of its own.
func (r *Runner) HasLibrary() bool {
	_, ok := r.dev.(device.Collector)
	return ok
}

// SharesMemory reports whether the transport supports algorithms in shared memory. Opening the
// memory may still fail at first use, and message algorithms are used then.
func (r *Runner) SharesMemory() bool { return r.unshared == "" }

// Hosts returns the number of hosts of the ranks, 1 if it is unknown.
func (r *Runner) Hosts() int { return max(1, len(hostRanks(r.hosts))) }

// Algorithm returns the choice that the last operation of a kind used, "knomial:4", or "" before
// the first one.
func (r *Runner) Algorithm(kind schedule.Kind) string {
	r.engine.Lock()
	defer r.engine.Unlock()
	if r.last[kind] == nil {
		return ""
	}
	return r.last[kind].choice.String()
}

// ByTable reports whether the table chooses, for the last operation of a kind, the algorithm that
// it used, also where Force selected that. It is false before the first operation.
func (r *Runner) ByTable(kind schedule.Kind) bool {
	r.engine.Lock()
	defer r.engine.Unlock()
	p := r.last[kind]
	if p == nil || p.forced == nil {
		return p != nil
	}
	chosen := p.shape
	chosen.Hosts = r.hosts
	return r.options.Table.Choose(r.transport, &chosen, r.unshared == "").String() == p.choice.String()
}

// Do runs an operation and returns when this rank's part is done. It returns a
// *FitError, a *MismatchError if ranks disagree, or an error of the device
// such as a *device.PeerError, whose rank is a rank of the device.
//
// After an error the communicator must not be used any more, because other ranks may wait for
// messages that this rank will never send.
func (r *Runner) Do(c *schedule.Call) error {
	if r.strict || r.closed || r.engine.Busy() {
		return r.do(c)
	}
	tag := r.nextTag() // also of an operation that does not fit: tags count calls
	p := r.cache.find(c.Shape)
	if p == nil {
		var err error
		if p, err = r.plan(c.Shape, false, r.options.Force[c.Shape.Kind]); err != nil {
			return err
		}
	}
	r.last[c.Shape.Kind] = p
	var err error
	if p.program != nil {
		if p.announce {
			err = r.arena.Do(shared.Announce, c)
		}
		if err == nil {
			r.run.Start(p.program, c.Send, c.Recv, c.Op, tag)
			err = r.run.Run()
		}
	} else if p.choice.Library {
		err = r.doInLibrary(c)
	} else {
		err = r.arena.Do(p.choice.share, c)
	}
	if err != nil {
		return r.explain(c.Shape.Kind, err)
	}
	return nil
}

// do is the slow path of Do: with CheckStrict, with several owners of the device, or while
// non-blocking operations are in progress, which it advances.
func (r *Runner) do(c *schedule.Call) error {
	if r.closed {
		return device.ErrClosed
	}
	e := r.engine
	e.Lock()
	defer e.Unlock()
	o := r.blocking
	o.begin(c, e.many)
	w := e.waits()
	for !o.done {
		before := o.position()
		o.advance(!e.many && len(e.live) == 0)
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

// nextTag returns the tag of the messages of the next operation, which separates them from those of
// other operations in progress. All ranks call the operations of a communicator in the same order.
func (r *Runner) nextTag() int32 {
	t := r.tag
	r.tag = (r.tag + 1) & r.tags.last
	return t
}

// Close waits for operations in progress and frees the shared memory. It is collective.
func (r *Runner) Close() error {
	if r.closed {
		return device.ErrClosed
	}
	err := r.finish()
	r.closed = true
	if r.arena != nil {
		r.engine.Lock() // other communicators may have operations in progress
		err = cmp.Or(err, r.arena.Close(r.failed))
		r.engine.Unlock()
		r.arena = nil
	}
	if r.group != nil {
		r.engine.Lock()
		err = cmp.Or(err, r.group.Close())
		r.engine.Unlock()
		r.group = nil
	}
	if r.own {
		r.engine.Close()
	}
	return err
}

// tags divides the tags of a device among the messages of collective operations.
type tags struct {
	last  int32 // the greatest tag of an operation, and a mask
	check int32 // a bit in the tags of an argumentCheck
	agree int32 // the tag of Agree
}

// tagsOf returns a quarter of the tags for operations, one for their checks and one for Agree. The
// greatest tag of the device remains for package shared.
func tagsOf(dev device.Device) tags {
	quarter := int32(1) << (bits.Len32(uint32(dev.Info().Tags())+1) - 3)
	return tags{last: quarter - 1, check: quarter, agree: 2 * quarter}
}
