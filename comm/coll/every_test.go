package coll

import (
	"errors"
	"fmt"
	"testing"

	"gobench/comm/schedule"
)

// TestEveryAlgorithmOverWires runs each algorithm as people do: blocking, and several
// at a time without blocking. Those in shared memory run while others
// are under way by messages.
func TestEveryAlgorithmOverWires(t *testing.T) {
	for _, wire := range wires {
		for _, ranks := range []int{1, 5} {
			t.Run(fmt.Sprintf("%s/%d", wire, ranks), func(t *testing.T) {
				two := spread(ranks, func(rank int) int { return rank / 3 })
				collective(t, driver(t, wire), ranks, Options{Hosts: two}, func(r *Runner) {
					for kind := range schedule.Kind(schedule.Kinds) {
						for n, choice := range Choices(kind) {
							if choice.Build != nil || choice.share != nil && r.unshared == "" {
								every(t, r, kind, choice, n)
							}
						}
					}
				})
			})
		}
	}
}

func every(t *testing.T, r *Runner, kind schedule.Kind, choice Choice, n int) {
	r.Force(kind, &choice)
	for _, count := range []int{0, 13, 700} {
		root := 0
		if kind.Rooted() {
			root = n % r.ranks
		}
		one, two, three := callRoot(r, kind, count, root), callRoot(r, kind, count, root), callRoot(r, kind, count, root)
		chosen := *one.Shape
		chosen.Hosts = r.hosts
		if choice.fits(&chosen) != "" {
			continue
		}
		fill(r, one, n)
		fill(r, two, n+1)
		fill(r, three, n+2)
		first, err := r.Start(one)
		second, err2 := r.Start(two)
		err = errors.Join(err, err2, r.Do(three), r.Wait(second), r.Wait(first))
		if err != nil {
			t.Errorf("rank %d: %v by %v, %d elements: %v", r.rank, kind, choice, count, err)
			return
		}
		right(t, r, one, n)
		right(t, r, two, n+1)
		right(t, r, three, n+2)
		if err := r.Do(one); err != nil {
			t.Errorf("rank %d: %v by %v, %d elements: %v", r.rank, kind, choice, count, err)
		}
		right(t, r, one, n)
	}
}

// TestTheThreadNeedsNoCalls starts operations and makes no call until they are done.
func TestTheThreadNeedsNoCalls(t *testing.T) {
	for _, wire := range wires {
		collective(t, driver(t, wire), 3, Options{Progress: ProgressThread}, func(r *Runner) {
			for n := range 2 {
				c := call(r, schedule.Allreduce, 9_000) // 72 kB: longer than eager messages of every wire
				fill(r, c, n)
				h, err := r.Start(c)
				if err != nil {
					t.Error(err)
					return
				}
				o := r.pending.lookup(h)
				for done := false; !done; { // taking the device moves nothing on
					sleep(lockSleep)
					r.engine.Lock()
					done = o.done
					r.engine.Unlock()
				}
				if done, err := r.Test(h); !done || err != nil {
					t.Errorf("%s: done %v, %v", wire, done, err)
				}
				right(t, r, c, n)
			}
		})
	}
}

// BenchmarkDo measures the overhead of an operation without messages: it has one rank.
func BenchmarkDo(b *testing.B) {
	collective(b, hostile(), 1, Options{}, func(r *Runner) {
		r.Force(schedule.Allreduce, nil)
		c := call(r, schedule.Allreduce, 1)
		for b.Loop() {
			r.Do(c)
		}
	})
}
