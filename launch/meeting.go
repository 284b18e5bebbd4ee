package launch

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"gobench/device"
)

// meeting is where the ranks of a job exchange blobs, round after round. It is
// the whole of Exchange for goroutines, and the inside of the hub for processes.
type meeting struct {
	mu    sync.Mutex
	round *round
	lost  *device.PeerError // the first rank that left; every exchange fails from then on
	given error             // why the context of that rank ended; nil where it left for another reason

	failed *device.PeerError // the rank because of which the others are asked to end
}

// round is one exchange: blobs are complete when done is closed, unless lost is
// set.
type round struct {
	blobs   [][]byte
	arrived []bool
	missing int
	done    chan struct{}
	lost    *device.PeerError
}

func newRound(n int) *round {
	return &round{blobs: make([][]byte, n), arrived: make([]bool, n), missing: n, done: make(chan struct{})}
}

func newMeeting(n int) *meeting { return &meeting{round: newRound(n)} }

var errTwice = errors.New("exchange is called twice at the same time by one rank")

// exchange gives rank the blobs of all. The slices are shared by all ranks and
// must not be written. A rank whose ctx ends has left the meeting.
func (m *meeting) exchange(ctx context.Context, rank int, blob []byte) ([][]byte, error) {
	r, err := m.arrive(ctx, rank, blob)
	if err != nil {
		return nil, err
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		if m.abandon(ctx, r, rank) {
			return nil, errGivenUp(ctx)
		}
	}
	if r.lost != nil {
		return nil, m.reason(ctx)
	}
	return r.blobs, nil
}

// reason returns why there are no more exchanges: for the reason of the rank's own context, where
// the first rank that left did so for the same. Which one of them was first is of no use then.
func (m *meeting) reason(ctx context.Context) error {
	if m.given != nil && errors.Is(context.Cause(ctx), m.given) {
		return errGivenUp(ctx)
	}
	return m.lost
}

func errGivenUp(ctx context.Context) error {
	return fmt.Errorf("exchange among the ranks was given up: %w", context.Cause(ctx))
}

func (m *meeting) arrive(ctx context.Context, rank int, blob []byte) (*round, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost != nil {
		return nil, m.reason(ctx)
	}
	if ctx.Err() != nil {
		m.giveUp(ctx, rank)
		return nil, errGivenUp(ctx)
	}
	r := m.round
	if r.arrived[rank] {
		return nil, errTwice
	}
	r.arrived[rank] = true
	r.blobs[rank] = blob
	if r.missing--; r.missing == 0 {
		m.round = newRound(len(r.blobs))
		close(r.done)
	}
	return r, nil
}

// leave takes rank out: the exchange under way and all later ones fail for
// everybody. Only the first rank that leaves is named.
func (m *meeting) leave(rank int, cause string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lose(rank, cause)
}

// abandon takes out a rank that waits in round r, unless that has ended.
func (m *meeting) abandon(ctx context.Context, r *round, rank int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r != m.round || r.lost != nil {
		return false
	}
	m.giveUp(ctx, rank)
	return true
}

// giveUp takes out a rank whose ctx has ended, with the lock held.
func (m *meeting) giveUp(ctx context.Context, rank int) {
	cause := context.Cause(ctx)
	if m.lost == nil {
		m.given = cause
	}
	m.lose(rank, fmt.Sprintf("it gave up waiting for the others: %v", cause))
}

// fail notes that the others are asked to end because of rank.
func (m *meeting) fail(rank int, cause string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed = &device.PeerError{Rank: rank, Cause: cause}
}

// failure returns the rank because of which the others are asked to end, nil if that is not why.
func (m *meeting) failure() *device.PeerError {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// lose is leave with the lock held.
func (m *meeting) lose(rank int, cause string) {
	if m.lost == nil {
		m.lost = &device.PeerError{Rank: rank, Cause: cause}
		m.round.lost = m.lost
		close(m.round.done)
	}
}
