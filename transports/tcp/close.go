package tcp

import (
	"fmt"
	"strings"
	"syscall"
	"time"
)

const (
	// flushBound bounds the time in which Close writes what was pushed.
	flushBound = 2 * time.Second
	// lingerBound bounds the time for which Close waits until the peers close as well. A socket
	// closed earlier would answer their last data with a reset, which may destroy data that they
	// have not read yet.
	lingerBound = time.Second
	// The shortest and the longest sleep while Close waits.
	closeSleep = 20 * time.Microsecond
	closeDoze  = 5 * time.Millisecond
)

// closePause sleeps for a tenth of the time that Close has waited, so that many ranks that close at
// the same time do not take the processor from each other.
func closePause(since time.Time) { doze(min(max(closeSleep, time.Since(since)/10), closeDoze)) }

// Close writes what is kept and the end of every stream, waits a bounded time
// for the ends of the peers' streams, and frees the sockets.
func (w *wire) Close() error {
	if w.later != nil {
		w.later.Close()
	}
	var late []string
	open := append([]*peer(nil), w.live...)
	for _, p := range open {
		p.in.in.fill = nil // its receive is lost with the device
	}
	for since := time.Now(); ; closePause(since) {
		over := time.Since(since) > flushBound // read before the check: this rank may have been stopped meanwhile
		left := 0
		for _, p := range open {
			if !p.sentEnd {
				w.sendEnd(p)
			}
			w.discard(p)
			if !p.sentEnd {
				left++
			}
		}
		if left == 0 || over {
			break
		}
	}
	for _, p := range open {
		if !p.sentEnd {
			late = append(late, fmt.Sprint(p.rank))
		}
		p.out.link.finish()
	}
	for since := time.Now(); ; closePause(since) {
		over := time.Since(since) > lingerBound
		left := 0
		for _, p := range open {
			if w.discard(p); !p.left {
				left++
			}
		}
		if left == 0 || over {
			break
		}
	}
	w.abandon()
	if late != nil {
		return fmt.Errorf("closing tcp: rank %s did not take the last data within %v", strings.Join(late, ", "), flushBound)
	}
	return nil
}

// sendEnd writes what is kept for p, and then the end frame.
func (w *wire) sendEnd(p *peer) {
	c := p.out
	if c.out.lost == "" && !c.out.idle() {
		c.flush()
	}
	if c.out.lost == "" && !c.out.idle() {
		return
	}
	if c.out.lost != "" {
		p.sentEnd = true
		return
	}
	if !p.saidEnd {
		p.saidEnd = c.send(frame{kind: frameEnd}, nil)
	}
	p.sentEnd = p.saidEnd && c.out.idle()
}

// discard reads and drops data from p, and detects the end of its stream.
func (w *wire) discard(p *peer) {
	for range 16 {
		if p.left {
			return
		}
		c := p.in
		c.in.r, c.in.w = 0, 0
		n, err := c.link.read(c.in.target(&w.regions))
		if n == 0 && err == nil {
			return
		}
		if err != nil {
			p.left = true
		}
	}
}

// abandon frees all sockets without waiting.
func (w *wire) abandon() {
	if w.later != nil {
		w.later.Close()
	}
	for _, p := range w.peers {
		if p != nil {
			p.close()
		}
	}
	if w.ready != nil {
		w.ready.close()
	}
}

// doze sleeps in the kernel, because the goroutine of a rank may be locked to its thread (see the
// waiting of package protocol).
func doze(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil)
}
