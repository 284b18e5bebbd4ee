package comm

import (
	"math"
	"slices"

	"gobench/comm/coll"
	"gobench/comm/coll/shared"
	"gobench/comm/schedule"
	"gobench/device"
)

// Comm is a communicator: a group of ranks and a space of messages of its own.
// Messages of one communicator are never received in another, and those of
// collective operations never by point-to-point receives.
type Comm struct {
	job     *job
	dev     device.Device // job.dev, one step nearer, and so is job.engine
	engine  *coll.Engine
	context int32 // of point-to-point messages; collectives have the one after it
	rank    int
	world   []int // rank on the device by rank here; nil after Close
	local   []int // rank here by rank on the device, nil where the two are the same

	runner  *coll.Runner
	shape   schedule.Shape // of the operation being called
	call    shared.Call
	blocks  [2][]schedule.Block
	started collectives

	options  Options
	pool     pool
	attached attachment
}

// Options are what a communicator and all that are made from it have in common.
type Options struct {
	// Context is the first context id to be used, 0 stands for FirstContext.
	// Two jobs of communicators over one device at the same time must be far apart.
	Context int32
	// Coll chooses the algorithms of collective operations. Its Engine is made by World.
	Coll coll.Options
}

// FirstContext is the first context id that communicators use by default. Those
// before it are left to what uses the device without communicators.
const FirstContext int32 = 16

// World makes the communicator of all ranks of a device. It is collective, like all
// that makes communicators. The device remains the caller's, who closes it after
// the communicators.
func World(dev device.Device, o Options) (*Comm, error) {
	if o.Context == 0 {
		o.Context = FirstContext
	}
	if o.Context < 0 || o.Context > math.MaxInt32-contexts {
		return nil, &ArgumentError{"world", "the first context", int(o.Context), "0 or more, and room for others"}
	}
	world := make([]int, dev.Size())
	for rank := range world {
		world[rank] = rank
	}
	o.Coll.Engine = coll.NewEngine(dev, o.Coll.Progress)
	j := &job{dev: dev, engine: o.Coll.Engine, next: o.Context + contexts}
	c, err := newComm(j, o, o.Context, world, dev.Rank())
	if err != nil {
		j.engine.Close()
	}
	return c, err
}

// contexts is how many context ids a communicator takes.
const contexts = 2

// newComm makes the communicator of the ranks in world, of which this rank is one.
func newComm(j *job, o Options, context int32, world []int, rank int) (*Comm, error) {
	c := &Comm{job: j, dev: j.dev, engine: j.engine, context: context, rank: rank, world: world, options: o}
	translate := world
	if identity(world) {
		translate = nil
	}
	if translate != nil || len(world) != j.dev.Size() {
		c.local = make([]int, j.dev.Size())
		for i := range c.local {
			c.local[i] = Undefined
		}
		for i, w := range world {
			c.local[w] = i
		}
	}
	if b, ok := j.dev.(device.Binder); ok {
		j.engine.Enter()
		err := b.Bind(context+1, world)
		j.engine.Leave()
		if err != nil {
			return nil, err
		}
	}
	c.runner = coll.NewRunner(j.dev, context+1, translate, rank, len(world), o.Coll)
	c.started.c = c
	j.open++
	return c, nil
}

func identity(world []int) bool {
	for i, w := range world {
		if i != w {
			return false
		}
	}
	return true
}

// Rank is this rank's number in the communicator.
func (c *Comm) Rank() int { return c.rank }

// Size is the number of ranks, 0 after Close.
func (c *Comm) Size() int { return len(c.world) }

// Group returns the ranks of the communicator, by their numbers on the device.
func (c *Comm) Group() Group { return Group{slices.Clone(c.world)} }

// Device returns what the communicator is over.
func (c *Comm) Device() device.Device { return c.dev }

// Algorithm names the algorithm that did the last collective operation of a
// kind, "" if there was none.
func (c *Comm) Algorithm(kind schedule.Kind) string { return c.runner.Algorithm(kind) }

// Force has an operation done by one algorithm from now on, nil by the table's
// choice. All ranks call it between the same two operations. Communicators made from this
// one later do not take it over.
func (c *Comm) Force(kind schedule.Kind, choice *coll.Choice) { c.runner.Force(kind, choice) }

// SharesMemory reports whether the device lets ranks share memory, so that
// algorithms in shared memory may be used.
func (c *Comm) SharesMemory() bool { return c.runner.SharesMemory() }

// Close gives up the communicator, collectively. Buffered sends and non-blocking
// collectives are waited for first, and it returns the first error that these have met; the
// requests of the collectives are released by that. Other requests can still be
// completed. Further calls return ErrClosed.
func (c *Comm) Close() error {
	if c.world == nil {
		return ErrClosed
	}
	_, err := c.attached.detach(c.job)
	c.world = nil
	if e := c.runner.Close(); err == nil {
		err = e
	}
	if b, ok := c.dev.(device.Binder); ok {
		c.engine.Enter()
		b.Unbind(c.context + 1)
		c.engine.Leave()
	}
	if c.job.open--; c.job.open == 0 {
		c.engine.Close()
	}
	return err
}
