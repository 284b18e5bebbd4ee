package coll

import (
	"errors"
	"sync/atomic"
	"testing"

	"gobench/comm/op"
	"gobench/comm/schedule"
	"gobench/device"
)

// library is a device over a library whose operations give every rank a vector of ones.
type library struct {
	device.Device
	device.Binder
	calls  []device.Collective
	starts int // operations that were started
	closed bool
	opens  func() // is called by Group
}

func (l *library) Group(context int32, ranks []int) (device.Group, error) {
	if l.opens != nil {
		l.opens()
	}
	return libraryGroup{l}, nil
}

type libraryGroup struct{ *library }

func (g libraryGroup) Do(c *device.Collective) error {
	g.calls = append(g.calls, *c)
	for i := range c.Recv {
		c.Recv[i] = 1
	}
	return nil
}

// Start begins an operation that is complete when the device has delivered a message to itself.
func (g libraryGroup) Start(c *device.Collective) (device.Request, error) {
	g.starts++
	if err := g.Do(c); err != nil {
		return 0, err
	}
	q, err := g.Irecv(nil, g.Rank(), 0, testContext+1)
	if err != nil {
		return 0, err
	}
	return q, g.Send(nil, g.Rank(), 0, testContext+1)
}

func (g libraryGroup) Close() error { g.closed = true; return nil }

