package launch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gobench/device"
	"gobench/launch/host"
)

// A meeting collects one blob of each rank and distributes all of them to every rank, round after
// round. It implements Exchange for goroutines, and is a part of the hub for processes. The meeting
// of an agent contains the ranks of its host only; relay sends their blobs to the meeting of the
// job.
type meeting struct {
	ranks []int // ranks of this meeting, in ascending order
	relay relay // nil: this meeting has all ranks of the job

	mu    sync.Mutex
	round *round
	lost  *device.PeerError // the first rank that left; every exchange fails from then on
	given error             // why the context of that rank ended; nil where it left for another reason

	failed *device.PeerError // the rank because of which the others are asked to end
	begun  bool              // a round has ended
}

// relay connects a meeting of some ranks to that of the whole job, and this one to the meetings of
// the hosts. Its methods do not block and are called with the lock held.
type relay interface {
	// gather takes the blobs of a round that is complete here, and reports whether these are all;
	// otherwise complete is called with those of all ranks.
	gather([][]byte) bool
	left(*device.PeerError)   // the first rank has left
	failed(*device.PeerError) // the others are asked to end because of this one
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

func newMeeting(ranks []int, r relay) *meeting {
	return &meeting{ranks: ranks, relay: r, round: newRound(len(ranks))}
}

// allRanks returns 0 to n-1.
func allRanks(n int) []int {
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i
	}
	return ranks
}

var errTwice = errors.New("exchange is called twice at the same time by one rank")

// exchange returns the blobs of all ranks to rank. The slices are shared by all ranks and must not
// be modified. A rank whose ctx ends leaves the meeting.
func (m *meeting) exchange(ctx context.Context, rank int, blob []byte) ([][]byte, error) {
	r, err := m.arrive(ctx, rank, blob)
	if err != nil {
		return nil, err
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		if m.abandon(ctx, r, rank) {
			return nil, errGivenUp(ctx, r.absent(m.ranks)...)
		}
	}
	if r.lost != nil {
		return nil, m.reason(ctx)
	}
	return r.blobs, nil
}

// reason returns the error that ended the exchanges. It is that of the rank's own context if the
// first rank that left did so because of the same context.
func (m *meeting) reason(ctx context.Context) error {
	if m.given != nil && errors.Is(context.Cause(ctx), m.given) {
		return errGivenUp(ctx)
	}
	return m.lost
}

// errGivenUp is the error of a rank whose ctx ended before the absent ranks joined the exchange.
func errGivenUp(ctx context.Context, absent ...int) error {
	without := ""
	if len(absent) > 0 {
		without = ", without rank"
		if len(absent) > 1 {
			without += "s"
		}
		without += " " + host.FormatCores(absent)
	}
	return fmt.Errorf("exchange among the ranks was given up%s: %w", without, context.Cause(ctx))
}

// absent returns the ranks that have not joined the round.
func (r *round) absent(all []int) (ranks []int) {
	for i, rank := range all {
		if !r.arrived[i] {
			ranks = append(ranks, rank)
		}
	}
	return ranks
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
	at, ok := slices.BinarySearch(m.ranks, rank)
	if !ok {
		return nil, fmt.Errorf("rank %d is not one of those that meet here", rank)
	}
	r := m.round
	if r.arrived[at] {
		return nil, errTwice
	}
	r.arrived[at] = true
	r.blobs[at] = blob
	r.missing--
	if r.missing == 0 && (m.relay == nil || m.relay.gather(r.blobs)) {
		m.finish(r.blobs)
	}
	return r, nil
}

// complete ends the round that was handed to the uplink with the blobs of all ranks of the job.
func (m *meeting) complete(blobs [][]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost == nil && m.round.missing == 0 {
		m.finish(blobs)
	}
}

// finish ends the round with the lock held.
func (m *meeting) finish(blobs [][]byte) {
	r := m.round
	r.blobs = blobs
	m.round = newRound(len(m.ranks))
	m.begun = true
	close(r.done)
}

// remind calls note after meetSilence with the ranks that have not joined the first exchange, if
// there are any. stop cancels it.
func (m *meeting) remind(note func(ranks []int)) (stop func() bool) {
	return time.AfterFunc(meetSilence, func() {
		if ranks := m.missing(); ranks != nil {
			note(ranks)
		}
	}).Stop
}

// missing returns the ranks that have not joined the first exchange.
func (m *meeting) missing() (ranks []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.begun || m.lost != nil {
		return nil
	}
	return m.round.absent(m.ranks)
}

// leave removes a rank: the current exchange and all later ones fail on all ranks. Their error
// names the first rank that left.
func (m *meeting) leave(rank int, cause string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lose(rank, cause)
}

// abandon removes a rank that waits in round r, unless the round has ended.
func (m *meeting) abandon(ctx context.Context, r *round, rank int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r != m.round || r.lost != nil {
		return false
	}
	m.giveUp(ctx, rank)
	return true
}

// giveUp removes a rank whose ctx has ended. The lock is held.
func (m *meeting) giveUp(ctx context.Context, rank int) {
	cause := context.Cause(ctx)
	if m.lost == nil {
		m.given = cause
	}
	m.lose(rank, fmt.Sprintf("it gave up waiting for the others: %v", cause))
}

// fail stores the failed rank because of which the others must end. The first call counts.
func (m *meeting) fail(rank int, cause string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed != nil {
		return
	}
	m.failed = &device.PeerError{Rank: rank, Cause: cause}
	if m.relay != nil {
		m.relay.failed(m.failed)
	}
}

// failure returns the rank that fail has stored, else nil.
func (m *meeting) failure() *device.PeerError {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// lose implements leave. The lock is held.
func (m *meeting) lose(rank int, cause string) {
	if m.lost != nil {
		return
	}
	m.lost = &device.PeerError{Rank: rank, Cause: cause}
	m.round.lost = m.lost
	close(m.round.done)
	if m.relay != nil {
		m.relay.left(m.lost)
	}
}
