package contact

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// testContacts returns the Contacts of rank 0 of 3, which listens at the address.
func testContacts(t *testing.T, handshake time.Duration) (*Contacts, string) {
	t.Helper()
	set := testSettings(0, 3, 1)
	set.Hello = handshake
	l := listen(t)
	k := New(set, []net.Listener{l})
	t.Cleanup(k.Close)
	return k, l.Addr().String()
}

func testSettings(rank, size, connections int) Settings {
	return Settings{Rank: rank, Size: size, Connections: connections, Connects: func(a, b int) bool { return a != b }, Secret: *testSecret(),
		Hello: 10 * time.Second, Host: func(int) string { return "" }}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// at is an address as a Target.
type at string

func (a at) String() string { return string(a) }
func (a at) Dial(ctx context.Context) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "tcp", string(a))
}
func (at) Final(error) string { return "" }

// dialed connects rank 0 as a rank of 3 at addresses, and returns the connection.
func dialed(t *testing.T, rank int, addresses ...Target) (net.Conn, error) {
	t.Helper()
	set := testSettings(rank, 3, 1)
	set.Targets = func(int) ([]Target, error) { return addresses, nil }
	k := New(set, nil)
	t.Cleanup(k.Close)
	k.Call(0, 20*time.Second)
	<-k.Over(0)
	p := k.Take()[0]
	if p.Err != nil {
		return nil, p.Err
	}
	t.Cleanup(func() { p.Conns[0].Close() })
	return p.Conns[0], nil
}

func call(t *testing.T, address string, say []byte) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := c.Write(say); err != nil {
		t.Fatal(err)
	}
	return c
}

// dismissed waits until the other side has closed c.
func dismissed(c net.Conn) {
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	b := make([]byte, 100)
	for {
		if _, err := c.Read(b); err != nil {
			return
		}
	}
}

// TestStrangers has everybody call who should not, and sees each refused with
// its reason.
func TestStrangers(t *testing.T) {
	good := hello{version, 0, 1, 1, 0, nonce{}}
	with := func(change func(*hello)) []byte {
		h := good
		change(&h)
		return h.encode()
	}
	for _, c := range []struct {
		name string
		say  []byte
		hang bool // say it and stay silent
		want string
	}{
		{"garbage", []byte("GET / HTTP/1.0\r\n\r\n"), false, "does not speak"},
		{"long garbage", make([]byte, 100_000), false, "does not speak"},
		{"nothing", nil, true, "in time"},
		{"half a hello", good.encode()[:20], true, "in time"},
		{"other job", append(good.encode(), make([]byte, proofSize)...), false, "secret of another job"},
		{"hello without a proof", good.encode(), true, "in time"},
		{"other version", with(func(h *hello) { h.version = 9 }), false, "another version"},
		{"no such rank", with(func(h *hello) { h.from = 7 }), false, "rank that does not exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			handshake := 5 * time.Second
			if c.hang {
				handshake = 30 * time.Millisecond
			}
			k, address := testContacts(t, handshake)
			d := k.acceptor
			dismissed(call(t, address, c.say))
			d.close()
			if d.refused != 1 || !strings.Contains(d.last.Error(), c.want) {
				t.Errorf("refused %d, the last because %v; want %q", d.refused, d.last, c.want)
			}
			if list := k.Take(); list != nil {
				t.Errorf("%d ranks are connected", len(list))
			}
		})
	}
}

// TestStrangersDoNotDelay opens a job while more silent connections than may be pending hold the
// acceptor.
func TestStrangersDoNotDelay(t *testing.T) {
	k, address := testContacts(t, time.Minute)
	for range maxPending + 20 {
		call(t, address, nil)
	}
	for rank := 1; rank < 3; rank++ {
		if _, err := dialed(t, rank, at(address)); err != nil {
			t.Fatal(err)
		}
	}
	for rank := 1; rank < 3; rank++ {
		select {
		case <-k.Over(rank):
		case <-time.After(20 * time.Second):
			t.Fatalf("rank %d was let in, but is not connected", rank)
		}
	}
	start := time.Now()
	k.acceptor.close()
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("closing the acceptor took %v: it waited for strangers", took)
	}
}

