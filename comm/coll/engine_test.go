package coll

import (
	"errors"
	"fmt"
	"testing"

	"gobench/comm/schedule"
	"gobench/device"
)

// Every call on one of two communicators over a device progresses the operations of the other. Rank
// 0 waits for its own in another order than the other ranks.
func TestOneEngineForAllCommunicators(t *testing.T) {
	for _, progress := range []Progress{ProgressCalls, ProgressThread} {
		for _, wire := range wires {
			t.Run(fmt.Sprintf("%v/%s", progress, wire), func(t *testing.T) {
				const ranks = 4
				run(t, driver(t, wire), ranks, "yield", func(dev device.Device) {
					o := Options{Force: forced(), Engine: NewEngine(dev, progress, nil)}
					defer o.Engine.Close()
					one := NewRunner(dev, testContext, nil, dev.Rank(), ranks, o)
					two := NewRunner(dev, testContext+1, []int{3, 2, 1, 0}, ranks-1-dev.Rank(), ranks, o)
					for n := range 30 {
						a, b := call(one, schedule.Allreduce, 300), call(two, schedule.Allreduce, 300)
						fill(one, a, n)
						fill(two, b, n)
						first, err := one.Start(a)
						if err != nil {
							t.Error(err)
							return
						}
						if n%2 == 0 {
							// The root of one waits for two, and the root of two for one.
							second, _ := two.Start(b)
							if dev.Rank() == 0 {
								err = errors.Join(two.Wait(second), one.Wait(first))
							} else {
								err = errors.Join(one.Wait(first), two.Wait(second))
							}
						} else if dev.Rank() == 0 {
							err = errors.Join(two.Do(b), one.Wait(first))
						} else {
							err = errors.Join(one.Wait(first), two.Do(b))
						}
						if err != nil {
							t.Errorf("rank %d: %v", dev.Rank(), err)
							return
						}
						right(t, one, a, n)
						right(t, two, b, n)
					}
					if err := errors.Join(one.Close(), two.Close()); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

func TestHandles(t *testing.T) {
	collective(t, hostile(), 1, Options{}, func(r *Runner) {
		for _, h := range []Handle{0, 1, 1 << 32, 1<<32 | 7, ^Handle(0)} {
			if err := r.Wait(h); err != device.ErrRequest {
				t.Errorf("Wait of handle %#x: %v", h, err)
			}
		}
		c := call(r, schedule.Barrier, 0)
		h, err := r.Start(c)
		if err != nil || r.Wait(h) != nil {
			t.Fatal("a barrier of one rank", err)
		}
		again, _ := r.Start(c)
		if again == h {
			t.Error("a released handle is given out again")
		}
		if _, err := r.Test(h); err != device.ErrRequest {
			t.Errorf("Test of a released handle: %v", err)
		}
		if err := r.Close(); err != nil { // which waits for the barrier
			t.Error(err)
		}
		if err := r.Do(c); err != device.ErrClosed {
			t.Errorf("Do after Close: %v", err)
		}
		if _, err := r.Start(c); err != device.ErrClosed {
			t.Errorf("Start after Close: %v", err)
		}
		if err := r.Close(); err != device.ErrClosed {
			t.Errorf("a second Close: %v", err)
		}
	})
}

// Where ranks share no memory, an algorithm that needs it is passed over, and refused
// if nothing else may do.
func TestWithoutSharedMemory(t *testing.T) {
	memory := namedChoice("memory", true, nil)
	table := &Table{Rules: []Rule{{"", schedule.Bcast, false, 0, 0, memory}, {"", schedule.Bcast, false, 0, 0, *forced()[schedule.Bcast]}}}
	collective(t, hostile(), 3, Options{Table: table}, func(r *Runner) {
		r.Force(schedule.Bcast, nil)
		c := call(r, schedule.Bcast, 10)
		if err := r.Do(c); err != nil || r.Algorithm(schedule.Bcast) != "mst" {
			t.Errorf("by the table: %v, by %s", err, r.Algorithm(schedule.Bcast))
		}
		r.Force(schedule.Bcast, &memory)
		var fit *FitError
		if err := r.Do(c); !errors.As(err, &fit) || fit.Algorithm != "memory" {
			t.Errorf("forced: %v", err)
		}
		// Non-blocking operations use message algorithms even if another one is forced.
		h, err := r.Start(c)
		if err == nil {
			err = r.Wait(h)
		}
		if err != nil || r.Algorithm(schedule.Bcast) != "mst" {
			t.Errorf("non-blocking: %v, by %s", err, r.Algorithm(schedule.Bcast))
		}
	})
}

// The choice of the table is known also where an algorithm is forced.
func TestByTable(t *testing.T) {
	other, err := ParseChoice(schedule.Bcast, "binomial")
	if err != nil {
		t.Fatal(err)
	}
	usual := *forced()[schedule.Bcast]
	table := &Table{Rules: []Rule{{"", schedule.Bcast, false, 0, 100, usual}, {"", schedule.Bcast, false, 101, 0, other}}}
	collective(t, hostile(), 3, Options{Table: table}, func(r *Runner) {
		if r.ByTable(schedule.Bcast) {
			t.Error("before the first operation")
		}
		for _, c := range []struct {
			bytes int
			force *Choice
			want  bool
		}{{10, nil, true}, {10, &usual, true}, {10, &other, false}, {200, &other, true}, {200, &usual, false}, {200, nil, true}} {
			r.Force(schedule.Bcast, c.force)
			if err := r.Do(call(r, schedule.Bcast, c.bytes)); err != nil || r.ByTable(schedule.Bcast) != c.want {
				t.Errorf("%d bytes by %s: %t (%v)", c.bytes, r.Algorithm(schedule.Bcast), r.ByTable(schedule.Bcast), err)
			}
		}
	})
}

// A forced algorithm is used from the next operation on, also if an earlier one is in progress.
func TestForcedAlgorithmThatDoesNotFit(t *testing.T) {
	odd := namedChoice("odd", false, func(s *schedule.Shape) string { return "it never fits" })
	for _, check := range []Check{CheckFree, CheckStrict} {
		collective(t, hostile(), 2, Options{Check: check, Progress: ProgressCalls}, func(r *Runner) {
			c := call(r, schedule.Bcast, 1)
			if r.rank == 0 { // starts when rank 1, which waits for its answer, has forced the other one
				if _, err := r.dev.Recv(nil, 1, 0, testContext+1); err != nil {
					t.Error(err)
				}
			}
			before, _ := r.Start(c)
			r.Force(schedule.Bcast, &odd)
			if r.rank == 1 {
				if err := r.dev.Send(nil, 0, 0, testContext+1); err != nil {
					t.Error(err)
				}
			}
			if err := r.Wait(before); err != nil || r.Algorithm(schedule.Bcast) != "mst" {
				t.Errorf("rank %d: the operation before: %v, by %s", r.rank, err, r.Algorithm(schedule.Bcast))
			}
			err := r.Do(c)
			h, _ := r.Start(c)
			for _, err := range []error{err, r.Wait(h)} {
				if fmt.Sprint(err) != "algorithm odd cannot do this bcast: it never fits" {
					t.Errorf("rank %d: %v", r.rank, err)
				}
			}
			if r.tag != 3 { // also where another rank was busy
				t.Errorf("rank %d: %d calls have used a tag, want 3", r.rank, r.tag)
			}
		})
	}
}

// ProgressAuto compares the processors of this host with the ranks of one host.
func TestProgressOfSeveralHosts(t *testing.T) {
	for _, c := range []struct {
		hosts []int
		want  int
	}{{nil, 3}, {[]int{7, 7, 7}, 3}, {[]int{4, 0, 4}, 2}, {[]int{0, 1, 2}, 1}} {
		if got := onOneHost(c.hosts, 3); got != c.want {
			t.Errorf("%v: %d ranks on one host, want %d", c.hosts, got, c.want)
		}
	}
	run(t, hostile(), 8, "yield", func(dev device.Device) {
		e := NewEngine(dev, ProgressAuto, []int{0, 1, 2, 3, 4, 5, 6, 7})
		if want := ProgressAuto.settle(1); e.Mode() != want {
			t.Errorf("progress is made by %v, want %v", e.Mode(), want)
		}
		e.Close()
	})
}

// A rank that waits for a peer in shared memory progresses operations.
func TestSharedMemoryMovesOperationsOn(t *testing.T) {
	collective(t, hostile(), 2, Options{Progress: ProgressCalls}, func(r *Runner) {
		dev := &progressDevice{Device: r.dev}
		memory := r.engine.sharing(dev).(progresser)
		c := call(r, schedule.Allreduce, 500)
		fill(r, c, 1)
		h, err := r.Start(c)
		if err != nil {
			t.Fatal(err)
		}
		o := r.pending.lookup(h)
		for !o.done {
			if err := memory.Progress(&device.WaitState{}, testContext, 0); err != nil {
				t.Error(err)
			}
		}
		if dev.calls == 0 {
			t.Error("the device was not asked")
		}
		if c := memory.(interface{ Crowded() bool }); !c.Crowded() {
			t.Error("that ranks are to give way is not passed on")
		}
		if err := r.Wait(h); err != nil {
			t.Error(err)
		}
		right(t, r, c, 1)
	})
}

type progressDevice struct {
	device.Device
	calls int
}

func (*progressDevice) Crowded() bool                      { return true }
func (*progressDevice) Export([]byte) ([]byte, error)      { return nil, nil }
func (*progressDevice) Import(int, []byte) ([]byte, error) { return nil, nil }
func (*progressDevice) Post(dst, src []byte)               { copy(dst, src) }
func (*progressDevice) Fetch(dst, src []byte)              { copy(dst, src) }
func (*progressDevice) Gap() int                           { return 0 }
func (d *progressDevice) Progress(*device.WaitState, int32, int) error {
	d.calls++
	return nil
}