func choiceOfLibrary(t *testing.T, kind schedule.Kind) *Choice {
	t.Helper()
	c, err := ParseChoice(kind, libraryName)
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

// first is a task of the first ranks, as a window of theirs.
type first int

func (f first) Step() (moved, done bool) { return false, false }
func (f first) Includes(rank int) bool   { return rank < int(f) }

// Operations of a library get their arguments in its terms, blocking and not, and with a check of
// arguments before. Blocking ones are the library's own on all ranks alike: not where all serve a
// window.
func TestLibrary(t *testing.T) {
	for _, with := range []struct {
		check  Check
		window first
		starts int
	}{{CheckFree, 0, 1}, {CheckStrict, 0, 1}, {CheckFree, 2, 1}, {CheckFree, 3, 3}} {
		run(t, hostile(), 3, "yield", func(dev device.Device) {
			l := &library{Device: dev, Binder: dev.(device.Binder)}
			engine := NewEngine(l, ProgressCalls, nil)
			if with.window.Includes(dev.Rank()) {
				engine.Begin(with.window)
			}
			r := NewRunner(l, testContext, nil, dev.Rank(), 3, Options{Check: with.check, Engine: engine})
			r.Force(schedule.Allreduce, choiceOfLibrary(t, schedule.Allreduce))
			sum := op.Sum[float32]()
			in, out := make([]byte, 8), make([]byte, 8)
			shape := schedule.Shape{Kind: schedule.Allreduce, Ranks: 3, Rank: dev.Rank(), Bytes: 8, Elem: 4, Commutative: true}
			call := schedule.Call{Shape: &shape, Send: in, Recv: out, Op: sum}
			barrier := &schedule.Call{Shape: &schedule.Shape{Kind: schedule.Barrier, Ranks: 3, Rank: dev.Rank()}}
			if err := r.Do(&call); err != nil {
				t.Error(err)
			}
			h, err := r.Start(&call)
			if err != nil {
				t.Error(err)
			}
			messages, err := r.Start(barrier)
			if err != nil {
				t.Error(err)
			}
			if err := r.Do(&call); err != nil {
				t.Error(err)
			}
			if with.starts == 1 && !r.pending.lookup(messages).done {
				t.Error("this rank was in the library while others needed it for an operation by messages")
			}
			if err := errors.Join(r.Wait(h), r.Wait(messages)); err != nil {
				t.Error(err)
			}
			call.Op = op.New("sum", true, func(a, b float32) float32 { return a - b })
			err = r.Do(&call)
			h, _ = r.Start(&call)
			for _, err := range []error{err, r.Wait(h)} {
				var unfit *FitError
				if !errors.As(err, &unfit) {
					t.Errorf("an operator with the name of another: %v", err)
				}
			}
			if r.failed {
				t.Error("an operation that does not fit has broken the communicator")
			}
			if err := r.Close(); err != nil || !l.closed {
				t.Errorf("close: %v, the group is closed: %v", err, l.closed)
			}
			want := device.Collective{Operation: device.Allreduce, Bytes: 8, Operator: "sum", Element: "float32"}
			for _, c := range l.calls {
				if &c.Send[0] != &in[0] || &c.Recv[0] != &out[0] {
					t.Error("the library got other buffers")
				}
				if c.Send, c.Recv = nil, nil; c.Operation != want.Operation || c.Bytes != want.Bytes || c.Operator != want.Operator || c.Element != want.Element || c.InPlace {
					t.Errorf("the library got %+v, want %+v", c, want)
				}
			}
			if len(l.calls) != 3 || l.starts != with.starts || out[7] != 1 {
				t.Errorf("%+v: %d operations, %d of them started, result %d", with, len(l.calls), l.starts, out[7])
			}
		})
	}
}

// caller is a task that sends a message to the last rank.
type caller struct{ device.Device }

func (c caller) Includes(int) bool { return false }
func (c caller) Step() (moved, done bool) {
	return true, c.Send(nil, c.Size()-1, 0, testContext+1) == nil
}

// A rank does not wait in the library for one that needs it before.
func TestGroupWhileOthersNeedThisRank(t *testing.T) {
	for _, starts := range []bool{false, true} {
		var here atomic.Int32
		run(t, hostile(), 3, "yield", func(dev device.Device) {
			l := &library{Device: dev, Binder: dev.(device.Binder), opens: func() {
				if n := here.Load(); n != 3 {
					t.Errorf("the group is made when %d ranks are there", n)
				}
			}}
			engine := NewEngine(l, ProgressCalls, nil)
			switch dev.Rank() {
			case 0:
				engine.Begin(caller{dev})
			case 2:
				if _, err := dev.Recv(nil, 0, 0, testContext+1); err != nil {
					t.Error(err)
				}
			}
			here.Add(1)
			r := NewRunner(l, testContext, nil, dev.Rank(), 3, Options{Engine: engine})
			r.Force(schedule.Barrier, choiceOfLibrary(t, schedule.Barrier))
			var h Handle
			var err error
			if c := call(r, schedule.Barrier, 0); starts {
				if h, err = r.Start(c); err == nil {
					err = r.Wait(h)
				}
			} else {
				err = r.Do(c)
			}
			engine.Lock()
			engine.Progress()
			engine.Unlock()
			if err := errors.Join(err, r.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// Operations have the numbers of package device, tables choose no library, and a device without one
// refuses.
func TestWithoutLibrary(t *testing.T) {
	if device.CollectiveOperation(schedule.Exscan) != device.Exscan || device.CollectiveOperation(schedule.Barrier) != device.Barrier ||
		device.CollectiveOperation(schedule.ReduceScatter) != device.ReduceScatter {
		t.Error("the numbers of operations differ from those of package device")
	}
	choice := choiceOfLibrary(t, schedule.Bcast)
	table := &Table{Rules: []Rule{{"", schedule.Bcast, false, 0, 0, *choice}}}
	if c := table.Choose("mpi", &schedule.Shape{Kind: schedule.Bcast, Ranks: 2, Bytes: 8, Elem: 1}, false); c.Library {
		t.Errorf("a table chooses %v", c)
	}
	run(t, hostile(), 2, "yield", func(dev device.Device) {
		r := NewRunner(dev, testContext, nil, dev.Rank(), 2, Options{})
		r.Force(schedule.Bcast, choice)
		shape := schedule.Shape{Kind: schedule.Bcast, Ranks: 2, Rank: dev.Rank(), Bytes: 8, Elem: 1}
		var unfit *FitError
		if err := r.Do(&schedule.Call{Shape: &shape, Recv: make([]byte, 8)}); !errors.As(err, &unfit) {
			t.Errorf("error is %v, want a *FitError", err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// single is a device that a second thread must not call.
type single struct{ device.Device }

func (single) OneThread() bool { return true }

func TestNoThreadWhereTheLibraryForbidsIt(t *testing.T) {
	run(t, hostile(), 1, "yield", func(dev device.Device) {
		for d, want := range map[device.Device]Progress{dev: ProgressThread, single{dev}: ProgressCalls} {
			e := NewEngine(d, ProgressThread, nil)
			if e.Mode() != want {
				t.Errorf("progress is made by %v, want %v", e.Mode(), want)
			}
			e.Close()
		}
	})
}