// A rank that is connected already is not connected again, and its caller says so.
func TestSecondConnection(t *testing.T) {
	k, address := testContacts(t, 5*time.Second)
	if _, err := dialed(t, 2, at(address)); err != nil {
		t.Fatal(err)
	}
	h := hello{version, 0, 1, 2, 0, newNonce()}
	c := call(t, address, h.encode())
	b := make([]byte, welcomeSize)
	if _, err := io.ReadFull(c, b); err != nil {
		t.Fatal(err)
	}
	c.Write(testSecret().proof(byCaller, h.encode(), b))
	if _, err := io.ReadFull(c, b[:1]); err != nil || status(b[0]) != notExpected {
		t.Errorf("the second connection: %v, %v", status(b[0]), err)
	}
	k.acceptor.close()
	if cause := k.acceptor.cause(); !strings.Contains(cause, "exists already") {
		t.Errorf("the cause is %s", cause)
	}
}

// A caller waits for the decision of a listener that is late, because the listener may have
// decided.
func TestLateDecision(t *testing.T) {
	l := listen(t)
	defer l.Close()
	const hello = 100 * time.Millisecond
	accepted := make(chan net.Conn, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			h, err := readHello(c, time.Now().Add(10*time.Second))
			if err != nil {
				continue
			}
			c.Write(encodeWelcome(welcome, 0, h, testSecret()))
			if _, err := io.ReadFull(c, make([]byte, proofSize)); err == nil {
				time.Sleep(2 * hello) // as a rank that is off its core
				c.Write([]byte{byte(welcome)})
				accepted <- c
			}
		}
	}()
	set := testSettings(1, 2, 1)
	set.Hello = hello
	set.Targets = func(int) ([]Target, error) { return []Target{at(l.Addr().String())}, nil }
	k := New(set, nil)
	defer k.Close()
	k.Call(0, 20*time.Second)
	c := k.ended(t, 0)
	if c.err != nil {
		t.Fatal(c.err)
	}
	if a, b := (<-accepted).RemoteAddr().String(), c.conns[0].LocalAddr().String(); a != b {
		t.Errorf("the listener has accepted %s first, and the caller uses %s", a, b)
	}
}

// TestImpostor has a stranger listen where a rank should.
func TestImpostor(t *testing.T) {
	l := listen(t)
	defer l.Close()
	other := *testSecret()
	other[3]++
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			h, err := readHello(c, time.Now().Add(10*time.Second))
			if err == nil {
				c.Write(encodeWelcome(welcome, 0, h, &other))
			}
		}
	}()
	if _, err := dialed(t, 1, at(l.Addr().String())); err == nil || !strings.Contains(err.Error(), "does not know the secret") {
		t.Errorf("an impostor gives %v", err)
	}
}

// Another program, or another job, may listen at one of a rank's addresses as this host sees it.
// The rank is found at the others.
func TestStrangerAtOneAddress(t *testing.T) {
	_, address := testContacts(t, 5*time.Second)
	stranger := listen(t)
	defer stranger.Close()
	calls := make(chan struct{}, 100)
	go func() {
		for {
			c, err := stranger.Accept()
			if err != nil {
				return
			}
			calls <- struct{}{}
			io.ReadFull(c, make([]byte, helloSize)) // what is left unread would reset the connection
			c.Write(make([]byte, 1000))
			c.Close()
		}
	}()
	elsewhere := stranger.Addr().String()
	if _, err := dialed(t, 2, at(elsewhere), at(address)); err != nil {
		t.Fatalf("the rank is not found at its second address: %v", err)
	}
	if _, err := dialed(t, 2, at(elsewhere)); err == nil || !strings.Contains(err.Error(), elsewhere) {
		t.Errorf("a stranger at the only address: %v", err)
	}
	if n := len(calls); n != 2 {
		t.Errorf("the stranger was called %d times, want once by each", n)
	}
}
