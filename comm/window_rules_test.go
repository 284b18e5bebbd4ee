package comm_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/op"
	"gobench/device"
	"gobench/launch"
	"gobench/launch/rendezvous"
)

// Every operator combines as in reductions, directly and by messages, in one piece and in several.
func TestWindowOperators(t *testing.T) {
	for _, transport := range []string{"memwire", "smem"} {
		ranks(t, transport, 2, func(c *comm.Comm) error {
			return errors.Join(accumulates[uint8](c), accumulates[int32](c), accumulates[float64](c), accumulates[complex128](c))
		})
	}
}

func accumulates[T op.Number](c *comm.Comm) error {
	const n = 1500
	w, err := comm.AllocWindow[T](c, n)
	if err != nil {
		return err
	}
	left, right, before := make([]T, n), make([]T, n), make([]T, n)
	for i := range left {
		for range i % 5 {
			left[i]++
		}
		for range i % 3 {
			right[i]++
		}
	}
	bytes := func(s []T) []byte {
		return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), n*int(unsafe.Sizeof(s[0])))
	}
	for _, o := range op.Accumulators[T]() {
		if o == nil {
			continue
		}
		copy(w.Local(), left)
		if err := w.Fence(); err != nil {
			return err
		}
		if c.Rank() == 1 {
			err = w.GetAccumulate(right, before, o, 0, 0)
		}
		if err := errors.Join(err, w.Fence()); err != nil {
			return err
		}
		want := slices.Clone(left)
		o.Combine(bytes(want), bytes(want), bytes(right))
		if c.Rank() == 0 && !slices.Equal(w.Local(), want) {
			return fmt.Errorf("%v is wrong", o)
		}
		if c.Rank() == 1 && !slices.Equal(before, left) {
			return fmt.Errorf("%v returns another value than was there before", o)
		}
	}
	return w.Close()
}

// Wrong arguments are errors of the caller and leave the window as it was.
func TestWindowArguments(t *testing.T) {
	ranks(t, "memwire", 2, func(c *comm.Comm) error {
		w, err := comm.NewWindow(c, make([]int32, 4*c.Rank()))
		if err != nil {
			return err
		}
		two, one := make([]int32, 2), int32(0)
		sum := op.Sum[int32]()
		_, negative := comm.AllocWindow[int32](c, -1)
		for i, err := range []error{
			negative, w.Put(two, 2, 0), w.Put(two, -1, 0), w.Put(two, 1, 3), w.Put(two, 1, -1), w.Put(two, 0, 0), w.Get(two, 1, 5),
			w.Accumulate(two, sum, 1, 3), w.GetAccumulate(two, two[:1], sum, 1, 0), w.CompareAndSwap(1, 2, &one, 1, 4),
			w.Start(2), w.Post(-1), w.Lock(2, true), w.Unlock(-1), w.Flush(7),
		} {
			var wrong *comm.ArgumentError
			if !errors.As(err, &wrong) {
				return fmt.Errorf("call %d: %v, want an *ArgumentError", i, err)
			}
		}
		for _, o := range []*op.Op{nil, op.Sum[int64](), op.New("mine", true, func(a, b int32) int32 { return a })} {
			if err := w.Accumulate(two, o, 1, 0); err != comm.ErrOperator {
				return fmt.Errorf("%v is accumulated: %v", o, err)
			}
		}
		if err := errors.Join(w.Fence(), w.Put(two, 1, 2), w.Fence(), w.Close()); err != nil {
			return err
		}
		return must(errors.Is(w.Close(), device.ErrClosed) && errors.Is(w.Put(two, 1, 2), device.ErrClosed) && errors.Is(w.Lock(0, true), device.ErrClosed), "a closed window is used")
	})
}

