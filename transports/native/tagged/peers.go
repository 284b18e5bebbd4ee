//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// Peers watches the processes of the ranks on this host, by a pidfd each, which becomes readable
// when the process ends. A library itself detects the end of a peer only seconds later, if at all.
type Peers struct {
	polled []unix.PollFd // by rank; fd -1 where there is none
	ids    []int
}

// A Process runs a rank.
type Process struct {
	ID    int
	Space string // the PID namespace of ID
}

// Self returns this process.
func Self() Process {
	space, _ := os.Readlink("/proc/self/ns/pid")
	return Process{os.Getpid(), space}
}

// Watch watches the processes of the other ranks on the host of this one, except in other PID
// namespaces, whose ids mean other processes here. all has the processes of all ranks. A kernel
// without pidfds watches none.
func Watch(job device.Job, all []Process) Peers {
	p := Peers{make([]unix.PollFd, len(all)), make([]int, len(all))}
	hosts := job.Hosts()
	for i, process := range all {
		p.polled[i] = unix.PollFd{Fd: -1, Events: unix.POLLIN}
		if i == job.Rank() || hosts[i] != hosts[job.Rank()] || process.Space != all[job.Rank()].Space {
			continue
		}
		p.ids[i] = process.ID
		if fd, err := unix.PidfdOpen(process.ID, 0); err == nil {
			p.polled[i].Fd = int32(fd)
		} else if err == unix.ESRCH {
			p.polled[i].Fd = -2
		}
	}
	return p
}

// Close closes the pidfds.
func (p Peers) Close() {
	for _, f := range p.polled {
		if f.Fd >= 0 {
			unix.Close(int(f.Fd))
		}
	}
}

// alive checks the processes of the peers, unless the last check is recent. awaited is the peer for
// which this rank waits, or device.AnySource.
func (d *Device) alive(now time.Time, awaited int) {
	if now.Sub(d.looked) >= lookEvery {
		d.look(now, awaited)
	}
}

// aliveNow is alive at the present time.
func (d *Device) aliveNow(awaited int) { d.alive(time.Now(), awaited) }

func (d *Device) look(now time.Time, awaited int) {
	d.looked = now
	if cause := d.interrupt.Load(); cause != nil && d.stopped == nil {
		d.stop(*cause, awaited)
	}
	p := d.watch.polled
	if len(p) == 0 {
		return
	}
	unix.Poll(p, 0)
	for i := range p {
		if p[i].Fd == -2 || p[i].Fd >= 0 && p[i].Revents != 0 {
			if p[i].Fd >= 0 {
				unix.Close(int(p[i].Fd))
			}
			p[i].Fd = -1
			// Its earlier messages are received first: after a goodbye it has not died.
			d.core.polled(noRequest, drain)
			d.events()
			if d.peers[i].state == alive {
				d.echo.begin(i, now)
			}
			d.fail(i, fmt.Sprintf("process %d has ended", d.watch.ids[i]))
		}
	}
	if d.Echo != nil && d.echo.waits {
		d.listen(now)
	}
}

// An echo is the wait for a message of this rank to itself, after the death of a peer.
type echo struct {
	waits, again bool
	dead         int // who died last
	since        time.Time
	looks        int
}

// begin asks for an echo. One that is under way does not tell of this death.
func (e *echo) begin(dead int, now time.Time) {
	e.again, e.dead = e.waits, dead
	e.waits, e.since, e.looks = true, now, 0
}

// An echo that has not come after so long, and after as many looks as a rank that is not stopped
// makes in half of that time, does not come.
const (
	echoTime  = 2 * time.Second
	echoLooks = int(echoTime / lookEvery / 2)
)

// listen looks for the echo. Without it no peer can reach this rank, so all are lost.
func (d *Device) listen(now time.Time) {
	tag := d.layout.tag(d.Config.Rank, 1, 0) | d.layout.control // those of control have tag 0
	if d.Echo(tag) {
		d.echo.waits, d.echo.again = d.echo.again, false
		return
	}
	if d.echo.looks++; d.echo.looks < echoLooks || now.Sub(d.echo.since) < echoTime {
		return
	}
	d.echo.waits = false
	for rank := range d.peers {
		if rank != d.Config.Rank && d.peers[rank].state == alive {
			d.fail(rank, fmt.Sprintf("nothing arrives since rank %d has ended: it has blocked the queue of this rank", d.echo.dead))
		}
	}
}

// drain bounds the polls that receive the messages of a process that has ended.
const drain = 200

// events handles the events of the core: goodbyes, and errors of the library for a peer.
func (d *Device) events() {
	for rank := range d.peers {
		switch fate := d.core.fate(rank); {
		case fate < 0:
			d.fail(rank, d.core.explain(fate))
		case fate > 0 && d.peers[rank].state == alive:
			d.gone(rank, closed, "it has closed its device")
		}
	}
}

// fail treats a peer as dead.
func (d *Device) fail(rank int, cause string) {
	if d.peers[rank].state == alive {
		d.gone(rank, failed, cause)
	} else if d.peers[rank].state == closed {
		d.core.forget(rank)
		d.release(rank)
		d.peers[rank].state = failed
	}
}

