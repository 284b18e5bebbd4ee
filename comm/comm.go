package comm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"gobench/comm/coll"
	"gobench/comm/schedule"
	"gobench/device"
)

// A Comm is a communicator: a group of ranks with a message context of its own.
// Messages of one communicator are never received in another, and those of
// collective operations never by point-to-point receives.
type Comm struct {
	job     *job
	dev     device.Device          // cached copies of job.dev and job.engine
	now     device.ImmediateSender // dev, if it can send without a request; else nil
	engine  *coll.Engine
	context int32 // of point-to-point messages; collectives have the one after it
	rank    int
	world   []int  // rank on the device by rank of the communicator; nil after Close
	local   []int  // rank of the communicator by rank on the device; nil if they are equal
	inter   *inter // nil, or world is the other group of an inter-communicator
	halves  *Comm  // of Divide

	runner  *coll.Runner
	shape   schedule.Shape // of the operation being called
	call    schedule.Call
	blocks  [2][]schedule.Block
	started collectives

	options  Options
	pool     pool
	attached attachment
	windows  []*window // open
	spare    []int32   // contexts of windows that were closed
}

// Options configure a communicator and all communicators made from it.
type Options struct {
	// Context is the first context id to be used; 0 means FirstContext.
	// Two Worlds over one device at the same time need ranges of ids that do not overlap.
	Context int32
	// Coll configures collective operations. World sets its Engine.
	Coll coll.Options
}

// FirstContext is the first context id that communicators use by default. Lower
// ids are reserved for programs that use the device without communicators.
const FirstContext int32 = 16

// World creates the communicator of all ranks of a device. It is collective, like every function
// and method that creates communicators. It returns a *coll.OptionsError on all ranks if their
// Options.Coll differ. The caller still owns the device and closes it after the communicators.
func World(dev device.Device, o Options) (*Comm, error) {
	o.Context = cmp.Or(o.Context, FirstContext)
	last := dev.Info().Contexts()
	if o.Context < 0 || o.Context > last-contexts {
		return nil, &ArgumentError{"world", "the first context", int(o.Context), "0 or more, and room for others"}
	}
	if hosts := o.Coll.Hosts; hosts != nil && len(hosts) != dev.Size() {
		return nil, &ArgumentError{"world", "the length of Options.Coll.Hosts", len(hosts), fmt.Sprintf("%d, the number of ranks", dev.Size())}
	}
	world := make([]int, dev.Size())
	for rank := range world {
		world[rank] = rank
	}
	o.Coll.Engine = coll.NewEngine(dev, o.Coll.Progress, o.Coll.Hosts)
	j := &job{dev: dev, engine: o.Coll.Engine, next: o.Context + contexts, last: last, batch: newBatch(dev)}
	c, err := newComm(j, o, o.Context, world, dev.Rank())
	if err != nil {
		j.engine.Close()
		return nil, err
	}
	if err := o.Coll.Agree(dev, o.Context+1); err != nil {
		c.Close() // the error of Agree is the cause of any other
		return nil, err
	}
	return c, nil
}

// contexts is the number of context ids of a communicator.
const contexts = 2

// newComm creates the communicator of the ranks in world, which include this rank.
func newComm(j *job, o Options, context int32, world []int, rank int) (*Comm, error) {
	c := &Comm{job: j, dev: j.dev, engine: j.engine, context: context, rank: rank, world: world, options: o}
	c.now, _ = j.dev.(device.ImmediateSender)
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
		j.engine.Lock()
		err := b.Bind(context+1, world)
		j.engine.Unlock()
		if err != nil {
			return nil, err
		}
	}
	if err := c.confine(); err != nil {
		return nil, err
	}
	c.runner = coll.NewRunner(j.dev, context+1, translate, rank, len(world), o.Coll)
	c.started.c = c
	j.open++
	return c, nil
}

// confine limits receives from AnySource to the ranks of the communicator.
func (c *Comm) confine() error {
	b, ok := c.dev.(device.Confiner)
	if !ok || len(c.world) == c.dev.Size() {
		return nil
	}
	c.engine.Lock()
	defer c.engine.Unlock()
	return b.Confine(c.context, c.world)
}

func identity(world []int) bool {
	for i, w := range world {
		if i != w {
			return false
		}
	}
	return true
}

// Rank returns this rank's number in the communicator.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of ranks, 0 after Close.
func (c *Comm) Size() int { return len(c.members()) }

// Group returns the ranks of the communicator, by their numbers on the device.
func (c *Comm) Group() Group { return Group{slices.Clone(c.members())} }

// members returns the group of this rank.
func (c *Comm) members() []int {
	if c.inter != nil && c.world != nil {
		return c.inter.local.world
	}
	return c.world
}

// Open returns the number of communicators over the device that are not closed.
func (c *Comm) Open() int { return c.job.open }

// Device returns the device under the communicator.
func (c *Comm) Device() device.Device { return c.dev }

// Algorithm returns the algorithm of the last collective operation of a
// kind, "" if there was none.
func (c *Comm) Algorithm(kind schedule.Kind) string { return c.runner.Algorithm(kind) }

