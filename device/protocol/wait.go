package protocol

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/blocking"
)

// A waitPolicy determines how a rank waits. By default it first polls continuously, then yields the
// processor between polls, and finally sleeps between polls. If ranks outnumber processors, the
// awaited peer may need this processor, so the first phase is short, and the sleeps get longer: the
// polls of hundreds of waiting ranks would otherwise use all processor time.
//
// WaitState counts the polls of one wait, and has the time at which its present phase began. With
// the defaults, and polls as in policy.polls:
//
//	spin     polls < 2000 (100 us at most)       next poll without a break
//	yield    for 20 ms                           blocking.Yield between polls
//	doze     until the end of the wait           sleeps of 50 us
//
//	crowded  20 polls, 200 us of yields, then sleeps that grow with the wait to 10 ms
//	         with Sleep.Block: they end by a packet, and grow to 100 ms
//	blocks   one poll, then Sleep.Block or Sleep.Arm
//
// In each phase after the first, the clock has been read, and Idle is called if it is due (alive).
// A packet begins the first phase anew. Sleeps without an event are never longer than idlePeriod,
// times turns, because they also bound the time until a dead peer is detected.
type waitPolicy struct {
	polls         int                 // without a break
	yields        time.Duration       // of yielding between polls, before sleeping
	sleep         time.Duration       // between polls, in the last phase
	block         func(time.Duration) // Sleep.Block of the only wire, instead of sleeping; may be nil
	crowded       bool                // ranks outnumber processors
	blocks        bool                // sleep without polling, until the wire wakes the rank
	shared        bool                // other goroutines of this process must run: ranks, or readers of a wire
	wakes         bool                // sleep until one of the wires, which all have Sleep.Arm, has something to do
	sleepOnEvents bool                // with wakes: sleep rather than yield
	turns         time.Duration       // factor on the longest sleeps

	timeout syscall.Timespec // of a system call, in memory that does not move
}

// ranksInTurn is the number of ranks per processor up to which the longest sleeps are idlePeriod
// and blockPeriod. With more ranks, sleeps are longer in proportion, because their checks would
// otherwise use all processor time.
const ranksInTurn = 32

// newWaitPolicy returns the policy of option wait for a rank of a host with that many ranks and
// processors for them. shared means that ranks are goroutines. What wires can do is added by
// newCore.
func newWaitPolicy(wait string, localSize, processors int, shared bool) waitPolicy {
	if shared {
		processors = min(processors, runtime.GOMAXPROCS(0))
	}
	turns := time.Duration(max(1, localSize/processors/ranksInTurn))
	if wait == "block" {
		return waitPolicy{polls: 1, sleep: blockPeriod, blocks: true, turns: turns}
	}
	crowded := wait == "yield" || wait == "auto" && localSize > processors
	if crowded && shared {
		// Yielding to another goroutine costs less than another unsuccessful poll and runs one that
		// is ready; a sleep would only delay the others.
		return waitPolicy{polls: 1, yields: 20 * time.Millisecond, sleep: 100 * time.Microsecond, crowded: true, shared: true, turns: turns}
	}
	one := runtime.GOMAXPROCS(0) == 1 // goroutines of the wire then need the processor, too
	if crowded {
		return waitPolicy{polls: 20, yields: 200 * time.Microsecond, sleep: 100 * time.Microsecond, crowded: true, shared: one, turns: turns}
	}
	return waitPolicy{polls: 2_000, yields: 20 * time.Millisecond, sleep: 50 * time.Microsecond, shared: shared || one, turns: turns}
}

// String returns the value of option wait that is in force.
func (p waitPolicy) String() string {
	switch {
	case p.blocks:
		return "block"
	case p.crowded:
		return "yield"
	}
	return "spin"
}

