package coll

import (
	"cmp"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"gobench/device"
	"gobench/internal/blocking"
)

// An Engine progresses the non-blocking collective operations of all communicators over one device,
// as MPI's progress rule requires: every call advances all operations in progress. The Runners of
// these communicators share it (Options.Engine).
//
// While the Engine is Busy, device calls outside a Runner must be bracketed by Lock and Unlock,
// because the progress thread may hold the device. They must not block in the device, because the
// peer may be waiting for an operation that this rank has to advance: use Engine.Wait. While it is
// not Busy, Lock and Unlock cost one branch each.
//
// An Engine belongs to the goroutine that owns the device, or to several after Multiple.
type Engine struct {
	dev  device.Device
	idle idleWait
	wait device.WaitState // of the owner's call, or of those that wait last
	open atomic.Int32     // operations that were started and not yet released, tasks, and Multiple
	live []task           // operations that are not done, and tasks, oldest first
	lock lock
	held bool    // by an owner
	many bool    // several goroutines own the device
	work *thread // nil: progress is made in calls only
}

// A task is what an Engine advances beside its Runners' operations, such as the service of a
// window.
type task interface {
	// Step does what is possible without waiting, and reports whether that was anything and whether
	// the task has ended.
	Step() (moved, done bool)
	// Includes reports whether a rank of the device takes part until the same call of a collective
	// operation as this rank.
	Includes(rank int) bool
}

// NewEngine returns the engine of a device. hosts is Options.Hosts.
func NewEngine(dev device.Device, p Progress, hosts []int) *Engine {
	e := &Engine{dev: dev, idle: newIdleWait(dev)}
	if p.settle(onOneHost(hosts, dev.Size())) == ProgressThread && !OneThread(dev) {
		e.work = newThread(e)
	}
	return e
}

// OneThread reports whether only the owner's thread may call the device, as with an MPI library
// without thread support.
func OneThread(dev device.Device) bool {
	d, ok := dev.(interface{ OneThread() bool })
	return ok && d.OneThread()
}

// Busy reports whether operations were started and not yet waited for, or several goroutines own
// the device.
func (e *Engine) Busy() bool { return e.open.Load() > 0 }

// Shared reports whether several goroutines own the device.
func (e *Engine) Shared() bool { return e.many }

// Multiple sets whether several goroutines own the device. The Engine is Busy then, whoever waits
// unlocks the device between polls, and blocking operations use message algorithms only, because
// the others wait in the device. No other goroutine may use the device during the call.
func (e *Engine) Multiple(on bool) {
	if on == e.many {
		return
	}
	if e.many = on; on {
		e.open.Add(1)
	} else {
		e.open.Add(-1)
	}
}

// Mode returns ProgressCalls or ProgressThread.
func (e *Engine) Mode() Progress {
	if e.work != nil {
		return ProgressThread
	}
	return ProgressCalls
}

// Lock acquires the device for the calling goroutine until Unlock. Calls do not nest.
func (e *Engine) Lock() {
	if e.Busy() {
		e.acquire()
	}
}

// Unlock releases the device after Lock.
func (e *Engine) Unlock() {
	if e.held {
		e.release()
	}
}

// acquire takes the device from the progress thread and other owners, if there are any.
func (e *Engine) acquire() {
	if e.work != nil || e.many {
		e.lock.take(e.many)
		e.held = true
	}
}

func (e *Engine) release() {
	e.held = false
	e.lock.give()
}

// Progress advances all operations once. The caller is between Lock and Unlock.
func (e *Engine) Progress() { e.advance() }

// Wait waits for a request of the device and advances operations meanwhile.
func (e *Engine) Wait(q device.Request) (device.Status, error) {
	e.Lock()
	defer e.Unlock()
	return e.waitFor(q)
}

// waitFor is Wait for a caller that has locked the engine.
func (e *Engine) waitFor(q device.Request) (device.Status, error) {
	w := e.waits()
	for e.many || len(e.live) > 0 {
		if status, done, err := e.dev.Test(q); done || err != nil {
			return status, err
		}
		e.turn(w)
	}
	return e.dev.Wait(q)
}

// Test tests a request of the device and advances operations once.
func (e *Engine) Test(q device.Request) (device.Status, bool, error) {
	e.Lock()
	defer e.Unlock()
	e.advance()
	return e.dev.Test(q)
}

// waits begins a wait of the owner.
func (e *Engine) waits() *device.WaitState {
	e.wait = device.WaitState{}
	return &e.wait
}

// turn advances operations, and waits a little if none progressed. Several owners share w, which
// they use while they hold the lock.
func (e *Engine) turn(w *device.WaitState) {
	if e.advance() {
		w.Polls = 0
		return
	}
	if !e.many {
		e.idle.pollMiss(w)
		return
	}
	pause := pauseAfter(w, ownerPolls)
	e.release()
	rest(pause)
	for i := 1; !e.lock.try(); i++ {
		if i%ownerPolls == 0 { // the device may yield the processor while it is locked
			rest(0)
		}
	}
	e.held = true
}

// ownerPolls is the number of polls of an owner before it lets others have the processor, which may
// be what it waits for.
const ownerPolls = 100

// advance runs every operation as far as possible without waiting, the oldest first, and
// reports whether any progressed.
func (e *Engine) advance() bool {
	moved := false
	kept := e.live[:0]
	for _, t := range e.live {
		some, done := t.Step()
		moved = moved || some
		if !done {
			kept = append(kept, t)
		}
	}
	clear(e.live[len(kept):])
	e.live = kept
	return moved
}

// drop removes a task that has ended outside advance.
func (e *Engine) drop(t task) {
	e.live = slices.DeleteFunc(e.live, func(other task) bool { return other == t })
}