// Ranks of a host load and store each other's elements.
func TestSharedWindows(t *testing.T) {
	for transport, shares := range map[string]bool{"smem": true, "tcp": false} {
		ranks(t, transport, 2, func(c *comm.Comm) error {
			w, err := comm.AllocWindow[float64](c, 3)
			if err != nil {
				return err
			}
			other := w.Shared(1 - c.Rank())
			if err := must((other != nil) == shares && w.Shared(2) == nil && len(w.Shared(c.Rank())) == 3, "the parts of %s", transport); err != nil {
				return err
			}
			if shares {
				other[2] = float64(10 + c.Rank())
			}
			if err := w.Fence(); err != nil {
				return err
			}
			if got, want := w.Local()[2], float64(11-c.Rank()); shares && got != want {
				return fmt.Errorf("another rank stored %v, want %v", got, want)
			}
			return w.Close()
		})
	}
}

// A rank dies with a lock: who waits for it, and who uses the window later, gets its loss.
func TestDeathWithALock(t *testing.T) {
	const victim = 2
	mortal(t, 3, func(c *comm.Comm) error { return outlive(c, victim, func() error { return die(c) }) })
}

// outlive lets a rank die with the lock of rank 0.
func outlive(c *comm.Comm, victim int, die func() error) error {
	w, err := comm.AllocWindow[int64](c, 1)
	if err != nil {
		return err
	}
	if c.Rank() == victim {
		if err := w.Lock(0, false); err != nil {
			return err
		}
	}
	if err := comm.Barrier(c); err != nil && lost("barrier", err, victim) != nil {
		return err
	}
	if c.Rank() == victim {
		return die()
	}
	err = errors.Join(lost("lock", w.Lock(0, true), victim), lost("put", w.Put([]int64{1}, 0, 0), victim), lost("close", w.Close(), victim))
	// Who leaves earlier would be lost, too, to a survivor that has not seen the death yet.
	other := 1 - c.Rank()
	_, late := comm.Sendrecv(c, []int64{1}, other, 0, make([]int64, 1), other, 0)
	return errors.Join(err, late)
}

// A rank leaves with a lock, after an error of its own: who waits for the lock gets that it has
// gone.
func TestRankThatLeavesWithALock(t *testing.T) {
	failure := errors.New("this rank fails")
	for _, transport := range []string{"memwire", "smem", "tcp"} {
		err := try(t, transport, 3, coll.Options{}, func(c *comm.Comm) error {
			w, err := comm.AllocWindow[int64](c, 1)
			if err != nil {
				return err
			}
			if c.Rank() == 2 {
				err = w.Lock(0, false)
			}
			if err := errors.Join(err, comm.Barrier(c)); err != nil {
				return err
			}
			if c.Rank() == 2 {
				return failure
			}
			var peer *device.PeerError
			if err := w.Lock(0, false); !errors.As(err, &peer) || peer.Rank != 2 {
				t.Errorf("%s, rank %d: lock: %v, want that rank 2 has gone", transport, c.Rank(), err)
			}
			// Who leaves earlier would be gone, too, to the other.
			other := 1 - c.Rank()
			if _, err := comm.Sendrecv(c, []int64{1}, other, 0, make([]int64, 1), other, 0); err != nil {
				t.Errorf("%s, rank %d: exchange: %v", transport, c.Rank(), err)
			}
			return failure
		})
		if !errors.Is(err, failure) {
			t.Errorf("%s: %v", transport, err)
		}
	}
}

// Complete does not access the network for a window that has failed: the put remains undone.
func TestCompleteOfAFailedWindow(t *testing.T) {
	failure := errors.New("this rank fails")
	err := try(t, "naive", 3, coll.Options{}, func(c *comm.Comm) error {
		w, err := comm.AllocWindow[int64](c, 1)
		if err != nil {
			return err
		}
		switch c.Rank() {
		case 0:
			err = w.Post(1)
		case 1:
			err = errors.Join(w.Start(0), w.Put([]int64{7}, 0, 0))
		case 2:
			err = w.Lock(0, false)
		}
		if err := errors.Join(err, comm.Barrier(c)); err != nil {
			return err
		}
		if c.Rank() == 2 {
			return failure
		}
		if w.Lock(0, false) == nil || c.Rank() == 1 && w.Complete() == nil {
			t.Error("the window has not failed")
		}
		other := 1 - c.Rank()
		if _, err := comm.Sendrecv(c, []int64{1}, other, 0, make([]int64, 1), other, 0); err != nil {
			t.Error(err)
		}
		if got := w.Local()[0]; got != 0 {
			t.Errorf("Complete has put %d", got)
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Error(err)
	}
}

// A frail driver has devices that fail once, and that count what is allocated.
type frail struct{ device.Driver }

type frailDevice struct {
	device.Device
	device.Binder
	fails bool // the next Isend
	held  int  // blocks of memory
}

func (f frail) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	d, err := f.Driver.Open(ctx, job, opts)
	return &frailDevice{Device: d, Binder: d.(device.Binder)}, err
}

var errFrail = errors.New("this send fails")

func (d *frailDevice) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	if d.fails {
		d.fails = false
		return 0, errFrail
	}
	return d.Device.Isend(buf, dst, tag, context)
}

