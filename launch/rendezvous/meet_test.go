package rendezvous

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gobench/device"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/exchange"
	"gobench/internal/launch/signals"
	"gobench/internal/pending"
)

// meetWatchdog turns a hang into a failure.
const meetWatchdog = 5 * time.Minute

const testSecret = "a secret of some length"

// freePort returns one that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// pointOf returns the way of a rank to rank 0 at a port of this host.
func pointOf(port, rank, size int, warnings io.Writer) meetingPoint {
	return meetingPoint{Identity: detect.Identity{Rank: rank, Size: size, Job: "test"}, secret: testSecret, port: port,
		addresses: []string{fmt.Sprintf("127.0.0.1:%d", port)}, warnings: warnings}
}

// together lets ranks meet, and exchange their numbers.
func together(t *testing.T, points []meetingPoint) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), meetWatchdog)
	defer cancel()
	var ranks sync.WaitGroup
	for _, w := range points {
		ranks.Go(func() {
			l, err := w.meet(ctx)
			if err != nil {
				t.Errorf("rank %d: %v", w.Rank, err)
				return
			}
			for range 3 {
				blobs, err := l.Exchange(ctx, []byte{byte(w.Rank)})
				if err != nil || len(blobs) != w.Size {
					t.Errorf("rank %d: %v, %v", w.Rank, blobs, err)
					return
				}
				for rank, blob := range blobs {
					if !bytes.Equal(blob, []byte{byte(rank)}) {
						t.Errorf("rank %d: %v from rank %d", w.Rank, blob, rank)
					}
				}
			}
			if err := l.Close(); err != nil {
				t.Errorf("rank %d: %v", w.Rank, err)
			}
		})
	}
	ranks.Wait()
}

// A proof that somebody has recorded is worth nothing in another connection.
func TestProofsAreOfOneConnection(t *testing.T) {
	for _, c := range []struct {
		name     string
		receiver prover
		label    string
		valid    bool
	}{
		{"the same connection", prover{"secret", []byte("nonces")}, "rank", true},
		{"another connection", prover{"secret", []byte("others")}, "rank", false},
		{"another secret", prover{"Secret", []byte("nonces")}, "rank", false},
		{"the other side", prover{"secret", []byte("nonces")}, "root", false},
	} {
		var wire bytes.Buffer
		if err := (prover{"secret", []byte("nonces")}).send(&wire, "rank", []byte("who")); err != nil {
			t.Fatal(err)
		}
		if text, err := c.receiver.receive(&wire, c.label); (err == nil) != c.valid || c.valid && string(text) != "who" {
			t.Errorf("%s: %q, %v", c.name, text, err)
		}
	}
}

func TestRanksMeetByAddress(t *testing.T) {
	port := freePort(t)
	var points []meetingPoint
	for rank := range 4 {
		points = append(points, pointOf(port, rank, 4, os.Stderr))
	}
	together(t, points)
}

func TestRanksMeetByFile(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "made", "by", "rank 0")
	var points []meetingPoint
	for rank := range 3 {
		points = append(points, meetingPoint{Identity: detect.Identity{Rank: rank, Size: 3, Job: "test"}, directory: directory, warnings: os.Stderr})
	}
	// What an earlier job of the same name has left.
	dead := points[0]
	if _, err := dead.publish(notice{[]string{"127.0.0.1:1"}, "another secret"}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dead.file()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the secret: %v, %v", info, err)
	}
	together(t, points)
	if left, _ := os.ReadDir(directory); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// Wrong addresses before the right one, silent ones and those with wrong words behind them, cost
// nothing.
func TestWrongAddressesAreLeftAlone(t *testing.T) {
	silent, chatty := stranger(t, ""), stranger(t, "SSH-2.0-OpenSSH_9.2p1 Debian-2 and more to come, so that a whole answer is there and more\r\n")
	other := stranger(t, meetMagic+strings.Repeat("x", nonceSize+macSize))
	port := freePort(t)
	points := []meetingPoint{pointOf(port, 0, 2, os.Stderr), pointOf(port, 1, 2, os.Stderr)}
	points[1].addresses = []string{silent, chatty, other, "127.0.0.1:1", "no-such-host.invalid:99", points[1].addresses[0]}
	begin := time.Now()
	together(t, points)
	if d := time.Since(begin); d > handshakeTimeout {
		t.Errorf("it took %v: a stranger was waited for", d)
	}
}

