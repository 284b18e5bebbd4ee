package exchange

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"gobench/device"
	"gobench/internal/launch/signals"
)

// A Hub is the launcher's side of Exchange: one goroutine per rank transfers frames between the
// rank's socket and the meeting.
//
// The end of a rank is seen twice, in any order: here as the end of its connection, and by the
// launcher as the end of its process, which tells more (an exit code, a signal). So the hub waits
// for exitNotice before it removes the rank from the meeting, where the first cause counts.
type Hub struct {
	Meeting *Meeting
	stops   *signals.Stops
	ctx     context.Context
	stop    context.CancelFunc
	serving sync.WaitGroup

	mu      sync.Mutex
	changed *sync.Cond
	lines   map[int]*line // by rank
}

// line is the connection of one rank. The goroutine that serves it either reads (not idle), or
// waits for the other ranks (idle), or has ended (over and idle, for good). What the rank has told
// is final once it is idle and its process has ended.
type line struct {
	conn io.ReadWriteCloser
	told string // the rank's own message about its failure
	idle bool   // no read is pending: it has ended, or the rank waits for the others
	over bool   // it has ended
}

// NewHub returns a hub of the ranks that meet in m. stops knows how long this process was stopped.
func NewHub(m *Meeting, stops *signals.Stops) *Hub {
	h := &Hub{Meeting: m, stops: stops, lines: map[int]*line{}}
	h.changed = sync.NewCond(&h.mu)
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// exitNotice is the delay between the end of a rank's connection and the message to the other
// ranks, unless its process ends before. A rank that fails often closes its connection before it
// exits; without the delay another rank could exit first, and its exit code would count.
const exitNotice = 2 * time.Second

// Serve transfers the frames of a rank until its connection ends.
func (h *Hub) Serve(rank int, conn io.ReadWriteCloser) {
	l := &line{conn: conn}
	h.mu.Lock()
	h.lines[rank] = l
	h.mu.Unlock()
	h.serving.Go(func() {
		cause := h.carry(rank, l)
		h.mu.Lock()
		l.over = true
		h.mu.Unlock()
		h.setIdle(l, true)
		if cause == unconnected || cause == Closed {
			h.stops.Wait(h.ctx.Done(), exitNotice)
		}
		h.Meeting.Leave(rank, cause)
	})
}

// setIdle records whether no read of a rank is pending.
func (h *Hub) setIdle(l *line, idle bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.idle = idle
	h.changed.Broadcast()
}

// Told returns the message of rendezvous.Rank.Tell of a rank whose process has ended, "" if there
// is none. A process of its that has left its process group may keep the connection open.
func (h *Hub) Told(rank int) string {
	h.await(exitNotice, func() bool { return h.lines[rank].idle })
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lines[rank].told
}

// AwaitEnd waits until the connections of all ranks have ended, for d at most, and reports whether
// they have.
func (h *Hub) AwaitEnd(d time.Duration) bool {
	return h.await(d, func() bool {
		for _, l := range h.lines {
			if !l.over {
				return false
			}
		}
		return true
	})
}

// await waits until done, which is called with the lock held, for d at most, and reports whether it
// is.
func (h *Hub) await(d time.Duration, done func() bool) bool {
	late := false
	timer := time.AfterFunc(d, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		late = true
		h.changed.Broadcast()
	})
	defer timer.Stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for !done() && !late {
		h.changed.Wait()
	}
	return done()
}

// Causes with which a rank leaves the job, for people. Told by the hub, which knows only the
// connection; the end of a process is a better cause (see Hub).
const (
	Closed      = "it has left the job"
	unconnected = "it has closed its connection to the launcher"
	vanished    = "its host does not answer any more"
)

// lostBy returns the cause in an error of a rank's connection.
func lostBy(err error) string {
	if errors.Is(err, syscall.ETIMEDOUT) || errors.Is(err, syscall.EHOSTUNREACH) {
		return vanished
	}
	return unconnected
}

// carry serves the frames of a rank until its connection ends or a frame violates the protocol, and
// returns the reason of the end. A rank sends blobs, told, why and at the end bye; after a blob
// nothing is read until the round has ended, so that a rank whose connection ends while it waits is
// noticed by its process, or by the write of the answer.
func (h *Hub) carry(rank int, l *line) (cause string) {
	r, w := bufio.NewReader(l.conn), bufio.NewWriter(l.conn)
	for {
		kind, length, err := ReadHeader(r)
		switch {
		case err != nil:
			return lostBy(err)
		case kind == frameBye && length == 0:
			return Closed
		case kind == frameWhy && length == 0:
			if h.why(w) != nil {
				return unconnected
			}
			continue
		case kind == frameTold && length <= MaxCause:
			words, err := ReadBody(r, kind, length, MaxCause)
			if err != nil {
				return unconnected
			}
			h.mu.Lock()
			l.told = string(words)
			h.mu.Unlock()
			continue
		case kind != frameBlob || length > MaxBlob:
			return fmt.Sprintf("it does not speak the launcher's protocol: %v", &FrameError{kind, length})
		}
		blob, err := ReadBody(r, kind, length, MaxBlob)
		if err == nil {
			h.setIdle(l, true)
			err = h.round(rank, blob, w)
			h.setIdle(l, false)
		}
		if err != nil {
			return lostBy(err)
		}
	}
}

// round answers one blob. An error comes from the socket.
func (h *Hub) round(rank int, blob []byte, w *bufio.Writer) error {
	blobs, err := h.Meeting.exchange(h.ctx, rank, blob)
	if err == nil {
		return WriteBlobs(w, blobs)
	}
	if lost := (*device.PeerError)(nil); errors.As(err, &lost) {
		return writeLost(w, lost.Rank, lost.Cause)
	}
	return io.ErrClosedPipe // the job is over
}

// why answers a rank that requests the reason for which it was asked to end.
func (h *Hub) why(w *bufio.Writer) error {
	if failed := h.Meeting.Failure(); failed != nil {
		return writeLost(w, failed.Rank, failed.Cause)
	}
	return writeLost(w, -1, "")
}

// End closes all connections and waits until nobody serves them. All ranks have ended: the meeting
// must not be used any more.
func (h *Hub) End() {
	h.stop()
	for _, l := range h.lines {
		l.conn.Close()
	}
	h.serving.Wait()
}