// doze sleeps for about d. A goroutine that is locked to its thread sleeps in the kernel:
// time.Sleep would switch to another thread and back, which takes several times longer.
func (p *waitPolicy) doze(d time.Duration) {
	switch {
	case p.shared:
		time.Sleep(d)
	case p.block != nil:
		p.block(d)
	default:
		t := syscall.NsecToTimespec(int64(d))
		if d < blocking.Long {
			syscall.Nanosleep(&t, nil) // a signal may end it early
			return
		}
		p.timeout = t
		blocking.Syscall6(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&p.timeout)), 0, 0, 0, 0, 0)
	}
}

// pause returns the length of the next sleep after waiting for the given time. If ranks outnumber
// processors, it is a tenth of that time, or all of it if a packet ends the sleep: longer sleeps
// are fewer, and hundreds of waiting ranks then cost little.
func (p *waitPolicy) pause(waited time.Duration) time.Duration {
	switch {
	case !p.crowded:
		return p.sleep
	case p.block != nil:
		return min(max(p.sleep, waited), p.turns*blockPeriod)
	}
	return min(max(p.sleep, waited/10), p.turns*idlePeriod)
}

// withoutEvents returns the policy for waits that no event ends.
func (p waitPolicy) withoutEvents() waitPolicy {
	if p.blocks {
		yields := newWaitPolicy("yield", 1, 1, p.shared)
		yields.turns = p.turns
		return yields
	}
	p.block, p.wakes, p.sleepOnEvents = nil, false, false
	return p
}

// idlePeriod is the interval at which a waiting rank calls Wire.Idle, blockPeriod that of a rank
// that a packet wakes. Both are multiplied by waitPolicy.turns.
const (
	idlePeriod  = 10 * time.Millisecond
	blockPeriod = 100 * time.Millisecond
)

// Wait blocks until the request is complete and releases it.
func (d *core) Wait(h device.Request) (device.Status, error) {
	if d.closed {
		return device.Status{}, device.ErrClosed
	}
	r := d.requests.lookup(h)
	if r == nil {
		return device.Status{}, device.ErrRequest
	}
	return d.await(r, r.peer)
}

// Test makes progress once and releases the request if it is complete.
func (d *core) Test(h device.Request) (device.Status, bool, error) {
	if d.closed {
		return device.Status{}, false, device.ErrClosed
	}
	r := d.requests.lookup(h)
	if r == nil {
		return device.Status{}, false, device.ErrRequest
	}
	if r.state != complete {
		d.progress(r.peer)
	}
	if r.state != complete {
		d.testMiss(r.peer)
		return device.Status{}, false, nil
	}
	status, err := d.requests.release(r)
	return status, true, err
}

// await waits for a request, polling mainly for packets of one peer.
func (d *core) await(r *request, from int) (device.Status, error) {
	if r.state == complete {
		if r.send {
			from = device.AnySource // no packet of the receiver is awaited here
		}
		d.shortcut(from)
	}
	if r.state != complete {
		d.meter.begin()
		var w device.WaitState
		for r.state != complete {
			d.step(&d.policy, &w, from, from)
		}
		peer := r.peer
		if peer < 0 {
			peer = r.status.Source
		}
		d.meter.count(peer)
	}
	return d.requests.release(r)
}

// step polls once, mainly for packets of from, and yields or sleeps according to a policy if
// nothing happened. Both from, and awaited, the peer for which this rank waits, may be
// device.AnySource.
func (d *core) step(policy *waitPolicy, w *device.WaitState, from, awaited int) {
	polls := 1
	if from >= 0 && len(d.backlog) == 0 {
		p := &d.peers[from]
		if p.peeker != nil {
			turns := p.turns
			if p.limits.Calls {
				if w.Polls >= policy.polls {
					turns = 1
				}
				polls = turns
			}
			if h, data, ok := p.peeker.Peek(from, turns); ok {
				d.sink.Packet(from, h, data)
				p.peeker.Pop(from)
				w.Polls = 0
				d.shortcut(from)
				return
			}
		}
	} else if d.waiter != nil && from < 0 && len(d.backlog) == 0 && w.Polls > 0 {
		d.waiter.Peek(device.AnySource, d.carriers[0].turns)
	}
	if d.slept { // polls all peers: what ended this sleep must not end the next one, too
		d.slept, from = false, device.AnySource
	}
	if d.progressFor(from, awaited) {
		w.Polls = 0
	} else if now, rested := d.rest(policy, w, polls); rested {
		d.alive(now, awaited)
	}
}