// stranger listens, says its words to everybody, and holds the connection.
func stranger(t *testing.T, words string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			io.WriteString(conn, words)
		}
	}()
	return l.Addr().String()
}

// Strangers that hold connections to rank 0 open, more than it bears, keep nobody out.
func TestStrangersBlockNobody(t *testing.T) {
	port := freePort(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		together(t, []meetingPoint{pointOf(port, 0, 2, io.Discard)})
	}()
	address := fmt.Sprintf("127.0.0.1:%d", port)
	var held []net.Conn
	defer func() {
		for _, conn := range held {
			conn.Close()
		}
	}()
	for len(held) < strangers+50 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			time.Sleep(time.Millisecond) // rank 0 does not listen yet
			continue
		}
		held = append(held, conn)
		switch len(held) % 3 {
		case 0: // says nothing
		case 1:
			io.WriteString(conn, "GET / HTTP/1.1\r\n\r\n")
		case 2:
			io.WriteString(conn, meetMagic+strings.Repeat("n", nonceSize))
		}
	}
	together(t, []meetingPoint{pointOf(port, 1, 2, os.Stderr)})
	<-done
}

// A rank whose connection was displaced, and so closed, after it had proved itself has not come.
func TestDisplacedRankIsMissing(t *testing.T) {
	conn, _ := net.Pipe()
	r := &root{meetingPoint: meetingPoint{Identity: detect.Identity{Size: 2, Job: "job"}}, hub: exchange.NewHub(exchange.NewMeeting(exchange.AllRanks(2), nil), &signals.Stops{}), full: make(chan struct{}),
		absent: map[int]bool{1: true}, from: map[int]string{}, pending: pending.List{Max: 1}}
	r.pending.Add(conn)
	other, _ := net.Pipe()
	r.pending.Add(other)
	c := &caller{Job: "job", Rank: 1, Size: 2}
	if refusal, split := r.register(c, conn); refusal == "" || split || !r.absent[1] {
		t.Errorf("it is refused as %q, and the meeting is over: %v", refusal, split)
	}
	if refusal, _ := r.register(c, other); refusal != "" {
		t.Errorf("the rank comes again and is refused: %s", refusal)
	}
	<-r.full
}

// failing lets ranks meet who cannot, and returns what each of them says.
func failing(t *testing.T, points ...meetingPoint) []error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), meetWatchdog)
	defer cancel()
	errs := make([]error, len(points))
	var ranks sync.WaitGroup
	for i, w := range points {
		ranks.Go(func() {
			l, err := w.meet(ctx)
			if err == nil {
				_, err = l.Exchange(ctx, nil)
				l.Close()
			}
			errs[i] = err
		})
	}
	ranks.Wait()
	return errs
}

// Each rank of a job that cannot be hears why.
func TestJobsThatCannotBe(t *testing.T) {
	says := func(errs []error, wants ...string) {
		t.Helper()
		for i, want := range wants {
			var lost *device.PeerError
			if errs[i] == nil || !strings.Contains(errs[i].Error(), want) && !(errors.As(errs[i], &lost) && strings.Contains(lost.Cause, want)) {
				t.Errorf("process %d says %v, want %s", i, errs[i], want)
			}
		}
	}
	port := freePort(t)
	odd := pointOf(port, 2, 4, os.Stderr)
	says(failing(t, pointOf(port, 0, 3, os.Stderr), odd), "has 4: start all of them with the same number", "has 4: start all of them with the same number")

	port = freePort(t)
	errs := failing(t, pointOf(port, 0, 3, os.Stderr), pointOf(port, 1, 3, os.Stderr), pointOf(port, 1, 3, os.Stderr))
	says(errs, "rank 1 came twice", "rank 1 came twice", "rank 1 came twice")

	port = freePort(t)
	taken, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	says(failing(t, pointOf(port, 0, 2, os.Stderr)), fmt.Sprintf("port %d of rank 0 is taken by process %d", port, os.Getpid()))
}

