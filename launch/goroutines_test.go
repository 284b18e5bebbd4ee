package launch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/launch/exchange"
)

func TestGoroutinesExchange(t *testing.T) {
	const ranks, rounds = 8, 200
	var arrived atomic.Int64
	err := Goroutines(t.Context(), ranks, func(ctx context.Context, job device.Job) error {
		if job.Size() != ranks || job.LocalSize() != ranks {
			return fmt.Errorf("size %d, local %d", job.Size(), job.LocalSize())
		}
		for round := range rounds {
			blob := []byte{byte(job.Rank()), byte(round)}
			arrived.Add(1)
			blobs, err := job.Exchange(ctx, blob)
			if err != nil {
				return err
			}
			if n := arrived.Load(); n < int64(ranks*(round+1)) {
				return fmt.Errorf("round %d: exchange has returned when %d calls were made", round, n)
			}
			blob[0] = 99 // what was passed is ours again
			for rank, b := range blobs {
				if !slices.Equal(b, []byte{byte(rank), byte(round)}) {
					return fmt.Errorf("round %d: rank %d has sent %v", round, rank, b)
				}
				b[0] = 77 // and what we got is ours alone
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// One rank ends in some way; the others must learn it in Exchange, and its error,
// not theirs, must be the job's.
func TestGoroutinesOneEnds(t *testing.T) {
	boom := errors.New("boom")
	for name, test := range map[string]struct {
		end  func() error
		want string
	}{
		"error":        {func() error { return boom }, "rank 2: boom"},
		"panic":        {func() error { panic(boom) }, "rank 2: panic: boom"},
		"goexit":       {func() error { runtime.Goexit(); return nil }, "rank 2: the rank ended its goroutine without returning"},
		"early return": {func() error { return nil }, "rank 2 is lost: it has returned"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Goroutines(t.Context(), 4, func(ctx context.Context, job device.Job) error {
				if job.Rank() == 2 {
					return test.end()
				}
				_, err := job.Exchange(ctx, nil)
				var lost *device.PeerError
				if !errors.As(err, &lost) || lost.Rank != 2 {
					t.Errorf("rank %d: exchange gives %v", job.Rank(), err)
				}
				return err
			})
			var failed *RankError
			if !errors.As(err, &failed) || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("job gives %v, want %s", err, test.want)
			}
			if name == "panic" && !errors.Is(err, boom) {
				t.Errorf("%v hides the value of the panic", err)
			}
		})
	}
}

// Ranks that wait for ctx, not in Exchange, are told the cause.
func TestGoroutinesCancel(t *testing.T) {
	boom := errors.New("boom")
	err := Goroutines(t.Context(), 3, func(ctx context.Context, job device.Job) error {
		if job.Rank() == 1 {
			return boom
		}
		<-ctx.Done()
		return context.Cause(ctx)
	})
	if !errors.Is(err, boom) || err.Error() != "rank 1: boom" {
		t.Errorf("got %v", err)
	}
}

func TestGoroutinesContextEnds(t *testing.T) {
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	err := Goroutines(ctx, 3, func(ctx context.Context, job device.Job) error {
		if job.Rank() == 0 {
			cancel(reason)
			<-ctx.Done()
			return nil
		}
		_, err := job.Exchange(ctx, nil)
		if err == nil {
			t.Error("exchange without rank 0 succeeds")
		}
		return err
	})
	// Whoever saw the end of ctx first names it; the others may name that rank.
	var lost *device.PeerError
	if !errors.Is(err, reason) && !errors.As(err, &lost) {
		t.Errorf("got %v", err)
	}
}

// A rank that pins itself must leave no pinned thread behind, and no two ranks
// share a thread.
func TestGoroutinesHaveThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	tids := make([]int, 4)
	err := Goroutines(t.Context(), len(tids), func(ctx context.Context, job device.Job) error {
		tids[job.Rank()] = unix.Gettid()
		_, err := job.Exchange(ctx, nil)
		if unix.Gettid() != tids[job.Rank()] {
			return errors.New("the thread has changed")
		}
		return err
	})
	slices.Sort(tids)
	if err != nil || len(slices.Compact(tids)) != 4 {
		t.Errorf("threads %v, error %v", tids, err)
	}
}

func TestGoroutinesNeedARank(t *testing.T) {
	for _, n := range []int{0, -1} {
		var wrong *device.ArgumentError
		if err := Goroutines(t.Context(), n, nil); !errors.As(err, &wrong) {
			t.Errorf("%d ranks: %v", n, err)
		}
	}
}

func TestBlobIsBounded(t *testing.T) {
	job := &member{exchange.NewMeeting(exchange.AllRanks(1), nil), 0, 1}
	if _, err := job.Exchange(t.Context(), make([]byte, exchange.MaxBlob)); err != nil {
		t.Error(err)
	}
	var wrong *device.ArgumentError
	if _, err := job.Exchange(t.Context(), make([]byte, exchange.MaxBlob+1)); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
}