// A rank polls continuously for about spinTime at most: over a wire whose polls are system calls, a
// thousand polls would take a millisecond, which another rank on the processor may need. The clock
// is read once in spinCheck polls.
const (
	spinTime  = 100 * time.Microsecond
	spinCheck = 64
)

// rest must be called after polls that delivered nothing. Early in a wait it returns immediately;
// later
// it yields or sleeps according to a policy, and returns the time at which it began to.
func (d *core) rest(policy *waitPolicy, w *device.WaitState, polls int) (now time.Time, rested bool) {
	before := w.Polls
	w.Polls += polls
	if w.Polls < policy.polls && w.Polls/spinCheck == before/spinCheck {
		return now, false
	}
	now = time.Now()
	if w.Polls < policy.polls {
		switch {
		case before < spinCheck:
			w.Since = now
		case now.Sub(w.Since) > spinTime:
			w.Polls = policy.polls - 1
		}
		return now, false
	}
	if before < policy.polls {
		w.Since = now
	}
	switch waited := now.Sub(w.Since); {
	case waited < policy.yields && !policy.sleepOnEvents:
		blocking.Yield(policy.shared)
		d.untilSlow = 0
	case policy.wakes:
		d.sleep(waited)
	default:
		policy.doze(policy.pause(waited))
		d.untilSlow = 0
	}
	return now, true
}

// roomPeriod is the longest sleep of a rank that waits for room in a wire.
const roomPeriod = time.Millisecond

// sleep waits until a wire may have something to do.
func (d *core) sleep(waited time.Duration) {
	longest := min(max(idlePeriod, waited), d.policy.turns*blockPeriod)
	if len(d.backlog) > 0 { // no event reports room
		longest = min(d.policy.pause(waited), roomPeriod)
	}
	fds, quick := d.fds[:0], 0 // the first quick descriptors belong to wires that are always polled
	for _, k := range d.carriers {
		var bound time.Duration
		if fds, bound = k.sleep.Arm(fds); bound >= 0 {
			longest = min(longest, bound)
		}
		if !k.slow {
			quick = len(fds)
		}
	}
	d.fds = fds
	if longest > 0 {
		ready := d.policy.pollDescriptors(fds, longest, waited >= idlePeriod)
		for i := range fds[:quick] {
			if fds[i].Revents != 0 {
				ready--
			}
		}
		if ready != 0 || longest < idlePeriod { // an event of a slow wire, or none
			d.untilSlow = 0
		}
	}
	for _, k := range d.carriers {
		k.sleep.Disarm()
	}
	d.slept = true
}

// pollDescriptors waits until a descriptor is ready, and returns the number of ready ones; -1 after
// longest or a signal. The system call bypasses Go's scheduler unless the rank has waited for long:
// the scheduler would hand the processor to another thread and take it back, and its preemption
// signal ends the wait.
func (p *waitPolicy) pollDescriptors(fds []unix.PollFd, longest time.Duration, long bool) int {
	p.timeout = syscall.NsecToTimespec(int64(longest))
	call := syscall.RawSyscall6
	if long {
		call = blocking.Syscall6
	}
	n, _, errno := call(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(unsafe.SliceData(fds))), uintptr(len(fds)),
		uintptr(unsafe.Pointer(&p.timeout)), 0, 0, 0)
	if errno != 0 || n == 0 {
		return -1
	}
	return int(n)
}

// servePeriod bounds the number of successive messages that are sent or received without polling
// the other peers. Such a poll costs about as much as a message of a near peer, so it must be rare.
// idleCheck bounds the number of calls without reading the clock. Both are powers of two.
const (
	servePeriod = 64
	idleCheck   = 1024
)

