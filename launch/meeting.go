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
		if m.abandon(r, rank, gaveUp(ctx)) {
			return nil, errGivenUp(ctx)
		}
	}
	if r.lost != nil {
		return nil, r.lost
	}
	return r.blobs, nil
}

func gaveUp(ctx context.Context) string {
	return fmt.Sprintf("it gave up waiting for the others: %v", context.Cause(ctx))
}

func errGivenUp(ctx context.Context) error {
	return fmt.Errorf("exchange among the ranks was given up: %w", context.Cause(ctx))
}

func (m *meeting) arrive(ctx context.Context, rank int, blob []byte) (*round, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost != nil {
		return nil, m.lost
	}
	if ctx.Err() != nil {
		m.lose(rank, gaveUp(ctx))
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
func (m *meeting) abandon(r *round, rank int, cause string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r != m.round || r.lost != nil {
		return false
	}
	m.lose(rank, cause)
	return true
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
