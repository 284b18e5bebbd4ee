package exchange

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"gobench/device"
)

// A Conn is a connection whose reads and writes have deadlines.
type Conn interface {
	io.ReadWriteCloser
	SetDeadline(time.Time) error
}

// Wakeable runs talk and interrupts its reads and writes on conn when ctx ends, possibly in the
// middle of a message.
func Wakeable(ctx context.Context, conn Conn, talk func() error) error {
	if ctx.Err() != nil {
		return errGivenUp(ctx)
	}
	// A deadline in the past wakes a blocked read or write.
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		conn.SetDeadline(time.Unix(1, 0))
		close(woken)
	})
	err := talk()
	if !stop() {
		<-woken
		conn.SetDeadline(time.Time{})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errGivenUp(ctx)
	}
	return err
}

// A SocketLink is a rank's end of the stream to its hub: the socket to launch.Local or to the agent
// of its host. It is in order until an exchange fails, which closes the socket (broken is the
// error), or until Close (broken is device.ErrClosed). Both are final.
type SocketLink struct {
	size   int
	conn   Conn
	r      *bufio.Reader
	w      *bufio.Writer
	Root   bool  // the hub is in the process of rank 0
	broken error // what every further exchange returns
}

// NewSocketLink returns the link of a rank of a job of size ranks to the hub at the other end of
// conn, which the link owns from then on. Its methods must not be called concurrently.
func NewSocketLink(conn Conn, size int) *SocketLink {
	return &SocketLink{size: size, conn: conn, r: bufio.NewReader(conn), w: bufio.NewWriter(conn)}
}

// Exchange implements Link.
func (l *SocketLink) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	if l.broken != nil {
		return nil, l.broken
	}
	var blobs [][]byte
	err := Wakeable(ctx, l.conn, func() (err error) {
		blobs, err = l.talk(blob)
		return err
	})
	if err != nil {
		return nil, l.fail(err)
	}
	return blobs, nil
}

// fail closes the link, because the stream may have stopped in the middle of a frame. The hub then
// informs the other ranks.
func (l *SocketLink) fail(err error) error {
	l.broken = err
	l.conn.Close()
	return err
}

// talk sends a blob and returns the answer of the hub. A deadline that ctx has set ends it in the
// middle of a frame; every other failed write may be the end of a hub that has sent its reason
// first.
func (l *SocketLink) talk(blob []byte) ([][]byte, error) {
	if err := writeBlob(l.w, frameBlob, blob); errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, err
	}
	// After any other error the hub may still have sent the reason why it closed the connection.
	kind, length, err := ReadHeader(l.r)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, err
	case err != nil && l.Root:
		return nil, &device.PeerError{Rank: 0, Cause: lostBy(err)}
	case err != nil:
		return nil, fmt.Errorf("the launcher of this job has ended: %w", NoEOF(err))
	case kind == FrameBlobs:
		return ReadBlobs(l.r, l.size, length)
	case kind == FrameLost:
		rank, cause, err := readLost(l.r, length)
		if err != nil {
			return nil, err
		}
		return nil, &device.PeerError{Rank: rank, Cause: cause}
	}
	return nil, &FrameError{kind, length}
}

// AnswerTimeout is the time-out for the launcher's answer to a rank that is asked to end.
const AnswerTimeout = time.Second

// Failure implements Link: it asks the hub, which answers within AnswerTimeout or is taken to know
// nothing. It is called by the rank between two exchanges, so that no other answer is under way.
func (l *SocketLink) Failure() *device.PeerError {
	if l.broken != nil {
		return nil
	}
	l.conn.SetDeadline(time.Now().Add(AnswerTimeout))
	defer l.conn.SetDeadline(time.Time{})
	if writeBlob(l.w, frameWhy, nil) != nil {
		return nil
	}
	kind, length, err := ReadHeader(l.r)
	if err != nil || kind != FrameLost {
		return nil
	}
	rank, cause, err := readLost(l.r, length)
	if err != nil || rank < 0 {
		return nil
	}
	return &device.PeerError{Rank: rank, Cause: cause}
}

// Tell implements Link. It waits for AnswerTimeout at most: a launcher that does not read must not
// keep a rank that fails.
func (l *SocketLink) Tell(words string) {
	if l.broken == nil {
		l.conn.SetDeadline(time.Now().Add(AnswerTimeout))
		writeBlob(l.w, frameTold, []byte(words[:min(len(words), MaxCause)]))
		l.conn.SetDeadline(time.Time{})
	}
}

// Close implements Link. A link that an exchange has broken is closed already, and without a bye:
// its end then counts as the end of the rank.
func (l *SocketLink) Close() error {
	if errors.Is(l.broken, device.ErrClosed) {
		return nil
	}
	healthy := l.broken == nil
	l.broken = fmt.Errorf("exchange after the end of the job: %w", device.ErrClosed)
	if !healthy {
		return nil // closed when it broke
	}
	err := writeBlob(l.w, frameBye, nil)
	return errors.Join(err, l.conn.Close())
}
