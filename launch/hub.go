package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"gobench/device"
)

// hub is the launcher's side of Exchange: one goroutine per rank carries frames
// between the rank's socket and the meeting.
type hub struct {
	meeting *meeting
	stops   *Stops
	ctx     context.Context
	stop    context.CancelFunc
	serving sync.WaitGroup
}

func newHub(n int, stops *Stops) *hub {
	h := &hub{meeting: newMeeting(n), stops: stops}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

// exitNotice is how long after the end of a rank's connection the news of its
// exit is waited for before the others are told. A rank that fails often closes
// its end first; if the others heard of that at once, they could fail before it,
// and it would be them whose exit code counts.
const exitNotice = 2 * time.Second

func (h *hub) serve(p *process) {
	h.serving.Go(func() {
		cause := h.carry(p)
		if cause == unconnected || cause == closed {
			h.stops.wait(h.ctx.Done(), exitNotice)
		}
		h.meeting.leave(p.rank, cause)
	})
}

const (
	closed      = "it has left the job"
	unconnected = "it has closed its connection to the launcher"
)

// carry returns why the rank exchanges no more.
func (h *hub) carry(p *process) (cause string) {
	r, w := bufio.NewReader(p.conn), bufio.NewWriter(p.conn)
	for {
		kind, length, err := readHeader(r)
		switch {
		case err != nil:
			return unconnected
		case kind == frameBye && length == 0:
			return closed
		case kind == frameWhy && length == 0:
			if h.why(w) != nil {
				return unconnected
			}
			continue
		case kind != frameBlob || length > MaxBlob:
			return fmt.Sprintf("it does not speak the launcher's protocol: %v", &frameError{kind, length})
		}
		blob, err := readBody(r, kind, length, MaxBlob)
		if err == nil {
			err = h.round(p.rank, blob, w)
		}
		if err != nil {
			return unconnected
		}
	}
}

// round answers one blob. An error is that of the socket.
func (h *hub) round(rank int, blob []byte, w *bufio.Writer) error {
	blobs, err := h.meeting.exchange(h.ctx, rank, blob)
	if err == nil {
		return writeBlobs(w, blobs)
	}
	if lost := (*device.PeerError)(nil); errors.As(err, &lost) {
		return writeLost(w, lost.Rank, lost.Cause)
	}
	return io.ErrClosedPipe // the job is over
}

// why answers a rank that asks why it is to end.
func (h *hub) why(w *bufio.Writer) error {
	if failed := h.meeting.failure(); failed != nil {
		return writeLost(w, failed.Rank, failed.Cause)
	}
	return writeLost(w, -1, "")
}

// end is called when no rank lives any more.
func (h *hub) end(processes []*process) {
	h.stop()
	for _, p := range processes {
		p.conn.Close()
	}
	h.serving.Wait()
}
