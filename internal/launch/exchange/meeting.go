// Package exchange carries Exchange of device.Job between the ranks of a job: a Meeting collects
// the blobs of ranks, a Hub serves the sockets of ranks that are processes, a SocketLink is the
// other end of such a socket, and frames are what they say.
package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gobench/device"
	"gobench/internal/launch/host"
)

// A Meeting collects one blob of each rank and distributes all of them to every rank, round after
// round. It implements Exchange for goroutines, and is a part of the hub for processes. The meeting
// of an agent contains the ranks of its host only; relay sends their blobs to the meeting of the
// job.
//
// Its states:
//
//	open   the round collects blobs; missing ranks have not arrived
//	full   all ranks of this meeting have arrived, and the relay has taken their blobs; Complete
//	       opens the next round. Without a relay the last rank to arrive does so.
//	lost   a rank has left: the round is closed, and all exchanges fail. This state is final.
//
// Always: lost is set once; a round is closed once, by finish or lose, and only the current one is
// open; missing is the number of ranks of the round that have not arrived. Whether Fail was called
// is independent of the state.
type Meeting struct {
	ranks []int // ranks of this meeting, in ascending order
	relay Relay // nil if this meeting has all ranks of the job

	mu    sync.Mutex
	round *round
	lost  *device.PeerError // the first rank that left; every exchange fails from then on
	given error             // why the context of that rank ended; nil if it left for another reason

	failed *device.PeerError // the rank because of which the others are asked to end
	begun  bool              // a round has ended
}

// A Relay connects a meeting of some ranks to that of the whole job, and this one to the meetings
// of the hosts. Its methods do not block and are called with the lock held.
type Relay interface {
	// Gather takes the blobs of a round that is complete here, and reports whether these are all;
	// otherwise Complete is called with those of all ranks.
	Gather([][]byte) bool
	Left(*device.PeerError)   // the first rank has left
	Failed(*device.PeerError) // the others are asked to end because of this one
}

// round is one exchange: blobs are complete when done is closed, unless lost is set. blobs and
// arrived have an entry for each rank of the meeting; Complete replaces blobs by those of all ranks
// of the job. Ranks that wait read blobs and lost without the lock, after done: nothing is written
// then.
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

// NewMeeting returns a meeting of ranks, in ascending order. r connects it to the others; nil if
// there are none.
func NewMeeting(ranks []int, r Relay) *Meeting {
	return &Meeting{ranks: ranks, relay: r, round: newRound(len(ranks))}
}

// AllRanks returns 0 to n-1.
func AllRanks(n int) []int {
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i
	}
	return ranks
}

// errTwice is returned to the second of two concurrent calls: the blobs of a rank would otherwise
// belong to two rounds in an order that nobody determines.
var errTwice = errors.New("exchange is called twice at the same time by one rank")