// gone ends the requests that need a peer.
func (d *Device) gone(rank int, s state, cause string) {
	p := &d.peers[rank]
	p.state, p.err = s, d.stopped
	if p.err == nil {
		p.err = &device.PeerError{Rank: rank, Cause: cause}
	}
	others := slices.ContainsFunc(d.peers[:d.Config.Rank], isAlive) || slices.ContainsFunc(d.peers[d.Config.Rank+1:], isAlive)
	anyEnds := d.anyErr == nil && (s == failed || !others)
	if anyEnds {
		d.anyErr = p.err
	}
	d.core.drop(rank)
	if s == failed {
		d.core.forget(rank)
		if d.Sever != nil {
			d.Sever(rank)
		}
		d.release(rank)
	}
	for number := range d.requests {
		r := &d.requests[number]
		switch {
		case !r.live || r.lost || r.err != nil:
		case r.receive && (r.peer == rank || r.peer == device.AnySource && anyEnds):
			// A matched receive continues; for a cancelled one this is the result.
			r.err = p.err
			d.core.cancel(number)
		case !r.receive && r.peer == rank && s == closed && !d.core.ended(number):
			d.lose(r, number, p.err)
		}
	}
}

// release ends the requests with a dead peer that the library does not end.
func (d *Device) release(rank int) {
	for number := range d.requests {
		r := &d.requests[number]
		if r.live && !r.lost && r.peer == rank && !d.core.ended(number) {
			if r.receive {
				d.core.cancel(number)
				if d.core.ended(number) {
					r.err = d.peers[rank].err
					continue
				}
			}
			d.lose(r, number, d.peers[rank].err)
		}
	}
}

func isAlive(p peer) bool { return p.state == alive }

// lose ends a request with an error of its peer.
func (d *Device) lose(r *request, number int, err error) {
	r.lost, r.err = true, err
	d.lost = append(d.lost, number)
}

// goodbye bounds the time that Close waits for live receivers that match none of their messages.
const goodbye = 10 * time.Second

// goodbyes bounds the attempts to send a goodbye, without which the peer waits for messages of this
// rank until its process ends.
const goodbyes = 3

// Close waits until sends, puts and gets of live peers are complete, and sends goodbyes.
func (d *Device) Close() error {
	if d.closed {
		return device.ErrClosed
	}
	for number := range d.requests {
		if r := &d.requests[number]; r.live && r.receive && !r.lost {
			d.core.cancel(number)
		}
	}
	var w wait
	left := func() (n int) {
		for rank := range d.peers {
			if d.peers[rank].err == nil {
				n += d.core.open(rank)
			}
		}
		for number := range d.requests {
			r := &d.requests[number]
			if r.live && !r.lost && !r.receive && !d.core.ended(number) {
				n++
			}
		}
		return n
	}
	var err error
	wait := func(until func() int, what string) {
		begun, before := time.Now(), 0
		for n := until(); n > 0; n = until() {
			if n != before {
				begun, before = time.Now(), n
			}
			if d.core.polled(noRequest, turns) == event {
				d.events()
			}
			if d.pause(&w, device.AnySource); time.Since(begun) > goodbye {
				err = fmt.Errorf("%d %s were begun, and their peers do not complete them", n, what)
				return
			}
		}
	}
	wait(left, "messages, puts and gets")
	for rank := range d.peers {
		if rank != d.Config.Rank && d.peers[rank].state == alive {
			for try := 0; try < goodbyes && d.core.goodbye(rank) < 0; try++ {
			}
		}
	}
	wait(d.core.controls, "messages of control")
	d.closed = true
	d.end()
	return err
}

// end frees everything.
func (d *Device) end() {
	for _, r := range d.regions {
		r.release()
	}
	d.Config.Close()
	d.watch.Close()
	d.core.close()
	d.requests = nil
}

var _ device.Interrupter = (*Device)(nil)

// Interrupt implements device.Interrupter. The owner of the device sees it when it calls look.
func (d *Device) Interrupt(cause error) { d.interrupt.CompareAndSwap(nil, &cause) }

// stop ends all operations with an *device.InterruptedError, as if all peers had died, and this
// rank as its own peer. It names awaited, the peer for which this rank waits, or device.AnySource.
func (d *Device) stop(cause error, awaited int) {
	d.stopped = &device.InterruptedError{Rank: d.blames(awaited), Cause: cause}
	for rank := range d.peers {
		d.fail(rank, "interrupted")
	}
}

// blames returns the peer for which this rank waits: that of the call, else the one that all
// requests need, -1 if that may be any.
func (d *Device) blames(awaited int) int {
	if awaited >= 0 && awaited != d.Config.Rank {
		return awaited
	}
	rank := -1
	for i := range d.requests {
		switch r := &d.requests[i]; {
		case !r.live || r.lost || r.peer == d.Config.Rank || r.peer == rank:
		case r.peer < 0 || rank >= 0:
			return -1
		default:
			rank = r.peer
		}
	}
	return rank
}
