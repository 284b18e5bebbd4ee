package exchange

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"gobench/device"
)

// Who gives up is told why, who waits for it is told who.
func TestExchangeIsGivenUp(t *testing.T) {
	m := NewMeeting(AllRanks(2), nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for m.waiting() == 0 {
			runtime.Gosched()
		}
		cancel(errors.New("no patience"))
	}()
	if _, err := m.exchange(ctx, 0, nil); err == nil || err.Error() != "exchange among the ranks was given up, without rank 1: no patience" {
		t.Errorf("rank 0: %v", err)
	}
	var lost *device.PeerError
	if _, err := m.exchange(t.Context(), 1, nil); !errors.As(err, &lost) || lost.Rank != 0 ||
		lost.Cause != "it gave up waiting for the others: no patience" {
		t.Errorf("rank 1: %v", err)
	}
}

// Ranks that are interrupted together are all told so, whichever was the first to notice.
func TestAllGiveUpForTheSameReason(t *testing.T) {
	m := NewMeeting(AllRanks(2), nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no patience"))
	for rank := range 2 {
		if _, err := m.exchange(ctx, rank, nil); !errors.Is(err, context.Cause(ctx)) {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	own, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("another reason"))
	var lost *device.PeerError
	if _, err := m.exchange(own, 1, nil); !errors.As(err, &lost) || lost.Rank != 0 {
		t.Errorf("a rank that ends for a reason of its own: %v", err)
	}
}

func (m *Meeting) waiting() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.round.blobs) - m.round.missing
}

func TestExchangeTwiceAtOnce(t *testing.T) {
	m := NewMeeting(AllRanks(2), nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() {
		m.exchange(ctx, 0, nil)
		close(done)
	}()
	for m.waiting() == 0 {
		runtime.Gosched()
	}
	if _, err := m.exchange(ctx, 0, nil); err != errTwice {
		t.Errorf("got %v", err)
	}
	cancel()
	<-done
}
