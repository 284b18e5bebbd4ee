package comm_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/op"
	"gobench/device"
	"gobench/device/devicetest/memwire"
	"gobench/launch"
)

// mortal runs a function on n ranks over memwire. A rank that returns errDead
// has killed itself: the others find it dead.
func mortal(t *testing.T, n int, f func(w *comm.Comm) error) {
	t.Helper()
	d := driver(t, "memwire")
	opts, err := device.ParseOptions(d.Options(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var once sync.Once
	var first error
	err = launch.Goroutines(ctx, n, func(ctx context.Context, job device.Job) error {
		dev, err := d.Open(ctx, job, opts)
		if err != nil {
			return err
		}
		w, err := comm.World(dev, comm.Options{})
		if err != nil {
			return errors.Join(err, dev.Close())
		}
		// A rank that dies immediately would end the making of the world on slower ones.
		if _, err := job.Exchange(ctx, nil); err != nil {
			return errors.Join(err, dev.Close())
		}
		err = f(w)
		if errors.Is(err, errDead) {
			return nil
		}
		if err != nil { // what the others make of it comes after this
			once.Do(func() { first = fmt.Errorf("rank %d: %w", job.Rank(), err) })
		}
		w.Close() // its errors report the dead rank
		return cmp.Or(err, dev.Close())
	})
	if err := cmp.Or(first, err); err != nil {
		t.Fatal(err)
	}
}

var errDead = errors.New("this rank has killed itself")

// die makes the rank look dead to the others.
func die(w *comm.Comm) error {
	w.Device().(*memwire.Device).Kill()
	return errDead
}

// lost is an error unless err names the dead rank of the job.
func lost(what string, err error, rank int) error {
	var peer *device.PeerError
	if !errors.As(err, &peer) || peer.Rank != rank {
		return fmt.Errorf("%s: %v, want the loss of rank %d", what, err, rank)
	}
	return nil
}

// A rank dies; collectives on communicators with it fail on all others, also on those
// that need nothing from it, and communicators without it go on.
func TestDeathInCollectives(t *testing.T) {
	const victim = 2
	for n := 3; n <= 6; n++ {
		mortal(t, n, func(w *comm.Comm) error {
			me := w.Rank()
			turned, err := w.Split(0, -me)
			if err != nil {
				return err
			}
			parts, err := w.Split(map[bool]int{true: 1}[me == victim], 0)
			if err != nil {
				return err
			}
			// Who is through this knows that all have their communicators, and may die
			// while others are still in it.
			if err := comm.Barrier(w); err != nil && lost("barrier", err, victim) != nil {
				return err
			}
			if me == victim {
				return die(w)
			}
			sum := []int64{1}
			for err = nil; err == nil; {
				err = comm.Allreduce(w, nil, sum, op.Sum[int64]())
			}
			if err := lost("allreduce", err, victim); err != nil {
				return err
			}
			// None of these operations needs the dead rank itself.
			for err = nil; err == nil; {
				err = comm.Bcast(w, sum, 0)
			}
			if err := lost("bcast", err, victim); err != nil {
				return err
			}
			for err = nil; err == nil; {
				var r comm.Request
				if r, err = comm.Ibarrier(turned); err == nil {
					_, err = r.Wait()
				}
			}
			if err := lost("ibarrier in another order", err, victim); err != nil {
				return err
			}
			if _, err := w.Dup(); lost("dup", err, victim) != nil {
				return lost("dup", err, victim)
			}
			if err := lost("send", sendUntilLost(turned, turned.Group().Rank(victim)), victim); err != nil {
				return err
			}
			if err := talk(parts, 1); err != nil {
				return fmt.Errorf("the survivors' own communicator: %w", err)
			}
			// Point-to-point messages of the survivors go on in the old one.
			survivors := parts.Group().Ranks()
			k := parts.Rank()
			right, left := survivors[(k+1)%len(survivors)], survivors[(k+len(survivors)-1)%len(survivors)]
			if _, err := comm.Sendrecv(w, sum, right, 0, make([]int64, 1), left, 0); err != nil {
				return err
			}
			return parts.Close()
		})
	}
}

// The death of a rank ends neither receives from any source nor windows of communicators without
// it.
func TestDeathOutsideOfACommunicator(t *testing.T) {
	const victim = 2
	mortal(t, 3, func(w *comm.Comm) error {
		me := w.Rank()
		other := 1 - me
		parts, err := w.Split(map[bool]int{true: 1}[me == victim], -me)
		if err != nil {
			return err
		}
		win, err := comm.NewWindow(parts, make([]int64, 1))
		if err != nil {
			return err
		}
		group, err := w.Split(me%victim, 0) // rank 0 and the victim, and rank 1
		if err != nil {
			return err
		}
		across, err := comm.NewInter(group, 0, w, 1-me%victim, 0)
		if err != nil {
			return err
		}
		if err := must(win.Includes(victim) == (me == victim), "rank %d: the ranks of a window", me); err != nil {
			return err
		}
		if err := comm.Barrier(w); err != nil && lost("barrier", err, victim) != nil {
			return err
		}
		if me == victim {
			return die(w)
		}
		var open []comm.Request // before and after this rank finds the death
		receive := func() (err error) {
			for _, c := range []*comm.Comm{parts, across}[:2-me] { // rank 1 has the dead one across
				q, e := comm.Irecv(c, make([]int64, 1), comm.AnySource, 0)
				open, err = append(open, q), errors.Join(err, e)
			}
			return err
		}
		if err := receive(); err != nil {
			return err
		}
		if err := lost("send", sendUntilLost(w, victim), victim); err != nil {
			return err
		}
		if _, err := comm.Irecv(w, make([]int64, 1), comm.AnySource, 0); lost("receive", err, victim) != nil {
			return lost("receive", err, victim)
		}
		if err := receive(); err != nil {
			return err
		}
		at := parts.Group().Rank(other)
		_, err = comm.Sendrecv(parts, []int64{1}, at, 1, make([]int64, 1), at, 1) // no message is early
		for range 2 {
			err = errors.Join(err, comm.Send(parts, []int64{1}, at, 0), comm.Send(across, []int64{1}, 0, 0))
		}
		return errors.Join(err, comm.WaitAll(open, nil),
			win.Put([]int64{int64(me)}, at, 0), win.Fence(), must(win.Local()[0] == int64(other), "a put"), win.Close())
	})
}

// sendUntilLost sends until that fails: a message to one who has just died may
// still find room on the way.
func sendUntilLost(c *comm.Comm, dst int) error {
	for {
		if err := comm.Ssend(c, []int64{1}, dst, 0); err != nil {
			return err
		}
	}
}

// A rank that dies while others wait in a collective for it.
func TestDeathWhileOthersWait(t *testing.T) {
	mortal(t, 4, func(w *comm.Comm) error {
		if w.Rank() == 3 {
			time.Sleep(20 * time.Millisecond) // they are waiting by then, mostly
			return die(w)
		}
		return lost("barrier", comm.Barrier(w), 3)
	})
}

// A rank fails while its progress thread advances an operation: Run ends the thread before it
// closes the device.
func TestFailureDuringAnOperation(t *testing.T) {
	for _, transport := range []string{"smem", "tcp"} {
		failure := errors.New("this rank has failed")
		err := try(t, transport, 2, coll.Options{Progress: coll.ProgressThread}, func(w *comm.Comm) error {
			if w.Rank() == 1 {
				_, err := comm.Recv(w, []int64{0}, 0, 0)
				return lost("recv", err, 0)
			}
			if _, err := comm.Iallreduce(w, nil, make([]int64, 10_000), op.Sum[int64]()); err != nil {
				return err
			}
			return failure
		})
		if !errors.Is(err, failure) {
			t.Errorf("%s: %v", transport, err)
		}
	}
}