// A rank with another secret, or of another job, is no rank; who is missing is said, and who came
// instead.
func TestWhoIsMissing(t *testing.T) {
	port := freePort(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	r := pointOf(port, 0, 4, os.Stderr)
	met := make(chan error, 1)
	go func() { _, err := r.meet(ctx); met <- err }()

	liar := pointOf(port, 1, 4, os.Stderr)
	liar.secret = "another secret of some length"
	for {
		_, _, err := liar.dialFirst(t.Context())
		if err != nil && strings.Contains(err.Error(), "has another secret") {
			break
		}
	}
	guest := pointOf(port, 2, 4, os.Stderr)
	guest.Job = "another"
	if _, err := guest.meet(t.Context()); err == nil || !strings.Contains(err.Error(), `this is rank 0 of job "test", and a rank of job "another" came`) {
		t.Errorf("a rank of another job hears %v", err)
	}
	l, err := pointOf(port, 3, 4, os.Stderr).meet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan error, 1)
	go func() { _, err := l.Exchange(t.Context(), nil); heard <- err }()
	cancel(errors.New("no patience"))
	err = <-met
	for _, want := range []string{"2 of 4 ranks", fmt.Sprintf("not connected to port %d", port), "ranks 1-2", `a rank of job "another" came`, "no patience"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("rank 0 says %v, want %q", err, want)
		}
	}
	var lost *device.PeerError
	if err := <-heard; !errors.As(err, &lost) || lost.Rank != 0 || !strings.Contains(lost.Cause, "2 of 4 ranks") {
		t.Errorf("rank 3 hears %v", err)
	}
}

// What the ranks that have come exchange ends when rank 0 is gone.
func TestRankZeroDies(t *testing.T) {
	port := freePort(t)
	links := make([]exchange.Link, 2)
	var ranks sync.WaitGroup
	for rank := range links {
		ranks.Go(func() {
			var err error
			if links[rank], err = pointOf(port, rank, 2, os.Stderr).meet(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	ranks.Wait()
	if t.Failed() {
		return
	}
	links[0].Tell("out of memory")
	var lost *device.PeerError
	if _, err := links[1].Exchange(t.Context(), nil); !errors.As(err, &lost) || lost.Rank != 0 || !strings.Contains(lost.Cause, "out of memory") {
		t.Errorf("rank 1 hears %v", err)
	}
	links[0].Close()
	links[1].Close()
}

// Ranks that look for each other in a directory that nobody has named, which their hosts may not
// share, learn soon that they do not meet.
func TestTimeoutOfAGuess(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, c := range []struct {
		env  map[string]string
		want time.Duration
	}{
		{nil, guessTimeout},
		{map[string]string{detect.EnvMeet: "file:/tmp"}, meetTimeout},
		{map[string]string{detect.EnvMeet: "h1:7575", detect.EnvSecret: "0123456789abcdef"}, meetTimeout},
	} {
		w, err := newMeetingPoint(detect.Identity{Rank: 1, Size: 2}, func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }, io.Discard)
		if err != nil || w.timeout() != c.want {
			t.Errorf("%v: %v, %v, want %v", c.env, w.timeout(), err, c.want)
		}
	}
}

// What --node gives is checked before anything is started.
func TestMeetingCheck(t *testing.T) {
	for node, right := range map[string]bool{"": true, "0/2": true, "1/2": true, "0/1": false, "5/2": false, "2": false, "-1/2": false, "a/b": false, "0/0": false} {
		if err := (Flags{Node: node}).Check(); (err == nil) != right {
			t.Errorf("--node=%s: %v", node, err)
		}
	}
}