// exchange returns the blobs of all ranks to rank. The slices are shared by all ranks and must not
// be modified. A rank whose ctx ends leaves the meeting.
func (m *Meeting) exchange(ctx context.Context, rank int, blob []byte) ([][]byte, error) {
	r, err := m.Arrive(ctx, rank, blob)
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

// reason returns the error that ended the exchanges. A rank whose own context ended for the cause
// for which the first rank left gets the error of its context: with goroutines one Ctrl-C ends the
// contexts of all ranks, and none of them is to blame another. lost is set, so that given and lost
// do not change any more and are read without the lock.
func (m *Meeting) reason(ctx context.Context) error {
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

// Arrive adds the blob of a rank to the current round and returns the round, whose done the rank
// must await. The last rank to arrive ends the round, or hands it to the relay. It returns an error
// if a rank has left, if ctx has ended (then this rank leaves), if the rank does not belong to the
// meeting, and if it has already arrived in this round: that is two concurrent calls by one rank,
// because a rank that awaits done arrives once in a round.
func (m *Meeting) Arrive(ctx context.Context, rank int, blob []byte) (*round, error) {
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
	if r.missing == 0 && (m.relay == nil || m.relay.Gather(r.blobs)) {
		m.finish(r.blobs)
	}
	return r, nil
}

// Complete ends the round that was handed to the relay with the blobs of all ranks of the job. It
// does nothing if a rank has left since, or if no round was handed to the relay: frames of the root
// may arrive after either.
func (m *Meeting) Complete(blobs [][]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost == nil && m.round.missing == 0 {
		m.finish(blobs)
	}
}

// finish ends the round, and opens the next one before any rank that waits can arrive in it. The
// lock is held.
func (m *Meeting) finish(blobs [][]byte) {
	r := m.round
	r.blobs = blobs
	m.round = newRound(len(m.ranks))
	m.begun = true
	close(r.done)
}

// NoticeDelay is the time after which ranks that have not joined an exchange are reported.
const NoticeDelay = 10 * time.Second

// Remind calls warn after NoticeDelay with the ranks that have not joined the first exchange, if
// there are any. stop cancels it.
func (m *Meeting) Remind(warn func(ranks []int)) (stop func() bool) {
	return time.AfterFunc(NoticeDelay, func() {
		if ranks := m.missing(); ranks != nil {
			warn(ranks)
		}
	}).Stop
}

// missing returns the ranks that have not joined the first exchange, nil after it: a rank that
// computes for long between two exchanges is no mistake.
func (m *Meeting) missing() (ranks []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.begun || m.lost != nil {
		return nil
	}
	return m.round.absent(m.ranks)
}

// Leave removes a rank: the current exchange and all later ones fail on all ranks. Their error
// names the first rank that left.
func (m *Meeting) Leave(rank int, cause string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lose(rank, cause)
}

// abandon removes a rank that waits in round r and reports true, unless the round has ended: then
// the blobs, or the rank that left, are already there for it and count.
func (m *Meeting) abandon(ctx context.Context, r *round, rank int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r != m.round || r.lost != nil {
		return false
	}
	m.giveUp(ctx, rank)
	return true
}

// giveUp removes a rank whose ctx has ended. The lock is held.
func (m *Meeting) giveUp(ctx context.Context, rank int) {
	cause := context.Cause(ctx)
	if m.lost == nil {
		m.given = cause
	}
	m.lose(rank, fmt.Sprintf("it gave up waiting for the others: %v", cause))
}

// Fail stores the failed rank because of which the others must end. The first call counts.
func (m *Meeting) Fail(rank int, cause string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed != nil {
		return
	}
	m.failed = &device.PeerError{Rank: rank, Cause: cause}
	if m.relay != nil {
		m.relay.Failed(m.failed)
	}
}

// Failure returns the rank that fail has stored, else nil.
func (m *Meeting) Failure() *device.PeerError {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// lose makes the state lost, for good: the round is closed, so that all ranks that wait return, and
// later exchanges fail when they arrive. Only the first call counts, because the ranks that leave
// later mostly do so because of the first. The lock is held.
func (m *Meeting) lose(rank int, cause string) {
	if m.lost != nil {
		return
	}
	m.lost = &device.PeerError{Rank: rank, Cause: cause}
	m.round.lost = m.lost
	close(m.round.done)
	if m.relay != nil {
		m.relay.Left(m.lost)
	}
}

// ExchangeCopies is exchange for ranks of one process. It copies blobs, so that each rank owns the
// ones that it passes and gets.
func (m *Meeting) ExchangeCopies(ctx context.Context, rank int, blob []byte) ([][]byte, error) {
	if err := CheckBlob(blob); err != nil {
		return nil, err
	}
	shared, err := m.exchange(ctx, rank, slices.Clone(blob))
	if err != nil {
		return nil, err
	}
	own := make([][]byte, len(shared))
	for i, b := range shared {
		own[i] = slices.Clone(b)
	}
	return own, nil
}

// MissingLine is a line about ranks that have not come to the first exchange of a job.
func MissingLine(missing []int, size int, where string) string {
	return fmt.Sprintf("waiting for %d of %d ranks%s, which run and have not come to the first exchange: %s", len(missing), size, where, host.FormatCores(missing))
}

// A Link connects a rank to its launcher, or to the other ranks; each kind of launcher has its own.
type Link interface {
	// Exchange implements that of device.Job. After an error all further calls fail.
	Exchange(ctx context.Context, blob []byte) ([][]byte, error)
	// Failure returns the rank because of which this one is asked to end; nil if none is known.
	Failure() *device.PeerError
	// Tell sends the launcher the reason why this rank fails, in words.
	Tell(words string)
	// Close ends the exchanges of this rank. It does not count as a failure unless Tell was called,
	// or an exchange has failed.
	Close() error
}