// shortcut must be called by an operation that completed without polling the wire. Otherwise a
// sequence of such operations would starve the other peers, the transfers that the wire itself
// progresses, and the detection of dead peers. from is a peer whose packets are left to the caller,
// or device.AnySource.
func (d *core) shortcut(from int) {
	if d.shortcuts++; d.shortcuts%servePeriod == 0 {
		d.serve(from)
	}
}

// serve polls all peers but from, whose packets are left to the caller, and now and then looks for
// dead ranks.
func (d *core) serve(from int) {
	if from < 0 || d.peers[from].peeker == nil {
		d.progress(device.AnySource)
	} else {
		d.peers[from].peeker.Serve(from, d.sink)
		if len(d.carriers) > 1 {
			d.pollOthers(d.peers[from].carrier)
		}
		d.follow()
	}
	if d.shortcuts%idleCheck == 0 {
		d.alive(time.Now(), from)
	}
}

// alive calls Wire.Idle, which detects dead peers, and looks for an interrupt, if idlePeriod has
// passed since the last call. awaited is the peer for which this rank waits, or device.AnySource.
func (d *core) alive(now time.Time, awaited int) {
	if now.Sub(d.idled) >= idlePeriod {
		d.idled = now
		if cause := d.interrupt.Load(); cause != nil && d.stopped == nil {
			d.stop(*cause, awaited)
		}
		for _, k := range d.carriers {
			k.wire.Idle(d.sink)
		}
	}
}

// progress polls once and pushes queued packets. It reports whether anything happened.
func (d *core) progress(from int) bool { return d.progressFor(from, from) }

// progressFor is progress for a wait for another peer than that of from.
func (d *core) progressFor(from, awaited int) bool {
	var moved bool
	if len(d.carriers) == 1 {
		moved = d.carriers[0].wire.Poll(from, d.sink)
	} else {
		moved = d.pollSeveral(from)
	}
	if d.polls++; d.polls%idleCheck == 0 {
		d.alive(time.Now(), awaited)
	}
	return d.follow() || moved
}

// pollSeveral polls the wire of from, and with it the others (pollOthers).
func (d *core) pollSeveral(from int) bool {
	if from < 0 {
		return d.pollOthers(nil)
	}
	own := d.peers[from].carrier
	moved := own.wire.Poll(from, d.sink)
	return d.pollOthers(own) || moved
}

// slowPeriod is the number of calls of pollOthers for each one that polls the slow wires: a system
// call for every peer takes longer than a message over a fast wire.
const slowPeriod = 32

// pollOthers polls all wires except one, which may be nil, for packets of any peer: fast wires at
// each call, slow ones in one of slowPeriod calls and after the rank has yielded.
func (d *core) pollOthers(except *carrier) (moved bool) {
	d.untilSlow--
	for _, k := range d.carriers {
		if k != except && (!k.slow || d.untilSlow <= 0) {
			moved = k.wire.Poll(device.AnySource, d.sink) || moved
		}
	}
	if d.untilSlow <= 0 {
		d.untilSlow = slowPeriod
	}
	return moved
}

// follow does the work that a poll may have made possible. It reports whether anything happened.
func (d *core) follow() (moved bool) {
	if len(d.backlog) > 0 && d.drain() {
		moved = true
	}
	if len(d.closing) > 0 {
		d.classifyClosing()
		moved = true
	}
	return moved
}

// testMiss must be called after a Test or Iprobe that found nothing. The caller will poll again, so
// dead peers must be detected and the processor yielded here, too.
func (d *core) testMiss(awaited int) {
	d.misses++
	if d.policy.crowded {
		blocking.Yield(d.policy.shared)
		d.untilSlow = 0
	}
	if d.misses&0x3f == 0 {
		d.alive(time.Now(), awaited)
	}
}
