package sockets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/launch"
	"gobench/sockets"
)

// over runs f on ranks that are goroutines, over each family with each kind of calls.
func over(t *testing.T, ranks int, f func(c *channel) error) {
	for _, family := range []string{familyFast, familyUnix, familyTCP} {
		for _, calls := range []string{callsAuto, callsBlock, callsPoll} {
			t.Run(family+" "+calls, func(t *testing.T) {
				opts, err := device.ParseOptions(driver{}.Options(), map[string]string{"family": family, "calls": calls})
				if err != nil {
					t.Fatal(err)
				}
				err = launch.Goroutines(t.Context(), ranks, func(ctx context.Context, job device.Job) error {
					c, err := driver{}.OpenSocket(ctx, job, opts)
					if err != nil {
						return err
					}
					defer c.Close()
					return f(c.(*channel))
				})
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

func pattern(from, to, i, size int) []byte {
	return bytes.Repeat([]byte{byte(from*61 + to*7 + i)}, size)
}

// All ranks send windows of messages to all others together, more than the sockets can hold, in the
// order that is worst: they wait for their sends first.
func TestWindowsInBothDirections(t *testing.T) {
	const window, size = 12, 200_000
	over(t, 3, func(c *channel) error {
		type answer struct {
			request device.Request
			buf     []byte
			from, i int
		}
		var answers []answer
		var sends []device.Request
		for i := range window {
			for other := range c.Size() {
				if other == c.Rank() {
					continue
				}
				r := answer{buf: make([]byte, size*(i%3)), from: other, i: i}
				var err error
				if r.request, err = c.Irecv(r.buf, other, 0, 0); err != nil {
					return err
				}
				answers = append(answers, r)
				s, err := c.Isend(pattern(c.Rank(), other, i, size*(i%3)), other, 0, 0)
				if err != nil {
					return err
				}
				sends = append(sends, s)
			}
		}
		for _, s := range sends {
			if _, err := c.Wait(s); err != nil {
				return err
			}
		}
		for _, r := range answers {
			st, err := c.Wait(r.request)
			if err != nil || st.Source != r.from || st.Size != len(r.buf) {
				return fmt.Errorf("status %+v, %w", st, err)
			}
			if !bytes.Equal(r.buf, pattern(r.from, c.Rank(), r.i, len(r.buf))) {
				return fmt.Errorf("message %d from %d has other bytes", r.i, r.from)
			}
			if _, err := c.Wait(r.request); !errors.Is(err, device.ErrRequest) {
				return fmt.Errorf("a request that was released: %w", err)
			}
		}
		return nil
	})
}

// A message of 0 bytes is one that is waited for, and Test does not wait.
func TestEmptyMessagesAndTest(t *testing.T) {
	over(t, 2, func(c *channel) error {
		if c.Rank() == 0 {
			if _, err := c.Recv(nil, 1, 0, 0); err != nil {
				return err
			}
			return c.Send([]byte("abc"), 1, 0, 0)
		}
		buf := make([]byte, 3)
		r, err := c.Irecv(buf, 0, 0, 0)
		if err != nil {
			return err
		}
		if _, done, err := c.Test(r); done || err != nil {
			return fmt.Errorf("a message that was not sent has arrived, %w", err)
		}
		if err := c.Send(nil, 0, 0, 0); err != nil {
			return err
		}
		for done := false; !done; {
			if _, done, err = c.Test(r); err != nil {
				return err
			}
		}
		if string(buf) != "abc" {
			return fmt.Errorf("received %q", buf)
		}
		return nil
	})
}

// Close gives up what a peer does not take, and does not write it into a file that has got the
// number of the descriptor.
func TestCloseGivesUp(t *testing.T) {
	defer func(d time.Duration) { flushBound = d }(flushBound)
	flushBound = 100 * time.Millisecond
	closed := make(chan bool, 1)
	over(t, 2, func(c *channel) error {
		if c.Rank() == 1 {
			<-closed
			return nil
		}
		defer func() { closed <- true }()
		for range 3 {
			if _, err := c.Isend(make([]byte, 8<<20), 1, 0, 0); err != nil {
				return err
			}
		}
		written := make(chan int, 1)
		go func() { written <- writtenTo(c.peers[1]) }()
		err := c.Close()
		if err == nil || !strings.Contains(err.Error(), "has not taken all messages") {
			t.Errorf("closing: %v", err)
		}
		if n := <-written; n > 0 {
			t.Errorf("%d bytes were written into a file that has the number of the descriptor", n)
		}
		return nil
	})
}

// writtenTo opens sockets until the writer of a peer has ended, and returns the number of bytes
// that were written to one with the number of the peer's descriptor.
func writtenTo(p *peer) (n int) {
	s, ok := p.stream.(*threadStream)
	for fd := 0; ok && fd >= 0 && fd < s.fd; { // takes the numbers below, so that this one is next
		fd, _ = unix.Dup(0)
		defer unix.Close(fd)
	}
	for ok {
		select {
		case <-p.written:
			return n
		default:
		}
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return n
		}
		for wait := slices.Contains(pair[:], s.fd); wait && n == 0; {
			for _, fd := range pair {
				k, _ := unix.Read(fd, make([]byte, 64))
				n += max(k, 0)
			}
			select {
			case <-p.written:
				wait = false
			default:
			}
		}
		unix.Close(pair[0])
		unix.Close(pair[1])
	}
	return n
}

// besieged is a job of which strangers connect to the port of rank 0 as soon as it is known, and
// say nothing.
type besieged struct {
	device.Job
	t    *testing.T
	once *sync.Once
}

func (b besieged) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	all, err := b.Job.Exchange(ctx, blob)
	if err == nil { // before any rank connects
		b.once.Do(func() {
			var first struct{ Value endpoint }
			json.Unmarshal(all[0], &first)
			for range 20 {
				c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", first.Value.Port))
				if err != nil {
					b.t.Error(err)
					return
				}
				b.t.Cleanup(func() { c.Close() })
			}
		})
	}
	return all, err
}

// Silent strangers at the port of a rank delay no other: one after the other they would take longer
// than ranks have to connect.
func TestStrangersDoNotDelay(t *testing.T) {
	for _, family := range []string{familyFast, familyTCP} {
		opts, err := device.ParseOptions(driver{}.Options(), map[string]string{"family": family})
		if err != nil {
			t.Fatal(err)
		}
		var once sync.Once
		err = launch.Goroutines(t.Context(), 3, func(ctx context.Context, job device.Job) error {
			c, err := driver{}.OpenSocket(ctx, besieged{job, t, &once}, opts)
			if err != nil {
				return err
			}
			return c.Close()
		})
		if err != nil {
			t.Errorf("family %s: %v", family, err)
		}
	}
}

// countedStream is a stream on which nothing arrives.
type countedStream struct {
	stream
	polled func()
}

func (s countedStream) Readable() bool {
	s.polled()
	return false
}

// A rank that waits for long until a message is written sleeps between its polls.
func TestWaitForWriterSleeps(t *testing.T) {
	const slept = 200
	r, polls, begin := &request{live: true}, 0, time.Time{}
	p := &peer{posted: []*request{{}}, stream: countedStream{polled: func() {
		switch polls++; polls {
		case spins + 2:
			begin = time.Now()
		case spins + 2 + slept:
			r.done.Store(true)
		}
	}}}
	c := &channel{peers: []*peer{nil, p}}
	if _, err := c.finish(r); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took < slept*50*time.Microsecond {
		t.Errorf("%d polls take %v", slept, took)
	}
}

// The end of a rank is an error of the others, which names it.
func TestRankEnds(t *testing.T) {
	over(t, 2, func(c *channel) error {
		if c.Rank() == 1 {
			return nil
		}
		_, err := c.Recv(make([]byte, 1), 1, 0, 0)
		if gone := (*device.PeerError)(nil); !errors.As(err, &gone) || gone.Rank != 1 || !strings.Contains(gone.Cause, "it has closed the connection, or") {
			return fmt.Errorf("receiving from a rank that has ended: %w", err)
		}
		for err = nil; err == nil; {
			err = c.Send(make([]byte, 100_000), 1, 0, 0)
		}
		if gone := (*device.PeerError)(nil); !errors.As(err, &gone) || gone.Rank != 1 {
			return fmt.Errorf("sending to a rank that has ended: %w", err)
		}
		return nil
	})
}

func TestArguments(t *testing.T) {
	over(t, 2, func(c *channel) error {
		for _, rank := range []int{-1, 2, c.Rank()} {
			var wrong *device.ArgumentError
			if err := c.Send(nil, rank, 0, 0); !errors.As(err, &wrong) {
				return fmt.Errorf("sending to rank %d: %w", rank, err)
			}
			if _, err := c.Recv(nil, rank, 0, 0); !errors.As(err, &wrong) {
				return fmt.Errorf("receiving from rank %d: %w", rank, err)
			}
		}
		if i := c.Info(); i.Ranks != "goroutine" || c.settings.family == familyFast && i.Path(8, device.Traffic{}) != "ring" || i.Warnings != nil {
			return fmt.Errorf("info %+v, path %s", i, i.Path(8, device.Traffic{}))
		}
		return nil
	})
}

// Both ends of a connection of family=fast to another host have the buffers of option buffer.
func TestBuffersBetweenHosts(t *testing.T) {
	const size = 96 << 10
	c := &channel{settings: settings{family: familyFast, buffer: size, options: sockets.Options{Buffer: size}}}
	l, err := listen(t.Context(), c.settings, true)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	e := endpoint{Port: l.Addr().(*net.TCPAddr).AddrPort().Port()}
	if e.Addresses, err = addresses(true); err != nil {
		t.Fatal(err)
	}
	c.hosts = []int{0, 1}
	ends := [2]net.Conn{}
	if ends[0], err = c.targets(e, endpoint{}, 1)[0].Dial(t.Context()); err == nil {
		defer ends[0].Close()
		ends[1], err = l.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer ends[1].Close()
	for i, end := range ends {
		raw, err := end.(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		raw.Control(func(fd uintptr) {
			for _, option := range []int{syscall.SO_SNDBUF, syscall.SO_RCVBUF} {
				n, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, option)
				if err != nil || n != 2*size { // the kernel doubles it
					t.Errorf("end %d: option %d is %d (%v), want %d", i, option, n, err, 2*size)
				}
			}
		})
	}
}

// The option of a channel that always copies is recorded as it was given, so that there is no
// warning of another value.
func TestNeverDirectIsZero(t *testing.T) {
	c := &channel{options: map[string]string{}, settings: settings{family: familyFast, options: sockets.Options{Direct: -1}}}
	if got := c.Info().Options["direct"]; got != "0" {
		t.Errorf("direct is %q, want 0", got)
	}
}

// At its only level the transport is opened by device.OpenAt, at others an error names that.
func TestLevels(t *testing.T) {
	if got := device.Levels(driver{}); len(got) != 1 || got[0] != device.LevelSocket {
		t.Errorf("levels %v", got)
	}
	var unavailable *device.UnavailableError
	if _, err := (driver{}).Open(t.Context(), nil, device.Options{}); !errors.As(err, &unavailable) {
		t.Errorf("level device: %v", err)
	}
}
