//go:build !race

package coll

import (
	"strings"
	"sync"
	"testing"

	"gobench/comm/schedule"
	"gobench/internal/allocs"
)

// TestSteadyStateAllocatesNothing counts the allocations of the whole process, because
// all ranks run in it. (The race detector allocates for itself.)
func TestSteadyStateAllocatesNothing(t *testing.T) {
	const ranks = 3
	for _, wire := range []string{"smem", "tcp", "smem in its memory"} {
		for _, progress := range []Progress{ProgressCalls, ProgressThread} {
			transport, _, memory := strings.Cut(wire, " ")
			var gate, open sync.WaitGroup
			gate.Add(ranks)
			open.Add(1)
			collective(t, driver(t, transport), ranks, Options{Progress: progress}, func(r *Runner) {
				var calls []func()
				for _, kind := range []schedule.Kind{schedule.Barrier, schedule.Bcast, schedule.Allreduce} {
					if memory {
						r.Force(kind, ofMemory(kind))
					}
					for _, count := range []int{1, 2000} {
						c := call(r, kind, count)
						calls = append(calls, func() { r.Do(c) })
						other := call(r, kind, count)
						calls = append(calls, func() {
							one, _ := r.Start(c)
							two, _ := r.Start(other)
							for done := false; !done; {
								done, _ = r.Test(two)
							}
							r.Wait(one)
						})
					}
				}
				all := func() {
					for _, f := range calls {
						f()
					}
				}
				for range 100 {
					all()
				}
				const rounds = 20
				if r.rank != 0 {
					gate.Done()
					open.Wait()
					for range allocs.Calls(rounds) {
						all()
					}
					return
				}
				gate.Done()
				gate.Wait()
				open.Done()
				if n := allocs.Count(rounds, all); n != 0 {
					t.Errorf("%s, %v: %v allocations in %d rounds of all operations", wire, progress, n, rounds)
				}
			})
		}
	}
}

func cachedRunner() (*Runner, *schedule.Shape) {
	r := &Runner{ranks: 4}
	s := &schedule.Shape{Kind: schedule.Allreduce, Ranks: 4, Bytes: 4096, Elem: 8, Commutative: true}
	r.cache.keep(&plan{shape: s.Clone()})
	return r, s
}

func TestCache(t *testing.T) {
	r, s := cachedRunner()
	if r.cache.find(s) == nil {
		t.Fatal("what was kept is not found")
	}
	for name, change := range map[string]func(*schedule.Shape){
		"kind":        func(s *schedule.Shape) { s.Kind = schedule.Scan },
		"root":        func(s *schedule.Shape) { s.Root = 1 },
		"bytes":       func(s *schedule.Shape) { s.Bytes = 8 },
		"element":     func(s *schedule.Shape) { s.Elem = 4 },
		"in place":    func(s *schedule.Shape) { s.InPlace = true },
		"commutative": func(s *schedule.Shape) { s.Commutative = false },
		"send blocks": func(s *schedule.Shape) { s.SendBlocks = make([]schedule.Block, 4) },
		"hosts":       func(s *schedule.Shape) { s.Hosts = []int{0, 0, 1, 1} },
		"recv blocks": func(s *schedule.Shape) { s.RecvBlocks = make([]schedule.Block, 4) },
	} {
		other := s.Clone()
		change(&other)
		if r.cache.find(&other) != nil {
			t.Errorf("the plan of another %s is found", name)
		}
	}
	// What the caller does to his blocks later changes no plan.
	s.SendBlocks = []schedule.Block{{Off: 0, Len: 8}, {Off: 8, Len: 8}, {Off: 16, Len: 8}, {Off: 24, Len: 8}}
	r.cache.keep(&plan{shape: s.Clone()})
	s.SendBlocks[1].Len = 4
	if r.cache.find(s) != nil {
		t.Error("a plan was changed with the caller's blocks")
	}
	r.cache.forget(schedule.Allreduce)
	s.SendBlocks[1].Len = 8
	if r.cache.find(s) != nil {
		t.Error("what was forgotten is found")
	}
}

// BenchmarkCacheHit measures the look-up of the plan of an operation.
func BenchmarkCacheHit(b *testing.B) {
	r, s := cachedRunner()
	for b.Loop() {
		if r.cache.find(s) == nil {
			b.Fatal("no hit")
		}
	}
}
