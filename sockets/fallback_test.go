package sockets

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Every combination of what the two sides can do ends in a connection that works.
func TestFallback(t *testing.T) {
	names := []string{"memory", "unix", "tcp"}
	for dialer := overMemory; dialer <= overTCP; dialer++ {
		for listener := overMemory; listener <= overTCP; listener++ {
			want := names[max(dialer, listener)]
			t.Run(names[dialer]+" to "+names[listener], func(t *testing.T) {
				a, b := pair(t, Dialer{first: dialer}, ListenConfig{first: listener})
				if Channel(a) != want || Channel(b) != want {
					t.Fatalf("the connection is by %s and %s, not %s", Channel(a), Channel(b), want)
				}
				if a.LocalAddr().String() != b.RemoteAddr().String() || a.RemoteAddr().String() != b.LocalAddr().String() {
					t.Errorf("the ends are %v and %v, %v and %v", a.LocalAddr(), a.RemoteAddr(), b.LocalAddr(), b.RemoteAddr())
				}
				exchange(t, a, b)
				exchange(t, b, a)
			})
		}
	}
}

// exchange sends something long from a to b.
func exchange(t *testing.T, a, b net.Conn) {
	t.Helper()
	want := bytes.Repeat([]byte("0123456789"), 100_000)
	wrote := make(chan error, 1)
	go func() {
		_, err := a.Write(want)
		wrote <- err
	}()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(b, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("read other bytes, %v", err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
}

func TestPlainSockets(t *testing.T) {
	for name, f := range map[string]func() (net.Listener, func(string, string) (net.Conn, error), error){
		"dials": func() (net.Listener, func(string, string) (net.Conn, error), error) {
			l, err := Listen("tcp", "127.0.0.1:0")
			return l, net.Dial, err
		},
		"listens": func() (net.Listener, func(string, string) (net.Conn, error), error) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			return l, Dial, err
		},
	} {
		l, dial, err := f()
		if err != nil {
			t.Fatal(err)
		}
		a, err := dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		b, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := a.(*net.TCPConn); !ok || Channel(b) != "tcp" {
			t.Errorf("where a plain socket %s, the connection is a %T and a %T", name, a, b)
		}
		exchange(t, a, b)
		a.Close()
		b.Close()
		l.Close()
	}
}

// A listener on all addresses is reached by each address of this host, of its IP version.
func TestAddresses(t *testing.T) {
	for _, test := range []struct {
		network, listen, dial, host, want string
	}{
		{"tcp", ":0", "tcp", "127.0.0.1", "memory"},
		{"tcp", ":0", "tcp", "localhost", "memory"},
		{"tcp", ":0", "tcp4", "127.0.0.2", "memory"},
		{"tcp4", "0.0.0.0:0", "tcp", "127.0.0.1", "memory"},
		{"tcp", "127.0.0.1:0", "tcp", "127.0.0.1", "memory"},
		{"tcp", "[::]:0", "tcp", "[::1]", "memory"},
		{"tcp6", "[::]:0", "tcp6", "[::1]", "memory"},
		{"tcp6", "[::]:0", "tcp", "127.0.0.1", "none"},
		{"tcp", "127.0.0.1:0", "tcp", "127.0.0.2", "none"},
	} {
		l, err := Listen(test.network, test.listen)
		if err != nil {
			t.Logf("%s %s: %v", test.network, test.listen, err) // no IPv6 here
			continue
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		c, err := Dial(test.dial, test.host+":"+port)
		got := "none"
		if err == nil {
			got = Channel(c)
			c.Close()
		}
		if got != test.want {
			t.Errorf("from %s to %s on %s %s: %s, want %s (%v)", test.dial, test.host, test.network, test.listen, got, test.want, err)
		}
		l.Close()
	}
}

// Who takes the name of a listener gets no connection, whatever it answers.
func TestSquatter(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	for _, answer := range [][]byte{nil, []byte("220 ready\r\n"), bytes.Repeat([]byte{0}, welcomeSize),
		welcome{status: welcomeMemory}.encode()[:20], welcome{status: refused}.encode()} {
		l, err := net.Listen("unix", namePrefix+tcp.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		var visits atomic.Int32
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				visits.Add(1)
				c.Write(answer)
				c.Close()
			}
		}()
		c, err := Dial("tcp", tcp.Addr().String())
		if err != nil || Channel(c) != "tcp" || visits.Load() != 1 {
			t.Errorf("answer %q, %d visits: %v", answer, visits.Load(), err)
		} else {
			c.Close()
		}
		l.Close()
	}
}

// A caller who says nothing does not hold up others.
func TestSilentCaller(t *testing.T) {
	l, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	silent, err := net.Dial("unix", namePrefix+l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c, err := Dial("tcp", l.Addr().String())
	if err != nil || Channel(c) != "memory" {
		t.Fatal(err)
	}
	c.Close()
}

// Without Accept, connections beyond the backlog use TCP.
func TestBacklog(t *testing.T) {
	l, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	count := map[string]int{}
	for range backlog + 2 {
		c, err := Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		count[Channel(c)]++
	}
	if count["memory"] != backlog || count["tcp"] != 2 {
		t.Errorf("connections by channel: %v", count)
	}
}

// A context ends dialing.
func TestDialIsCancelled(t *testing.T) {
	l, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c, err := new(Dialer).DialContext(ctx, "tcp", l.Addr().String()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", c, err)
	}
	// Neither does the handshake wait for a peer that is silent.
	here, silent := ends(t)
	defer silent.Close()
	begin := time.Now()
	shake(ctx, here, func(c *net.UnixConn) (net.Conn, error) {
		time.Sleep(10 * time.Millisecond) // the end of the context comes first
		return greet(c, Options{}.settings(), netip.AddrPort{}, overTCP)
	})
	if took := time.Since(begin); took > handshakeTimeout/2 {
		t.Errorf("a handshake ended %v after its context", took)
	}
}

// If the kernel stops to let the peer's memory be read, the rest of a write goes through the ring.
func TestReachIsLost(t *testing.T) {
	o := Options{Direct: 64 << 10}
	a, b := pair(t, Dialer{Options: o}, ListenConfig{Options: o})
	c, d := a.(*Conn), b.(*Conn)
	if !c.reached() {
		t.Skip("SKIPPED: the kernel does not let this process read its own memory by process_vm_readv")
	}
	exchange(t, a, b)
	d.reading.mu.Lock()
	d.pid = 1 << 30 // no process has it
	d.reading.mu.Unlock()
	// One write of tryEvery is offered for certain, and a reader that comes late to it does not
	// try.
	for i := 0; c.reached() && i < 50*tryEvery; i++ {
		exchange(t, a, b)
	}
	if c.reached() {
		t.Error("the writer has not learnt that its memory cannot be read")
	}
	exchange(t, b, a)
}

// A peer that is stopped in the middle of a copy cannot hold a deadline up for long.
func TestReaderStopsInACopy(t *testing.T) {
	o := Options{Buffer: minBuffer, Direct: 64 << 10}
	a, b := pair(t, Dialer{Options: o}, ListenConfig{Options: o})
	c, d := a.(*Conn), b.(*Conn)
	if !c.reached() {
		t.Skip("SKIPPED: the kernel does not let this process read its own memory by process_vm_readv")
	}
	c.copyTimeout = time.Millisecond
	a.Write(make([]byte, minBuffer)) // the ring is full, so that the offer stays
	wrote := make(chan error, 1)
	go func() {
		_, err := a.Write(make([]byte, 1<<20))
		wrote <- err
	}()
	// The reader takes the offer and does nothing.
	for !atomic.CompareAndSwapUint64(&d.in.offer, offerNext|offerMade, offerNext|offerTaken) {
		runtime.Gosched()
	}
	a.SetWriteDeadline(time.Now())
	if err := <-wrote; !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the write ended with %v", err)
	}
	if _, err := a.Write([]byte{1}); err == nil {
		t.Error("a broken connection can be written to")
	}
}

// Memory that could shrink, or has another size, is refused.
func TestHostileMemory(t *testing.T) {
	unsealed, err := unix.MemfdCreate("hostile", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(unsealed)
	unix.Ftruncate(unsealed, int64(segmentSize(minBuffer)))
	if _, err := openSegment(unsealed, minBuffer); err == nil {
		t.Error("memory that can shrink was accepted")
	}
	fd, mem, err := createSegment(minBuffer)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	defer unix.Munmap(mem)
	if err := unix.Ftruncate(fd, 0); err == nil {
		t.Error("memory of a connection can be cut")
	}
	if _, err := openSegment(fd, 2*minBuffer); err == nil {
		t.Error("memory of another size was accepted")
	}
}

// A reader that saw an empty ring, and then an offer, must first look again for what was written
// before the offer.
func TestOfferFollowsTheRing(t *testing.T) {
	o := Options{Buffer: minBuffer, Direct: 1 << 10}
	dialed, accepted, stop, err := pipe(Dialer{Options: o}, ListenConfig{Options: o})
	if err != nil {
		t.Fatal(err)
	}
	w, r := dialed.(*Conn), accepted.(*Conn)
	if _, err := w.Write(bytes.Repeat([]byte{1}, minBuffer)); err != nil { // the offer stands while the ring is full
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		w.writing.mu.Lock()
		defer w.writing.mu.Unlock()
		w.offer(make([]byte, 1<<12)) // ends when the test closes the connection
	})
	defer wg.Wait()
	defer stop()
	for atomic.LoadUint64(&r.in.offer)&offerCode != offerMade {
		runtime.Gosched()
	}
	got := make([]byte, 1<<12)
	if n, err := r.accept(got); n != 0 || err != nil {
		t.Fatalf("%d bytes of the offer come before the ring, error %v", n, err)
	}
	if n, err := r.Read(got[:1]); n != 1 || got[0] != 1 || err != nil {
		t.Errorf("read %d bytes, error %v, want a byte of the ring", n, err)
	}
}
