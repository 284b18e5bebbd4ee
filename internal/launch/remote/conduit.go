package remote

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"gobench/internal/launch/exchange"
)

// A Stream connects the process that starts a job with the agent of one host: a pair of pipes to
// ssh, or an authenticated network connection. Close interrupts pending reads and writes.
type Stream interface {
	io.Reader
	io.Writer
	io.Closer
}

// conduit carries frames over a Stream. One goroutine receives; any may send. It is open until fail
// is called: by the writer or the receiver after an error, by the watch if the other side is
// silent, or by close. Then err is set, ended is closed and the stream is closed, for good.
type conduit struct {
	stream Stream
	r      *bufio.Reader

	reading       atomic.Bool  // a read is under way
	silent        atomic.Int32 // beats since the last read that returned data
	paused        atomic.Bool  // the other side may be silent
	timeoutFactor atomic.Int32 // of the time-out; 0 means 1

	mu      sync.Mutex
	changed *sync.Cond
	queue   [][]byte // frames to be written
	queued  int      // their bytes
	writing bool     // frames that were in the queue are being written
	err     error    // of writing, or why it was closed
	ended   chan struct{}
	writer  sync.WaitGroup
}

const (
	// beat is the interval of the heartbeats of each side.
	beat = time.Second
	// roomy is the number of queued bytes up to which more output is accepted.
	roomy = 256 << 10
)

var (
	errSilent = errors.New("it does not answer any more")
	errEnded  = errors.New("the stream was closed")
)

// newConduit sends over s, and reads from r, which buffers s. The other side is lost after beats
// heartbeat intervals without data. Intervals are counted rather than time, because a process that
// was stopped could not receive.
func newConduit(s Stream, r *bufio.Reader, beats int32) *conduit {
	c := &conduit{stream: s, r: r, ended: make(chan struct{})}
	c.changed = sync.NewCond(&c.mu)
	c.writer.Go(c.write)
	c.writer.Go(func() { c.watch(beats) })
	return c
}

// stalled reports whether this process does not read the stream now, so that its silence means
// nothing. A tunnel is read by the conduit of the agent before it.
func (c *conduit) stalled() bool {
	if !c.reading.Load() || c.paused.Load() {
		return true
	}
	t, behind := c.stream.(*tunnel)
	return behind && t.set.c.stalled()
}

func (c *conduit) watch(beats int32) {
	ticks := time.NewTicker(beat)
	defer ticks.Stop()
	for {
		select {
		case <-c.ended:
			return
		case <-ticks.C:
		}
		c.send(exchange.FrameBeat, nil)
		if c.stalled() {
			c.silent.Store(0)
		} else if c.silent.Add(1) > beats*max(1, c.timeoutFactor.Load()) {
			c.fail(errSilent)
			return
		}
	}
}

func (c *conduit) write() {
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && c.err == nil {
			c.changed.Wait()
		}
		if len(c.queue) == 0 {
			c.mu.Unlock()
			return
		}
		list := c.queue
		c.queue, c.queued, c.writing = nil, 0, true
		c.changed.Broadcast()
		c.mu.Unlock()
		for _, b := range list {
			if _, err := c.stream.Write(b); err != nil {
				c.fail(err)
				return
			}
		}
		c.mu.Lock()
		c.writing = false
		c.changed.Broadcast()
		c.mu.Unlock()
	}
}

// fail ends the conduit. Queued frames are dropped, except those that are being written.
func (c *conduit) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
		close(c.ended)
		c.stream.Close()
		c.changed.Broadcast()
	}
}

// close ends the conduit and returns when only the receiver still uses it.
func (c *conduit) close() {
	c.fail(errEnded)
	c.writer.Wait()
}

// send queues a frame. It does not block.
func (c *conduit) send(kind exchange.FrameKind, body []byte) {
	b := make([]byte, 0, exchange.FrameHeader+len(body))
	b = binary.LittleEndian.AppendUint32(b, uint32(kind))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	b = append(b, body...)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.queue = append(c.queue, b)
	c.queued += len(b)
	c.changed.Broadcast()
}

// sendJSON queues a frame with v in JSON.
func (c *conduit) sendJSON(kind exchange.FrameKind, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers and text can always be encoded
	}
	c.send(kind, b)
}

// sendBlobs queues a frame with one blob of each rank.
func (c *conduit) sendBlobs(blobs [][]byte) {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	exchange.WriteBlobs(w, blobs)
	c.send(exchange.FrameBlobs, b.Bytes()[exchange.FrameHeader:])
}

// sendLost queues a frame that names a rank.
func (c *conduit) sendLost(kind exchange.FrameKind, rank int, cause string) {
	cause = cause[:min(len(cause), exchange.MaxCause)]
	c.send(kind, append(binary.LittleEndian.AppendUint32(nil, uint32(int32(rank))), cause...))
}

// room waits until output may be queued. The error comes from the conduit.
func (c *conduit) room() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.queued > roomy && c.err == nil {
		c.changed.Wait()
	}
	return c.err
}

// flush waits until the queue has been written, for at most d.
func (c *conduit) flush(d time.Duration) {
	late := false
	timer := time.AfterFunc(d, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		late = true
		c.changed.Broadcast()
	})
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for (c.writing || len(c.queue) > 0) && c.err == nil && !late {
		c.changed.Wait()
	}
}

// receive returns the header of the next frame that is not a beat.
func (c *conduit) receive() (exchange.FrameKind, int, error) {
	for {
		kind, length, err := exchange.ReadHeader(c)
		if err != nil {
			return 0, 0, c.reason(err)
		}
		if kind != exchange.FrameBeat {
			return kind, length, nil
		}
		if _, err := io.CopyN(io.Discard, c, int64(length)); err != nil {
			return 0, 0, c.reason(err)
		}
	}
}

// reason returns the error with which the conduit ended: err of reading, unless another came first.
func (c *conduit) reason(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil && c.err != errEnded {
		return c.err
	}
	return err
}

// Read implements io.Reader for the receiver.
func (c *conduit) Read(b []byte) (int, error) {
	c.silent.Store(0)
	c.reading.Store(true)
	n, err := c.r.Read(b)
	c.reading.Store(false)
	return n, err
}
