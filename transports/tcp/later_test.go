package tcp

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gobench/device"
	"gobench/device/protocol"
)

// With connect=needed a pair is connected by its first message, and ranks that exchange none hold
// no connection and wait for none when they close.
func TestConnectedWhenNeeded(t *testing.T) {
	onAll(t, func(t *testing.T, set ...string) {
		const n = 8
		must(t, n, func(ctx context.Context, job device.Job) error {
			w, c, err := openWire(ctx, job, options(t, append(set, "connect", "needed")...), nil)
			if err != nil {
				return err
			}
			d, err := protocol.New(w, c)
			if err != nil {
				return err
			}
			far := n - 1 - job.Rank() // no neighbour in the cube
			out, in := pattern(100_000, job.Rank()), make([]byte, 100_000)
			q, err := d.Isend(out, far, 1, 0)
			if err != nil {
				return err
			}
			if _, err := d.Recv(in, far, 1, 0); err != nil {
				return err
			}
			if _, err := d.Wait(q); err != nil {
				return err
			}
			if string(in) != string(pattern(100_000, far)) {
				t.Errorf("rank %d: data differ", job.Rank())
			}
			if len(w.live) != 3+1 {
				t.Errorf("rank %d: %d connections, want those of the cube and one", job.Rank(), len(w.live))
			}
			return d.Close()
		})
	})
}

// A rank that dies before it is connected is lost to the ranks that send to it or wait for it,
// asleep or not.
func TestDeathOfStranger(t *testing.T) {
	for _, c := range []struct {
		wait  string
		sends bool
	}{{"yield", false}, {"yield", true}, {"block", false}, {"block", true}} {
		must(t, 4, func(ctx context.Context, job device.Job) error {
			w, config, err := openWire(ctx, job, options(t, "connect", "needed", "wait", c.wait), nil)
			if err != nil {
				return err
			}
			w.limits.Goroutines = false // else ranks of one process do not sleep
			d, err := protocol.New(w, config)
			if err != nil {
				return err
			}
			job.Exchange(ctx, nil)
			if job.Rank() == 3 {
				w.abandon()
			}
			job.Exchange(ctx, nil)
			if job.Rank() == 0 { // no neighbour of rank 3 in the square
				if c.sends {
					err = d.Ssend(make([]byte, 8), 3, 0, 0)
				} else {
					_, err = d.Recv(make([]byte, 8), 3, 0, 0)
				}
				var lost *device.PeerError
				if !errors.As(err, &lost) || lost.Rank != 3 {
					t.Errorf("wait=%s, sends %v: %v", c.wait, c.sends, err)
				}
			}
			job.Exchange(ctx, nil)
			w.abandon()
			return nil
		})
	}
}

// A rank that is interrupted connects no further peers just to say goodbye.
func TestInterruptedAmongStrangers(t *testing.T) {
	const n = 8
	must(t, n, func(ctx context.Context, job device.Job) error {
		w, config, err := openWire(ctx, job, options(t, "connect", "needed"), nil)
		if err != nil {
			return err
		}
		d, err := protocol.New(w, config)
		if err != nil {
			return err
		}
		if job.Rank() == 0 {
			d.Interrupt(errors.New("enough"))
			if _, err := d.Recv(make([]byte, 8), 1, 0, 0); !errors.As(err, new(*device.InterruptedError)) {
				t.Errorf("interrupted: %v", err)
			}
			for _, p := range w.peers[1:] {
				if l, is := p.out.link.(*absent); is && l.called {
					t.Errorf("rank %d is called for a goodbye", p.rank)
				}
			}
		}
		job.Exchange(ctx, nil)
		w.abandon()
		return nil
	})
}

// A rank that closes says goodbye to a peer that has connected while this rank did not poll.
func TestConnectedBehindItsBack(t *testing.T) {
	must(t, 4, func(ctx context.Context, job device.Job) error {
		w, config, err := openWire(ctx, job, options(t, "connect", "needed"), nil)
		if err != nil {
			return err
		}
		d, err := protocol.New(w, config)
		if err != nil {
			return err
		}
		switch job.Rank() {
		case 0: // no neighbour of rank 3 in the square
			<-w.later.Over(3)
		case 3:
			w.peers[0].out.link.(*absent).call()
			var lost *device.PeerError
			if _, err := d.Recv(make([]byte, 8), 0, 0, 0); !errors.As(err, &lost) || lost.Cause != "it has closed its device" {
				t.Errorf("a receive from the rank that closes: %v", err)
			}
		}
		return d.Close()
	})
}

// Too few descriptors for all connections are named before any is made.
func TestTooFewDescriptors(t *testing.T) {
	set := settings{connections: 2}
	if err := set.enough(3, 2); err != nil {
		t.Error(err)
	}
	if err := set.enough(1<<29, 1<<28); err == nil || !strings.Contains(err.Error(), "ulimit -Hn") || !strings.Contains(err.Error(), "connect=needed") {
		t.Errorf("a pair too many: %v", err)
	}
}