func (d *frailDevice) Alloc(n int) ([]byte, error) {
	d.held++
	return d.Device.Alloc(n)
}

func (d *frailDevice) Free(b []byte) error {
	d.held--
	return d.Device.Free(b)
}

// frailRanks runs a function on two ranks.
func frailRanks(t *testing.T, f func(c *comm.Comm, d *frailDevice) error) {
	t.Helper()
	driver := frail{driver(t, "memwire")}
	err := launch.Goroutines(t.Context(), 2, func(ctx context.Context, job device.Job) error {
		return comm.Run(ctx, driver, job, comm.Options{}, func(c *comm.Comm) error { return f(c, c.Device().(*frailDevice)) })
	})
	if err != nil {
		t.Error(err)
	}
}

// An error that a rank finds in its own call breaks the window on the others.
func TestWindowThatFailsInACall(t *testing.T) {
	frailRanks(t, func(c *comm.Comm, d *frailDevice) error {
		w, err := comm.AllocWindow[int64](c, 1)
		if err != nil {
			return err
		}
		other := 1 - c.Rank()
		if d.fails = c.Rank() == 0; d.fails {
			err = w.Put([]int64{1}, other, 0)
			if !errors.Is(err, errFrail) {
				return fmt.Errorf("put: %w", err)
			}
		}
		meet := func() error {
			_, err := comm.Sendrecv(c, []int64{1}, other, 0, make([]int64, 1), other, 0)
			return err
		}
		if err := meet(); err != nil {
			return err
		}
		for range 10 { // calls that serve the window
			if _, _, err := comm.Iprobe(c, other, 1); err != nil {
				return err
			}
		}
		failed := w.Start()
		if c.Rank() == 1 {
			failed = lost("start", failed, 0)
		} else if failed == errFrail {
			failed = nil
		}
		if failed != nil {
			return failed
		}
		w.Close() // with the same error
		return meet()
	})
}

// A rank that waits in Fence for one whose window has failed gets its loss when that one closes its
// device.
func TestFenceWithAFailedWindow(t *testing.T) {
	left := make(chan struct{})
	frailRanks(t, func(c *comm.Comm, d *frailDevice) error {
		w, err := comm.AllocWindow[int64](c, 1)
		if err != nil {
			return err
		}
		if d.fails = c.Rank() == 0; !d.fails {
			defer close(left)
			return errors.Join(lost("fence", w.Fence(), 0), lost("close", w.Close(), 0))
		}
		put := w.Put([]int64{1}, 1, 0)
		closed := w.Close() // waits for nobody
		err = d.Close()
		<-left
		return errors.Join(err, must(errors.Is(put, errFrail) && errors.Is(closed, errFrail), "put: %v, close: %v", put, closed))
	})
}

// A communicator closes the windows that are open, with their memory.
func TestWindowOfAClosedCommunicator(t *testing.T) {
	frailRanks(t, func(w *comm.Comm, d *frailDevice) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		var windows [2]*comm.Window[int64]
		for i := range windows {
			if windows[i], err = comm.AllocWindow[int64](c, 1); err != nil {
				return err
			}
		}
		if err := errors.Join(windows[1].Put([]int64{7}, 1-c.Rank(), 0), c.Close()); err != nil {
			return err
		}
		for _, w := range windows {
			if err := must(errors.Is(w.Fence(), device.ErrClosed) && errors.Is(w.Close(), device.ErrClosed), "a closed window is used"); err != nil {
				return err
			}
		}
		return must(d.held == 0, "%d blocks of memory are left", d.held)
	})
}

