package tcp

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// testAcceptor is the acceptor of rank 0 of 3.
func testAcceptor(t *testing.T, handshake time.Duration) (*acceptor, settings, string) {
	t.Helper()
	set, err := parse(options(t), seat{&room{size: 3}, 0})
	if err != nil {
		t.Fatal(err)
	}
	set.hello, set.deadline = handshake, 10*time.Second
	listeners, err := set.listen(context.Background(), 0, &endpoint{Addresses: []address{{Candidate: loopback("4")[0]}}}, true)
	if err != nil {
		t.Fatal(err)
	}
	a := newAcceptor(newContacts(set, 0, 3, testSecret(), nil), listeners)
	t.Cleanup(func() {
		a.close()
		a.contacts.close()
	})
	return a, set, listeners[0].Addr().String()
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
			d, _, address := testAcceptor(t, handshake)
			dismissed(call(t, address, c.say))
			d.close()
			if d.refused != 1 || !strings.Contains(d.last.Error(), c.want) {
				t.Errorf("refused %d, the last because %v; want %q", d.refused, d.last, c.want)
			}
			if list := d.contacts.take(); list != nil {
				t.Errorf("%d ranks are connected", len(list))
			}
		})
	}
}

// TestStrangersDoNotDelay opens a job while more silent connections than may be pending hold the
// acceptor.
func TestStrangersDoNotDelay(t *testing.T) {
	d, set, address := testAcceptor(t, time.Minute)
	for range maxPending + 20 {
		call(t, address, nil)
	}
	s := testSecret()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for rank := 1; rank < 3; rank++ {
		c, err := set.dial(ctx, hello{version, 0, 1, rank, 0, nonce{}}, []target{{to: address}}, s)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	for rank := 1; rank < 3; rank++ {
		select {
		case <-d.contacts.of[rank].over:
		case <-ctx.Done():
			t.Fatalf("rank %d was let in, but is not connected", rank)
		}
	}
	start := time.Now()
	d.close()
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("closing the acceptor took %v: it waited for strangers", took)
	}
}

// TestSecondConnection presents the right secret twice: only the first counts.
func TestSecondConnection(t *testing.T) {
	d, set, address := testAcceptor(t, 5*time.Second)
	s := testSecret()
	ctx := context.Background()
	h := hello{version, 0, 1, 2, 0, nonce{}}
	c, err := set.dial(ctx, h, []target{{to: address}}, s)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = set.dial(ctx, h, []target{{to: address}}, s)
	if err == nil || !strings.Contains(err.Error(), "rank 0 is lost") || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("the second connection: %v", err)
	}
	d.close()
	if cause := d.cause(); !strings.Contains(cause, "did not connect") || !strings.Contains(cause, "exists already") {
		t.Errorf("the cause is %s", cause)
	}
}

// TestImpostor has a stranger listen where a rank should.
func TestImpostor(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, other := testSecret(), testSecret()
	other[3]++
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			h, err := readHello(c, time.Now().Add(10*time.Second))
			if err == nil {
				c.Write(encodeWelcome(welcome, 0, h, other))
			}
		}
	}()
	set, err := parse(options(t), seat{&room{size: 3}, 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = set.dial(context.Background(), hello{version, 0, 1, 1, 0, nonce{}}, []target{{to: l.Addr().String()}}, s)
	if err == nil || !strings.Contains(err.Error(), "does not know the secret") {
		t.Errorf("an impostor gives %v", err)
	}
}

// Another program, or another job, may listen at one of a rank's addresses as this host sees it.
// The rank is found at the others.
func TestStrangerAtOneAddress(t *testing.T) {
	_, set, address := testAcceptor(t, 5*time.Second)
	stranger, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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
	s := testSecret()
	elsewhere := stranger.Addr().String()
	h := hello{version, 0, 1, 2, 0, nonce{}}
	c, err := set.dial(context.Background(), h, []target{{to: elsewhere}, {to: address}}, s)
	if err != nil {
		t.Fatalf("the rank is not found at its second address: %v", err)
	}
	c.Close()
	_, err = set.dial(context.Background(), h, []target{{to: elsewhere}}, s)
	if err == nil || !strings.Contains(err.Error(), elsewhere) {
		t.Errorf("a stranger at the only address: %v", err)
	}
	if n := len(calls); n != 2 {
		t.Errorf("the stranger was called %d times, want once by each", n)
	}
}
