package coll

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"gobench/comm/schedule"
	"gobench/device"
)

// blocking are the kinds for which the tests have algorithms.
var kinds = []schedule.Kind{schedule.Barrier, schedule.Bcast, schedule.Allreduce, schedule.Allgather, schedule.Alltoall}

func TestDo(t *testing.T) {
	for _, wire := range wires {
		for _, ranks := range []int{1, 2, 3, 5} {
			t.Run(fmt.Sprintf("%s/%d", wire, ranks), func(t *testing.T) {
				collective(t, driver(t, wire), ranks, Options{}, func(r *Runner) {
					for n, count := range []int{0, 1, 7, 1000, 40_000} {
						for _, kind := range kinds {
							c := call(r, kind, count)
							c.Shape.Root = n % ranks * b2i(kind.Rooted())
							fill(r, c, n)
							if err := r.Do(c); err != nil {
								t.Errorf("%v of %d elements: %v", kind, count, err)
								return
							}
							right(t, r, c, n)
						}
					}
					if got := r.Algorithm(schedule.Bcast); got != "mst" {
						t.Errorf("the last bcast was done by %q, want mst", got)
					}
					if got := r.Algorithm(schedule.Scan); got != "" {
						t.Errorf("the last scan was done by %q, want none", got)
					}
				})
			})
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Operations, blocking and not, and messages between them, in an order that differs
// from rank to rank where that is allowed.
func TestInterleaving(t *testing.T) {
	for _, progress := range []Progress{ProgressCalls, ProgressThread} {
		for _, wire := range wires {
			for _, check := range []Check{CheckFree, CheckStrict} {
				t.Run(fmt.Sprintf("%v/%s/%v", progress, wire, check), func(t *testing.T) {
					rounds := 150
					if check == CheckStrict || testing.Short() {
						rounds = 40
					}
					collective(t, driver(t, wire), 4, Options{Progress: progress, Check: check}, func(r *Runner) { interleave(t, r, rounds) })
				})
			}
		}
	}
}

type started struct {
	h Handle
	c *schedule.Call
	n int
}

func interleave(t *testing.T, r *Runner, rounds int) {
	all := rand.New(rand.NewPCG(7, 7))              // what all ranks do alike
	own := rand.New(rand.NewPCG(9, uint64(r.rank))) // and what not
	var open []started
	finish := func(i int) {
		s := open[i]
		open[i] = open[len(open)-1]
		open = open[:len(open)-1]
		var err error
		if own.IntN(2) == 0 {
			err = r.Wait(s.h)
		} else {
			for done := false; !done; {
				done, err = r.Test(s.h)
			}
		}
		if err != nil {
			t.Errorf("rank %d: %v: %v", r.rank, s.c.Shape.Kind, err)
		}
		right(t, r, s.c, s.n)
		if err := r.Wait(s.h); err != device.ErrRequest {
			t.Errorf("a second Wait returns %v", err)
		}
	}
	for n := range rounds {
		kind := kinds[all.IntN(len(kinds))]
		c := call(r, kind, []int{0, 1, 50, 3000}[all.IntN(4)])
		if kind.Rooted() {
			c.Shape.Root = all.IntN(r.ranks)
		}
		fill(r, c, n)
		switch what := all.IntN(5); {
		case what == 0: // a message around the ring
			in := make([]byte, 8)
			message(t, r, n, in)
		case what == 1:
			if err := r.Do(c); err != nil {
				t.Errorf("rank %d: %v: %v", r.rank, kind, err)
			}
			right(t, r, c, n)
		default:
			shape := *c.Shape
			c.Shape = &shape
			h, err := r.Start(c)
			if err != nil {
				t.Errorf("rank %d: start %v: %v", r.rank, kind, err)
				return
			}
			open = append(open, started{h, c, n})
		}
		for len(open) > 0 && own.IntN(3) == 0 || len(open) > 8 {
			finish(own.IntN(len(open)))
		}
	}
	for len(open) > 0 {
		finish(own.IntN(len(open)))
	}
	if r.engine.Busy() {
		t.Errorf("rank %d: nothing is under way, but the engine is busy", r.rank)
	}
}

// message sends to the next rank and receives from the one before, with operations
// under way.
func message(t *testing.T, r *Runner, n int, in []byte) {
	e := r.engine
	next, before := (r.rank+1)%r.ranks, (r.rank+r.ranks-1)%r.ranks
	out := make([]byte, 8)
	put(out, func(int) int64 { return value(n, r.rank, 0) })
	e.Lock()
	q, err := r.dev.Irecv(in, before, int32(n), testContext+1)
	p, err2 := r.dev.Isend(out, next, int32(n), testContext+1)
	e.Unlock()
	if err := errors.Join(err, err2); err != nil {
		t.Error(err)
		return
	}
	_, err = e.Wait(p)
	_, err2 = e.Wait(q)
	if err := errors.Join(err, err2); err != nil {
		t.Error(err)
	}
	want := make([]byte, 8)
	put(want, func(int) int64 { return value(n, before, 0) })
	if string(in) != string(want) {
		t.Errorf("rank %d: the ring brought %x, want %x", r.rank, in, want)
	}
}
