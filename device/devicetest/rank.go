package devicetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"

	"gobench/device"
	"gobench/internal/device/decorator"
)

// rank is one rank of a job while it runs a rule. Its device records what it
// does, so that a hanging rule can be explained.
type rank struct {
	device.Device
	bare    device.Device // the device itself, for rules that count allocations
	trace   *trace
	options device.Options
	limits  []int  // sizes around which a device changes its protocol, the same on all ranks
	forked  bool   // ranks are processes
	hosts   []int  // of all ranks
	dead    bool   // it simulates its death, and must not close its device
	seed    uint64 // of the job; equal for all ranks
	// lastContext tags what the rules themselves send, such as barriers.
	lastContext int32
	token       [2]byte
	die         func() // does not return
	kill        func() // makes a goroutine look dead
	dying       func() // asks to be killed soon, at a random moment, from outside
}

// failure is the value of the panic of a rule whose check fails.
type failure struct{ text string }

func (r *rank) fail(format string, args ...any) {
	panic(failure{fmt.Sprintf(format, args...)})
}

func (r *rank) must(err error, doing string, args ...any) {
	if err != nil {
		r.fail("%s: unexpected error: %v", fmt.Sprintf(doing, args...), err)
	}
}

// rand returns a generator with its own stream for every purpose and rank.
func (r *rank) rand(stream int) *rand.Rand {
	return rand.New(rand.NewPCG(r.seed, uint64(stream)))
}

// run opens the device and runs the rule, then those that next returns, until it returns nil or a
// rule fails. A next that is nil returns none. The device is closed in either case, so that other
// ranks do not hang.
func (r *rank) run(s Subject, u rule, job device.Job, next func() *rule) (err error) {
	options, err := u.parse(s)
	if err != nil {
		return err
	}
	d, err := s.Driver.Open(context.Background(), job, options)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	r.bare, r.options, r.lastContext, r.hosts = d, options, d.Info().Contexts()-1, job.Hosts()
	r.Device = decorator.Wrap(d, r.trace)
	defer func() {
		if r.dead {
			return
		}
		if e := r.Close(); err == nil && e != nil && !errors.Is(e, device.ErrClosed) {
			err = fmt.Errorf("close: %w", e)
		}
	}()
	if d.Rank() != job.Rank() || d.Size() != job.Size() {
		return fmt.Errorf("device says rank %d of %d, job says rank %d of %d", d.Rank(), d.Size(), job.Rank(), job.Size())
	}
	if err := r.agreeOnLimits(job); err != nil {
		return err
	}
	for {
		if err := r.runRule(u); err != nil || next == nil {
			return err
		}
		following := next()
		if following == nil {
			return nil
		}
		u = *following
	}
}

// runRule runs a rule on the open device. Its panics become errors.
func (r *rank) runRule(u rule) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case dead:
			r.dead = true
		case failure:
			err = errors.New(p.text)
		default:
			stack := make([]byte, 16<<10)
			err = fmt.Errorf("panic: %v\n%s", p, stack[:runtime.Stack(stack, false)])
		}
	}()
	u.run(r)
	if !u.alone {
		r.sync()
	}
	return nil
}

// sync is a barrier of messages, so that every rank makes progress in it.
func (r *rank) sync() {
	for step := 1; step < r.Size(); step *= 2 {
		to, from := (r.Rank()+step)%r.Size(), (r.Rank()-step+r.Size())%r.Size()
		in := r.irecv(r.token[:1], from, int32(step), r.lastContext)
		r.wait(r.isend(r.token[1:], to, int32(step), r.lastContext))
		r.wait(in)
	}
}

// agreed reports whether yes is true on all ranks.
func (r *rank) agreed(yes bool) bool {
	in, out := []byte{0}, []byte{0}
	if yes {
		out[0] = 1
	}
	for peer := range r.Size() {
		if peer != r.Rank() {
			q := r.irecv(in, peer, 0, r.lastContext)
			r.wait(r.isend(out, peer, 0, r.lastContext))
			r.wait(q)
			yes = yes && in[0] == 1
		}
	}
	return yes
}

// The operations that must not fail.

func (r *rank) isend(b []byte, dst int, tag, context int32) device.Request {
	q, err := r.Isend(b, dst, tag, context)
	r.must(err, "isend of %d bytes to %d", len(b), dst)
	return q
}

func (r *rank) issend(b []byte, dst int, tag, context int32) device.Request {
	q, err := r.Issend(b, dst, tag, context)
	r.must(err, "issend of %d bytes to %d", len(b), dst)
	return q
}

func (r *rank) irecv(b []byte, src int, tag, context int32) device.Request {
	q, err := r.Irecv(b, src, tag, context)
	r.must(err, "irecv from %d tag %d", src, tag)
	return q
}

func (r *rank) wait(q device.Request) device.Status {
	st, err := r.Wait(q)
	r.must(err, "wait for request %#x", q)
	return st
}

func (r *rank) test(q device.Request) (device.Status, bool) {
	st, done, err := r.Test(q)
	r.must(err, "test of request %#x", q)
	return st, done
}

func (r *rank) send(b []byte, dst int, tag, context int32) {
	r.must(r.Send(b, dst, tag, context), "send of %d bytes to %d", len(b), dst)
}

func (r *rank) recv(b []byte, src int, tag, context int32) device.Status {
	st, err := r.Recv(b, src, tag, context)
	r.must(err, "recv from %d tag %d", src, tag)
	return st
}

func (r *rank) iprobe(src int, tag, context int32) (device.Status, bool) {
	st, found, err := r.Iprobe(src, tag, context)
	r.must(err, "iprobe of %d tag %d", src, tag)
	return st, found
}

func (r *rank) probe(src int, tag, context int32) device.Status {
	st, err := r.Probe(src, tag, context)
	r.must(err, "probe of %d tag %d", src, tag)
	return st
}

// same fails unless the status describes an ordinary message.
func (r *rank) same(st device.Status, source int, tag int32, size int) {
	if want := (device.Status{Source: source, Tag: tag, Size: size}); st != want {
		r.fail("status is %+v, want %+v", st, want)
	}
}

// lost fails unless err is a *PeerError naming the peer.
func (r *rank) lost(err error, peer int, doing string) {
	var pe *device.PeerError
	if !errors.As(err, &pe) {
		r.fail("%s: error is %v (%T), want a *PeerError", doing, err, err)
	}
	if pe.Rank != peer {
		r.fail("%s: %v, want the error of rank %d", doing, pe, peer)
	}
}
