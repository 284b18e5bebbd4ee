package launch

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

// A stream is a connection whose reads and writes have deadlines.
type stream interface {
	io.ReadWriteCloser
	SetDeadline(time.Time) error
}

// wakeable runs talk and interrupts its reads and writes on conn when ctx ends, possibly in the
// middle of a message.
func wakeable(ctx context.Context, conn stream, talk func() error) error {
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

// socketLink is a rank's end of the stream to its hub: the socket to Local or to the agent of
// its host.
type socketLink struct {
	size   int
	conn   stream
	r      *bufio.Reader
	w      *bufio.Writer
	root   bool  // the hub is in the process of rank 0
	broken error // what every further exchange returns
}

func newSocketLink(conn stream, size int) *socketLink {
	return &socketLink{size: size, conn: conn, r: bufio.NewReader(conn), w: bufio.NewWriter(conn)}
}

func (l *socketLink) exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	if l.broken != nil {
		return nil, l.broken
	}
	var blobs [][]byte
	err := wakeable(ctx, l.conn, func() (err error) {
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
func (l *socketLink) fail(err error) error {
	l.broken = err
	l.conn.Close()
	return err
}

func (l *socketLink) talk(blob []byte) ([][]byte, error) {
	if err := writeBlob(l.w, frameBlob, blob); errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, err
	}
	// After any other error the hub may still have sent the reason why it closed the connection.
	kind, length, err := readHeader(l.r)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, err
	case err != nil && l.root:
		return nil, &device.PeerError{Rank: 0, Cause: lostBy(err)}
	case err != nil:
		return nil, fmt.Errorf("the launcher of this job has ended: %w", noEOF(err))
	case kind == frameBlobs:
		return readBlobs(l.r, l.size, length)
	case kind == frameLost:
		rank, cause, err := readLost(l.r, length)
		if err != nil {
			return nil, err
		}
		return nil, &device.PeerError{Rank: rank, Cause: cause}
	}
	return nil, &frameError{kind, length}
}

// whyPatience is the time-out for the launcher's answer to a rank that is asked to end.
const whyPatience = time.Second

func (l *socketLink) failure() *device.PeerError {
	if l.broken != nil {
		return nil
	}
	l.conn.SetDeadline(time.Now().Add(whyPatience))
	defer l.conn.SetDeadline(time.Time{})
	if writeBlob(l.w, frameWhy, nil) != nil {
		return nil
	}
	kind, length, err := readHeader(l.r)
	if err != nil || kind != frameLost {
		return nil
	}
	rank, cause, err := readLost(l.r, length)
	if err != nil || rank < 0 {
		return nil
	}
	return &device.PeerError{Rank: rank, Cause: cause}
}

func (l *socketLink) tell(words string) {
	if l.broken == nil {
		l.conn.SetDeadline(time.Now().Add(whyPatience))
		writeBlob(l.w, frameTold, []byte(words[:min(len(words), maxCause)]))
		l.conn.SetDeadline(time.Time{})
	}
}

func (l *socketLink) close() error {
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
