package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"gobench/device"
	"gobench/internal/launch/exchange"
)

// nest runs a job of two processes, which are goroutines here, with three ranks each.
func nest(t *testing.T, fn func(ctx context.Context, job device.Job) error) error {
	return Goroutines(t.Context(), 2, func(ctx context.Context, process device.Job) error {
		return Nested(ctx, process, 3, fn)
	})
}

// The ranks of all processes form one job, in which each process is a host.
func TestNested(t *testing.T) {
	var ranks atomic.Int64
	err := nest(t, func(ctx context.Context, job device.Job) error {
		ranks.Add(1 << (8 * job.Rank()))
		if job.Size() != 6 || job.LocalSize() != 6 || !slices.Equal(job.Hosts(), []int{0, 0, 0, 1, 1, 1}) {
			return fmt.Errorf("%d ranks, %d local, on %v", job.Size(), job.LocalSize(), job.Hosts())
		}
		if m := job.(interface{ Machines() []int }).Machines(); !slices.Equal(m, make([]int, 6)) {
			return fmt.Errorf("machines %v", m)
		}
		for round := range 20 {
			blobs, err := job.Exchange(ctx, fmt.Appendf(nil, "%d of %d", job.Rank(), round))
			if err != nil {
				return err
			}
			for rank, b := range blobs {
				if want := fmt.Sprintf("%d of %d", rank, round); string(b) != want || len(blobs) != 6 {
					return fmt.Errorf("of %d blobs one is %q, want %q", len(blobs), b, want)
				}
			}
		}
		return nil
	})
	if err != nil || ranks.Load() != 0x010101010101 {
		t.Errorf("ranks %#x: %v", ranks.Load(), err)
	}
}

// Ranks of a process exchange more than one exchange of the processes carries, of any lengths.
func TestNestedLargeBlobs(t *testing.T) {
	for _, each := range [][2]int{{exchange.MaxBlob, 1}, {exchange.MaxBlob, exchange.MaxBlob}, {100, exchange.MaxBlob / 3}, {0, (exchange.MaxBlob - parcelHeader - 12) / 3}} {
		err := nest(t, func(ctx context.Context, job device.Job) error {
			blobs, err := job.Exchange(ctx, bytes.Repeat([]byte{byte(job.Rank())}, each[job.Rank()/3]))
			for rank, b := range blobs {
				if !bytes.Equal(b, bytes.Repeat([]byte{byte(rank)}, each[rank/3])) {
					return fmt.Errorf("the blob of rank %d has %d bytes", rank, len(b))
				}
			}
			return err
		})
		if err != nil {
			t.Errorf("blobs of %d and %d bytes: %v", each[0], each[1], err)
		}
	}
}

// When a rank fails, the exchanges of all others fail, in its process and in others.
func TestNestedFails(t *testing.T) {
	broken := errors.New("broken")
	var ended atomic.Int32
	err := nest(t, func(ctx context.Context, job device.Job) error {
		if job.Rank() == 4 {
			return broken
		}
		_, err := job.Exchange(ctx, nil)
		if err != nil {
			ended.Add(1)
		}
		return err
	})
	if !errors.Is(err, broken) || ended.Load() != 5 {
		t.Errorf("%d exchanges failed: %v", ended.Load(), err)
	}
}

// A process that sends something else than the blobs of its ranks is reported.
func TestNestedParcels(t *testing.T) {
	for _, parcel := range []string{"", "\x01\x00\x00", "\x02\x00\x00\x00x", "\x01\x00\x00\x00x", "\x00\x00\x00\x00\x00\x00\x00\x00x"} {
		if list, err := (&trunk{n: 2}).unpack(0, []byte(parcel)); err == nil {
			t.Errorf("%q is taken for %q", parcel, list)
		}
	}
}