// roleWindows is set in the processes that TestWindowsOfProcesses starts.
const roleWindows = "GOBENCH_TEST_WINDOWS"

// Processes map each other's memory. Then one is killed while it has a lock.
func TestWindowsOfProcesses(t *testing.T) {
	const victim = 2
	if os.Getenv(roleWindows) == "" {
		r, err := launch.Local(t.Context(), launch.Spec{
			Ranks: 3, Args: []string{"-test.run=^TestWindowsOfProcesses$"}, Env: append(os.Environ(), roleWindows+"=1"), Linger: time.Hour,
		})
		if err != nil {
			t.Fatal(err)
		}
		for rank, s := range r.Ranks {
			if rank == victim && s.Signal != syscall.SIGKILL || rank != victim && s.Code != 0 {
				t.Errorf("rank %d: %v", rank, s)
			}
		}
		return
	}
	rank, err := rendezvous.FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	// What CloseAll returns is the loss of the rank or, where that came first, of a survivor.
	_ = comm.Run(t.Context(), driver(t, "smem"), rank, comm.Options{}, func(c *comm.Comm) error {
		err := randomPrograms(c, 3)
		if err == nil {
			err = outlive(c, victim, func() error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) })
		}
		if err != nil {
			t.Error(err)
		}
		return err
	})
}

// A rank that holds an exclusive lock sees what the one before has left, whole, and nobody changes
// it meanwhile.
func TestLocksExclude(t *testing.T) {
	for _, transport := range []string{"memwire", "memrma", "naive", "uneven", "smem", "tcp"} {
		ranks(t, transport, 3, lockedBlocks)
	}
}

// lockedBlocks increments a block of rank 0 by all ranks, who lock it.
func lockedBlocks(c *comm.Comm) error {
	const n, rounds = 5000, 8
	w, err := comm.AllocWindow[int64](c, n)
	if err != nil {
		return err
	}
	block := make([]int64, n)
	for range rounds {
		if err := errors.Join(w.Lock(0, false), w.Get(block, 0, 0), w.Flush(0)); err != nil {
			return err
		}
		runtime.Gosched() // so that others may break in
		for i := range block {
			if block[i]++; block[i] != block[0] {
				return fmt.Errorf("element %d is %d, others %d", i, block[i], block[0])
			}
		}
		if err := errors.Join(w.Put(block, 0, 0), w.Unlock(0)); err != nil {
			return err
		}
	}
	if err := w.Fence(); err != nil {
		return err
	}
	if got, want := w.Local()[n-1], int64(c.Size()*rounds); c.Rank() == 0 && got != want {
		return fmt.Errorf("%d increments of %d are there", got, want)
	}
	return w.Close()
}

// Where the memory of a rank, or the data of a put, cannot be registered, messages move the data.
func TestWindowsWhereRegistrationFails(t *testing.T) {
	ranks(t, "refusing", 3, func(c *comm.Comm) error {
		for round := range 32 {
			w, err := comm.AllocWindow[int64](c, 4)
			if err != nil {
				return err
			}
			next := (c.Rank() + 1) % c.Size()
			got := [2]int64{}
			put := []int64{int64(round), int64(c.Rank())}
			if err := errors.Join(w.Fence(), w.Put(put, next, 1), w.Fence(), w.Get(got[:], next, 1), w.Fence()); err != nil {
				return err
			}
			if got != [2]int64{int64(round), int64(c.Rank())} || w.Local()[2] != int64((next+1)%c.Size()) {
				return fmt.Errorf("round %d: %v was read back, and %v is here", round, got, w.Local())
			}
			if err := w.Close(); err != nil {
				return err
			}
		}
		return nil
	})
}
