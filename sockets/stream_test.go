package sockets

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func isAny(err error, list ...error) bool {
	for _, want := range list {
		if errors.Is(err, want) {
			return true
		}
	}
	return false
}

// scribble writes n random bytes in pieces of random sizes, few bytes as often as many.
func scribble(w io.Writer, n int, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 1))
	data := make([]byte, 1<<20)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	for n > 0 {
		k := min(n, 1+random.IntN(1<<random.IntN(21)))
		at := random.IntN(len(data) - k + 1)
		if _, err := w.Write(data[at : at+k]); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// Pieces of random sizes come out in order, in both directions concurrently, read in pieces of
// other sizes.
func TestRandomSizes(t *testing.T) {
	for name, o := range variants {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, Dialer{Options: o}, ListenConfig{Options: o})
			const bytes = 12 << 20
			results := make(chan error, 4)
			for i, direction := range [][2]net.Conn{{a, b}, {b, a}} {
				sent, got := sha256.New(), sha256.New()
				wrote := make(chan error, 1)
				go func() {
					err := scribble(io.MultiWriter(sent, direction[0]), bytes, uint64(i))
					results <- errors.Join(err, direction[0].(closer).CloseWrite())
					wrote <- err
				}()
				go func() {
					random := rand.New(rand.NewPCG(uint64(i), 2))
					buf := make([]byte, 1<<20)
					var err error
					for err == nil {
						var n int
						n, err = direction[1].Read(buf[:1+random.IntN(1<<random.IntN(21))])
						got.Write(buf[:n])
					}
					<-wrote
					switch {
					case err != io.EOF:
						results <- err
					case string(sent.Sum(nil)) != string(got.Sum(nil)):
						results <- errors.New("other bytes were read")
					default:
						results <- nil
					}
				}()
			}
			for range 4 {
				if err := <-results; err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestMillionSmallWrites(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	a, b := pair(t, Dialer{}, ListenConfig{})
	sent, got := sha256.New(), sha256.New()
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(got, b)
		done <- err
	}()
	var piece [8]byte
	for i := range n {
		piece[i%8]++
		if _, err := a.Write(piece[:]); err != nil {
			t.Fatal(err)
		}
		sent.Write(piece[:])
	}
	a.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if string(sent.Sum(nil)) != string(got.Sum(nil)) {
		t.Error("other bytes were read")
	}
}

// A write that fits the buffer does not wait for a reader, even if it is long enough to be offered.
func TestWriteNeedsNoReader(t *testing.T) {
	o := Options{Buffer: 64 << 10, Direct: 8 << 10}
	a, b := pair(t, Dialer{Options: o}, ListenConfig{Options: o})
	a.SetWriteDeadline(time.Now().Add(10 * time.Second))
	want := make([]byte, 64<<10)
	for i := range want {
		want[i] = byte(i * 7)
	}
	for at := 0; at < len(want); at += 16 << 10 {
		if n, err := a.Write(want[at:][:16<<10]); err != nil || n != 16<<10 {
			t.Fatalf("wrote %d bytes: %v", n, err)
		}
	}
	a.Close()
	got, err := io.ReadAll(b)
	if err != nil || string(got) != string(want) {
		t.Errorf("read %d bytes: %v", len(got), err)
	}
}

// A write whose rest fits half of the buffer ends, however much of it the reader takes before it
// goes away: the reader may write something long itself.
func TestReaderGoesAway(t *testing.T) {
	const size = DefaultBuffer
	for _, test := range []struct {
		name       string
		poll       time.Duration
		held, read int // bytes in the ring, and bytes that the reader takes
	}{
		{"after the ring", 0, size, size},
		{"after the ring", -1, size, size},
		{"in the offer", 0, size, size + 64<<10},
		{"in the offer", -1, size, size + 64<<10},
		{"in the offer", 0, 0, 64 << 10},
		{"immediately", time.Hour, 0, 0},
	} {
		t.Run(fmt.Sprintf("%s/%d/%v", test.name, test.held, test.poll), func(t *testing.T) {
			o := Options{Poll: test.poll}
			a, b := pair(t, Dialer{Options: o}, ListenConfig{Options: o})
			a.SetDeadline(time.Now().Add(10 * time.Second))
			b.SetDeadline(time.Now().Add(10 * time.Second))
			if _, err := a.Write(make([]byte, test.held)); err != nil {
				t.Fatal(err)
			}
			wrote := make(chan error, 1)
			go func() {
				_, err := a.Write(make([]byte, size/2))
				wrote <- err
			}()
			if c := b.(*Conn); test.held > 0 && a.(*Conn).reached() {
				for atomic.LoadUint64(&c.in.offer)&offerCode != offerMade {
					runtime.Gosched()
				}
			}
			if _, err := io.ReadFull(b, make([]byte, test.read)); err != nil {
				t.Fatal(err)
			}
			if err := <-wrote; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHalfClose(t *testing.T) {
	for name, d := range map[string]Dialer{"memory": {}, "unix": {first: overUnix}, "tcp": {first: overTCP}} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, d, ListenConfig{})
			if Channel(a) != name || Channel(b) != name {
				t.Fatalf("the connection is by %s and %s", Channel(a), Channel(b))
			}
			a.Write([]byte("question"))
			a.(closer).CloseWrite()
			if got, err := io.ReadAll(b); string(got) != "question" || err != nil {
				t.Errorf("read %q, %v", got, err)
			}
			if _, err := b.Write([]byte("answer")); err != nil {
				t.Error(err)
			}
			if _, err := a.Write([]byte("more")); !errors.Is(err, syscall.EPIPE) {
				t.Errorf("a write after CloseWrite: %v", err)
			}
			b.Close()
			if got, err := io.ReadAll(a); string(got) != "answer" || err != nil {
				t.Errorf("read %q, %v", got, err)
			}
		})
	}
}

// CloseWrite ends a Write that waits, CloseRead a Read.
func TestHalfCloseWakes(t *testing.T) {
	for name, o := range variants {
		a, _ := pair(t, Dialer{Options: o}, ListenConfig{Options: o})
		c := a.(*Conn)
		ended := make(chan error, 2)
		go func() {
			_, err := io.Copy(c, endless{})
			ended <- err
		}()
		go func() {
			n, err := c.Read(make([]byte, 1))
			if n != 0 || err != io.EOF {
				ended <- errors.Join(errors.New("no end"), err)
				return
			}
			ended <- syscall.EPIPE
		}()
		runtime.Gosched()
		c.CloseWrite()
		c.CloseRead()
		for range 2 {
			if err := <-ended; !errors.Is(err, syscall.EPIPE) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// A deadline that is set or moved while a call waits counts for it, and the connection is whole
// afterwards.
func TestDeadlineOfAWaitingCall(t *testing.T) {
	for name, o := range variants {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, Dialer{Options: o}, ListenConfig{Options: o})
			a.SetDeadline(time.Now().Add(time.Hour))
			ended := make(chan error, 2)
			wrote := 0
			data := make([]byte, 3<<20) // more than the ring has room for
			for i := range data {
				data[i] = byte(i * 31 >> 3)
			}
			go func() {
				_, err := a.Read(make([]byte, 1))
				ended <- err
			}()
			go func() {
				n, err := a.Write(data)
				wrote = n
				ended <- err
			}()
			runtime.Gosched()
			a.SetDeadline(time.Now())
			for range 2 {
				if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatal(err)
				}
			}
			a.SetDeadline(time.Time{})
			go func() {
				a.Write(data[wrote:])
				a.Close()
			}()
			if got, err := io.ReadAll(b); err != nil || string(got) != string(data) {
				t.Errorf("read %d bytes, equal: %v, %v", len(got), string(got) == string(data), err)
			}
		})
	}
}

// Close ends all calls of other goroutines, and those of the peer.
func TestCloseWakesAll(t *testing.T) {
	for name, o := range variants {
		a, b := pair(t, Dialer{Options: o}, ListenConfig{Options: o})
		ended := make(chan error, 4)
		read := func(c net.Conn) {
			_, err := c.Read(make([]byte, 1))
			ended <- err
		}
		write := func(c net.Conn) {
			_, err := io.Copy(struct{ io.Writer }{c}, endless{})
			ended <- err
		}
		go read(a)
		go write(a)
		go write(b)
		runtime.Gosched()
		a.Close()
		if err := a.Close(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: a second Close: %v", name, err)
		}
		for range 3 {
			if err := <-ended; err != nil && !isAny(err, net.ErrClosed, syscall.EPIPE) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := io.Copy(io.Discard, b); err != nil {
			t.Errorf("%s: the peer's end: %v", name, err)
		}
	}
}

func descriptors(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func mappings(t *testing.T) int {
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range b {
		if i+14 <= len(b) && string(b[i:i+14]) == "gobench-socket" {
			n++
		}
	}
	return n
}

// goroutinesLeft waits until no more than n goroutines are left, for 10 s at most: one that ends
// still counts for a moment after others see its work done. It returns how many are left.
func goroutinesLeft(n int) int {
	now := runtime.NumGoroutine()
	for end := time.Now().Add(10 * time.Second); now > n && time.Now().Before(end); now = runtime.NumGoroutine() {
		time.Sleep(time.Millisecond)
	}
	return now
}

// A thousand connections leave nothing behind.
func TestThousandConnections(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 100
	}
	l, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	files, goroutines := descriptors(t), runtime.NumGoroutine()
	var all []net.Conn
	for range n {
		a, err := Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		b, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if Channel(a) != "memory" {
			t.Fatalf("connection %d is by %s", len(all)/2, Channel(a))
		}
		all = append(all, a, b)
	}
	if now := goroutinesLeft(goroutines); now > goroutines {
		t.Errorf("%d goroutines serve idle connections", now-goroutines)
	}
	for i := 0; i < len(all); i += 2 {
		all[i].Write([]byte{byte(i)})
	}
	for i := 0; i < len(all); i += 2 {
		var b [1]byte
		if _, err := all[i+1].Read(b[:]); err != nil || b[0] != byte(i) {
			t.Fatalf("connection %d: read %v, %v", i/2, b, err)
		}
	}
	for _, c := range all {
		c.Close()
	}
	l.Close()
	if now := descriptors(t); now > files-2 {
		t.Errorf("%d descriptors before, %d afterwards, without those of the listener", files-2, now)
	}
	if n := mappings(t); n != 0 {
		t.Errorf("%d mappings are left", n)
	}
	if now := goroutinesLeft(goroutines - 2); now > goroutines-2 {
		t.Errorf("%d goroutines before, %d afterwards, without those of the listener", goroutines-2, now)
	}
}

// A deadline beyond the range of a duration never comes.
func TestDeadlineInTheFarFuture(t *testing.T) {
	a, b := pair(t, Dialer{}, ListenConfig{})
	for _, c := range []net.Conn{a, b} {
		c.SetDeadline(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))
	}
	if _, err := a.Write([]byte{7}); err != nil {
		t.Fatal(err)
	}
	var got [1]byte
	if _, err := b.Read(got[:]); err != nil || got[0] != 7 {
		t.Errorf("read %v, %v", got, err)
	}
}

// A Deadline that has passed holds inside the host as it does over TCP.
func TestDialerDeadline(t *testing.T) {
	l, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d := Dialer{Dialer: net.Dialer{Deadline: time.Now().Add(-time.Second)}}
	c, err := d.Dial("tcp", l.Addr().String())
	if timeout, ok := err.(net.Error); !ok || !timeout.Timeout() {
		t.Errorf("connected to %v, error %v, want a time-out", c, err)
	}
}