// Begin adds a task. It is advanced by every call, as operations are, until End.
func (e *Engine) Begin(t task) {
	e.acquire() // from the first task on, the progress thread uses the device
	e.open.Add(1)
	e.live = append(e.live, t)
	e.Unlock()
	if e.work != nil {
		e.work.begin()
	}
}

// End removes a task that has not ended.
func (e *Engine) End(t task) {
	e.Lock()
	e.drop(t)
	e.open.Add(-1)
	e.Unlock()
}

// Until advances operations until ready reports true. ready is called with the device locked.
func (e *Engine) Until(ready func() bool) {
	e.Lock()
	defer e.Unlock()
	for w := e.waits(); !ready(); {
		e.turn(w)
	}
}

// Close ends the progress thread, after which the device can be closed. Operations in progress are
// advanced by calls only.
func (e *Engine) Close() {
	if e.work != nil {
		e.work.end()
		e.work = nil
	}
}

// idleWait waits between polls of several operations, because the device can block on one request
// only.
type idleWait struct {
	device progresser // nil if the device does not implement it
}

// A progresser is the part of a device.Sharer that waits; a device may implement it alone.
type progresser interface {
	Progress(w *device.WaitState, context int32, peer int) error
}

func newIdleWait(dev device.Device) idleWait {
	v, _ := dev.(progresser)
	return idleWait{v}
}

// noContext is a context with no bound ranks, so a rank failure never breaks it: the operation that
// needs the dead rank reports it.
const noContext = -1

// pollMiss must be called after every operation was polled without progress: it progresses the
// device, yields or sleeps.
func (i idleWait) pollMiss(w *device.WaitState) {
	if i.device != nil {
		i.device.Progress(w, noContext, device.AnySource)
		return
	}
	rest(pauseAfter(w, 1_000))
}

// pauseAfter counts a poll without progress and returns the pause after it, for rest: none until
// there were as many as polls, then for 20 ms the processor is yielded between polls.
func pauseAfter(w *device.WaitState, polls int) time.Duration {
	w.Polls++
	switch {
	case w.Polls < polls:
		return -1
	case w.Polls == polls:
		w.Since = time.Now()
	case time.Since(w.Since) >= 20*time.Millisecond:
		return 50 * time.Microsecond
	}
	return 0
}

// rest sleeps for a time, yields the processor if it is 0, and does nothing if it is negative.
func rest(pause time.Duration) {
	if pause > 0 {
		time.Sleep(pause)
	} else if pause == 0 {
		blocking.Yield(true)
	}
}

// Progress selects how non-blocking operations progress while their caller computes.
type Progress uint8

const (
	ProgressAuto   Progress = iota // ProgressThread where every rank has a second processor
	ProgressCalls                  // only in calls of the owner of the device
	ProgressThread                 // by a progress thread
)

func (p Progress) String() string { return [...]string{"auto", "calls", "thread"}[p] }

// onOneHost returns the largest number of ranks on one host.
func onOneHost(hosts []int, ranks int) (n int) {
	for _, list := range hostRanks(HostsOf(hosts, nil, ranks)) {
		n = max(n, len(list))
	}
	return cmp.Or(n, ranks) // there is one host
}

// settle resolves ProgressAuto: a thread, if every rank of the host has a second processor for it.
//
// Measured with an Iallreduce of 1 MiB by a ring on 4 cores, ranks as goroutines of one
// process that compute meanwhile (BenchmarkOverlap): with 2 ranks, what is left to do in Wait
// falls from 215 to 1 us over smem and from 570 to 2 us over tcp, computation is no slower, and
// 8 bytes take no longer. With 4 ranks, where threads and ranks share processors,
// operations took several times as long.
func (p Progress) settle(ranks int) Progress {
	switch {
	case p != ProgressAuto:
		return p
	case 2*ranks <= min(runtime.NumCPU(), runtime.GOMAXPROCS(0)):
		return ProgressThread
	}
	return ProgressCalls
}

// sharing wraps the device for algorithms in shared memory: a rank that waits for a peer also
// progresses non-blocking operations, because the peer may be waiting for them.
func (e *Engine) sharing(dev device.Device) device.Device {
	if s, ok := dev.(device.Sharer); ok {
		return &sharing{dev, s, e}
	}
	return dev
}

// sharing is used by a goroutine that has entered the Engine.
type sharing struct {
	device.Device
	device.Sharer
	e *Engine
}

// Progress implements device.Sharer.
func (s *sharing) Progress(w *device.WaitState, context int32, peer int) error {
	if len(s.e.live) > 0 && s.e.advance() {
		w.Polls = 0
	}
	return s.Sharer.Progress(w, context, peer)
}

// Send implements device.Channel.
func (s *sharing) Send(buf []byte, dst int, tag, context int32) error {
	if len(s.e.live) == 0 {
		return s.Device.Send(buf, dst, tag, context)
	}
	q, err := s.Isend(buf, dst, tag, context)
	if err == nil {
		_, err = s.Wait(q)
	}
	return err
}

// Recv implements device.Channel.
func (s *sharing) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	if len(s.e.live) == 0 {
		return s.Device.Recv(buf, src, tag, context)
	}
	q, err := s.Irecv(buf, src, tag, context)
	if err != nil {
		return device.Status{}, err
	}
	return s.Wait(q)
}

// Wait implements device.Channel.
func (s *sharing) Wait(q device.Request) (device.Status, error) { return s.e.waitFor(q) }

// Crowded reports whether ranks outnumber processors (protocol.Device).
func (s *sharing) Crowded() bool {
	c, ok := s.Device.(interface{ Crowded() bool })
	return ok && c.Crowded()
}
