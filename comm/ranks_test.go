package comm_test

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"gobench/comm"
	"gobench/comm/coll"
	"gobench/device"
	"gobench/device/devicetest/memwire"
	"gobench/device/devicetest/naive"
	"gobench/device/protocol"
	"gobench/launch"
	"gobench/transports/smem"
	_ "gobench/transports/tcp"
)

// uneven is a driver that has regions on all ranks but the second one.
type uneven struct{ device.Driver }

func (u uneven) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	d, err := u.Driver.Open(ctx, job, opts)
	if err == nil && job.Rank() == 1 {
		return struct {
			device.Device
			device.Binder
			device.Sharer
		}{d, d.(device.Binder), d.(device.Sharer)}, nil
	}
	return d, err
}

// driver returns the driver of a transport; memwire is a wire that fulfils the contract of
// protocol.Wire as badly as it allows, memrma has puts and gets as well, and naive is a device
// whose regions do everything as late as they may.
func driver(t testing.TB, name string) device.Driver {
	t.Helper()
	hostile := memwire.Hostility{Seed: 1, Queue: 8, Packet: 1024, EagerLimit: 2000, NoRoom: 60, Withhold: 80}
	switch name {
	case "memwire":
		return &memwire.Driver{Hostility: hostile}
	case "memrma":
		hostile.Methods = []protocol.Method{protocol.Get, protocol.Put}
		hostile.Busy, hostile.Pending, hostile.Late = 60, 128, 20
		return &memwire.Driver{Hostility: hostile}
	case "naive":
		return &naive.Driver{}
	case "refusing":
		hostile.Methods, hostile.Refuse = []protocol.Method{protocol.Get, protocol.Put}, 80
		return &memwire.Driver{Hostility: hostile}
	case "uneven":
		return uneven{&naive.Driver{}}
	}
	d, err := device.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ranks runs one function on n ranks over a transport. The first error fails the test.
func ranks(t testing.TB, transport string, n int, f func(w *comm.Comm) error) {
	t.Helper()
	if err := try(t, transport, n, coll.Options{}, f); err != nil {
		t.Fatalf("%s, %d ranks: %v", transport, n, err)
	}
}

// timeout is the time limit of the ranks of a test.
const timeout = 5 * time.Minute

// try runs the function and returns the first error.
func try(t testing.TB, transport string, n int, o coll.Options, f func(w *comm.Comm) error) error {
	t.Helper()
	d := driver(t, transport)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	// The errors of ranks that lose this one come later.
	var once sync.Once
	var first error
	err := launch.Goroutines(ctx, n, func(ctx context.Context, job device.Job) error {
		return comm.Run(ctx, d, job, comm.Options{Coll: o}, func(w *comm.Comm) error {
			err := f(w)
			if err != nil {
				once.Do(func() { first = fmt.Errorf("rank %d: %w", job.Rank(), err) })
			}
			return err
		})
	})
	return cmp.Or(first, err)
}

// everywhere runs a function on 1 to 9 ranks over memwire, and on some of these numbers over
// transports.
func everywhere(t *testing.T, f func(w *comm.Comm) error) {
	for _, transport := range []struct {
		name       string
		ranks, few []int // few: under the race detector and an emulator
	}{
		{"memwire", []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{1, 2, 5}},
		{smem.Name, []int{1, 2, 3, 6}, []int{2, 3}},
		{"tcp", []int{2, 3}, []int{2}},
	} {
		if testing.Short() {
			transport.ranks = transport.few
		}
		for _, n := range transport.ranks {
			t.Run(fmt.Sprintf("%s/%d", transport.name, n), func(t *testing.T) { ranks(t, transport.name, n, f) })
		}
	}
}

// must returns an error unless ok is set.
func must(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}
