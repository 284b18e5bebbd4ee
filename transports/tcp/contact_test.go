package tcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/device"
	"gobench/device/protocol"
)

// network makes the contacts of n ranks of this process, which listen, and nobody has called.
func network(t *testing.T, n, connections int) []*later {
	t.Helper()
	set, err := parse(options(t, "connections", fmt.Sprint(connections)), seat{&room{size: n}, 0})
	if err != nil {
		t.Fatal(err)
	}
	all, at := make([]*later, n), make([][]target, n)
	for rank := range all {
		listeners, err := set.listen(context.Background(), rank, &endpoint{Addresses: []address{{Candidate: loopback("4")[0]}}}, true)
		if err != nil {
			t.Fatal(err)
		}
		at[rank] = []target{{to: listeners[0].Addr().String()}}
		k := newContacts(set, rank, n, testSecret(), func(peer int) ([]target, error) { return at[peer], nil })
		all[rank] = &later{k, newAcceptor(k, listeners)}
		t.Cleanup(all[rank].close)
	}
	return all
}

func (l *later) over(t *testing.T, rank int) *contact {
	t.Helper()
	select {
	case <-l.of[rank].over:
	case <-time.After(20 * time.Second):
		t.Fatalf("rank %d: the contact to rank %d does not end", l.rank, rank)
	}
	return l.of[rank]
}

// Whichever rank of a pair calls, and if both do, the pair is connected once, and both ends of each
// connection are in use.
func TestCalls(t *testing.T) {
	for _, connections := range []int{1, 2} {
		for round := range 40 {
			n := network(t, 2, connections)
			for rank := range 2 {
				if round%4 == 3 || round%4 != rank+1 { // both, or all but one
					go n[rank].call(1-rank, 10*time.Second)
				}
			}
			low, high := n[0].over(t, 1), n[1].over(t, 0)
			if err := errors.Join(low.err, high.err); err != nil {
				t.Fatal(err)
			}
			for i := range connections {
				if a, b := low.conns[i].LocalAddr().String(), high.conns[i].RemoteAddr().String(); a != b {
					t.Fatalf("connection %d goes from %s, and comes from %s", i, a, b)
				}
			}
			for _, l := range n {
				l.close()
			}
		}
	}
}

// A rank that has begun to leave is not connected any more, unless that had begun before.
func TestCallOfRankThatLeaves(t *testing.T) {
	n := network(t, 3, 1)
	n[0].call(1, 10*time.Second)
	n[0].over(t, 1)
	if got := fmt.Sprint(n[0].leave()); got != "[2]" {
		t.Errorf("strangers are %s", got)
	}
	n[2].call(0, 10*time.Second)
	var lost *device.PeerError
	if err := n[2].over(t, 0).err; !errors.As(err, &lost) || lost.Rank != 0 || lost.Cause != "it has closed its device" {
		t.Errorf("calling it: %v", err)
	}
	n[1].acceptor.close()
	n[2].call(1, 10*time.Second)
	if err := n[2].over(t, 1).err; !errors.As(err, &lost) || lost.Rank != 1 || !strings.Contains(lost.Cause, syscall.ECONNREFUSED.Error()) {
		t.Errorf("calling a rank that does not listen: %v", err)
	}
}

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
