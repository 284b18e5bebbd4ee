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
	"gobench/launch"
	"gobench/transports/smem"
	_ "gobench/transports/tcp"
)

// driver returns the driver of a transport; memwire is a wire that fulfils the contract of
// protocol.Wire as badly as it allows.
func driver(t testing.TB, name string) device.Driver {
	t.Helper()
	if name == "memwire" {
		return &memwire.Driver{Hostility: memwire.Hostility{Seed: 1, Queue: 8, Packet: 1024, EagerLimit: 2000, NoRoom: 60, Withhold: 80}}
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
