package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// An address that cannot be connected to is given with the host that has tried and what to do;
// other errors, such as a missing file, stay as they are.
func TestUnreached(t *testing.T) {
	host, _ := os.Hostname()
	_, err := net.DialTimeout("tcp", "127.0.0.1:1", time.Second)
	if got := unreached(fmt.Errorf("searching: %w", err)); err == nil || !strings.Contains(got.Error(), "from "+host+": searching: dial tcp 127.0.0.1:1: connect: connection refused; if rank 0 runs, a firewall") {
		t.Errorf("refused: %v", got)
	}
	if other := errors.New("no file"); unreached(other) != other {
		t.Errorf("another error: %v", unreached(other))
	}
}

// silentNames is a resolver whose servers are silent.
var silentNames = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}}

// Names that no server resolves delay neither the search for rank 0 nor what it allows.
func TestSilentNames(t *testing.T) {
	port := freePort(t)
	points := []meetingPoint{pointOf(port, 0, 2, os.Stderr), pointOf(port, 1, 2, os.Stderr)}
	points[1].resolver = silentNames
	points[1].addresses = []string{"h1.invalid:99", "h2.invalid:99", points[1].addresses[0]}
	begin := time.Now()
	together(t, points)
	r := root{meetingPoint: meetingPoint{only: []string{"h1.invalid", "192.0.2.7", "h2.invalid"}, resolver: silentNames}}
	if !r.expected(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 7)}) {
		t.Error("a host of the job is refused")
	}
	if d := time.Since(begin); d > handshakeTimeout {
		t.Errorf("it took %v: a name was waited for", d)
	}
	points[1].addresses = nil
	if _, _, err := points[1].dialFirst(t.Context()); err == nil {
		t.Error("a search without addresses finds rank 0")
	}
}

// A rank whose connection is closed after rank 0 has proved itself connects again.
func TestDisplacedRankConnectsAgain(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for again := range 2 {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			answer, err := greetCaller(conn, testSecret, &caller{})
			if err == nil && again > 0 {
				answer("")
				continue
			}
			conn.Close()
		}
	}()
	link, err := pointOf(l.Addr().(*net.TCPAddr).Port, 1, 2, io.Discard).meet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	link.Close()
}