// ByTable reports whether the table of the communicator chooses, for the last operation of a kind,
// the algorithm that it used, also where Force selected that.
func (c *Comm) ByTable(kind schedule.Kind) bool { return c.runner.ByTable(kind) }

// Force selects the algorithm of later operations of a kind; nil restores the table's choice. All
// ranks must call it between the same two operations. New communicators do not inherit it.
func (c *Comm) Force(kind schedule.Kind, choice *coll.Choice) { c.runner.Force(kind, choice) }

// SharesMemory reports whether algorithms in shared memory may be used over this device.
func (c *Comm) SharesMemory() bool { return c.runner.SharesMemory() }

// HasLibrary reports whether the device is a library with collective operations of its own.
func (c *Comm) HasLibrary() bool { return c.runner.HasLibrary() }

// Hosts returns the number of hosts of the ranks, 1 if it is unknown.
func (c *Comm) Hosts() int { return c.runner.Hosts() }

// Multiple sets whether several goroutines may use the communicators of the device at the same
// time, as with MPI_THREAD_MULTIPLE. Without it, which costs no lock, all calls come from one
// goroutine at a time. With it each call locks the device, and unlocks it while it waits.
//
// A request is completed by one goroutine. The collective operations of a communicator are called
// by one goroutine at a time, and so are, for all communicators of the device together, calls that
// create or close communicators and windows, access windows, or attach and detach buffers.
//
// All ranks call Multiple between the same two collective operations, because these then use
// messages only. No other goroutine may use the device during the call. It returns ErrOneThread
// where a library under the device may be called by one thread only.
func (c *Comm) Multiple(on bool) error {
	if on && coll.OneThread(c.dev) {
		return ErrOneThread
	}
	c.engine.Multiple(on)
	return nil
}

// Close closes the communicator, collectively, after its windows. It waits for buffered sends and
// non-blocking collectives, returns their first error and releases the requests of the collectives.
// Other requests can still be completed. Further calls return ErrClosed. A rank on which a
// collective or a window has failed closes its device next, because others may wait for it.
func (c *Comm) Close() error {
	if c.world == nil {
		return ErrClosed
	}
	var err error
	for _, w := range slices.Clone(c.windows) {
		err = cmp.Or(err, w.close())
	}
	_, detached := c.attached.detach(c)
	err = cmp.Or(err, detached)
	if x := c.halves; x != nil && x.world != nil {
		err = cmp.Or(err, x.Close())
	}
	c.world = nil
	if c.inter != nil {
		return cmp.Or(err, c.inter.close())
	}
	err = cmp.Or(err, c.runner.Close())
	if b, ok := c.dev.(device.Binder); ok {
		c.engine.Lock()
		b.Unbind(c.context)
		b.Unbind(c.context + 1)
		c.engine.Unlock()
	}
	if c.job.open--; c.job.open == 0 {
		c.engine.Close()
	}
	return err
}

// CloseAll closes the communicator, unless the rank has failed with *err, because closing it would
// wait for the other ranks. It always ends the progress of all communicators over the device and
// closes the device. It stores the first error in *err; to find a communicator or a device closed
// already is no error.
func (c *Comm) CloseAll(err *error) {
	if *err == nil {
		if e := c.Close(); e != ErrClosed {
			*err = e
		}
	}
	if e := c.closeDevice(); *err == nil && !errors.Is(e, device.ErrClosed) {
		*err = e
	}
}

// closeDevice closes the device after the progress thread, which uses it, has ended.
func (c *Comm) closeDevice() error {
	c.engine.Close()
	return c.dev.Close()
}

// A job holds the state shared by all communicators over one device.
type job struct {
	dev    device.Device
	engine *coll.Engine // progresses non-blocking collectives; while it is busy it guards dev
	open   int          // open communicators
	next   int32        // the lowest context that no communicator of this rank has used
	last   int32        // the greatest context of the device
	turn   atomic.Int64 // the index that WaitAny and TestAny test first
	batch  *batch       // nil if the device is no device.Batcher
}

// wait waits for a request of the device.
func (c *Comm) wait(q device.Request) (Status, error) {
	if c.engine.Busy() {
		s, err := c.engine.Wait(q)
		return c.status(s), err
	}
	s, err := c.dev.Wait(q)
	return c.status(s), err
}

// test tests a request of the device.
func (c *Comm) test(q device.Request) (s device.Status, done bool, err error) {
	if c.engine.Busy() {
		return c.engine.Test(q)
	}
	return c.dev.Test(q)
}

// Run opens a device of driver with default options, calls f with the communicator of all ranks of
// the job, and closes both. Collective operations use the hosts of the job unless o.Coll.Hosts is
// set. Every rank of the job calls Run.
func Run(ctx context.Context, driver device.Driver, job device.Job, o Options, f func(*Comm) error) (err error) {
	options, err := device.ParseOptions(driver.Options(), nil)
	if err != nil {
		return err
	}
	dev, err := driver.Open(ctx, job, options)
	if err != nil {
		return err
	}
	if o.Coll.Hosts == nil {
		o.Coll.Hosts = job.Hosts()
	}
	world, err := World(dev, o)
	if err != nil {
		dev.Close()
		return err
	}
	defer world.CloseAll(&err)
	return f(world)
}
