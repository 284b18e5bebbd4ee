package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"gobench/device"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/exchange"
	"gobench/internal/launch/host"
	"gobench/internal/launch/signals"
	"gobench/internal/pending"
)

// root is the side of rank 0: a listener, and the hub of the exchanges.
type root struct {
	meetingPoint
	hub      *exchange.Hub
	stops    *signals.Stops
	listener net.Listener
	full     chan struct{} // closed when all ranks have come
	fault    chan error    // what makes the meeting impossible

	mu       sync.Mutex
	absent   map[int]bool
	from     map[int]string // addresses of the ranks that have come
	pending  pending.List   // not authenticated yet
	rejected string         // the last stranger, in words
	over     bool
}

// strangers is the maximum number of connections that are not authenticated yet, with many ranks
// four for each: all may connect simultaneously.
const strangers = 256

// open listens, publishes the address, and returns when all ranks have connected.
func (w meetingPoint) open(ctx context.Context) (exchange.Link, error) {
	r := &root{meetingPoint: w, stops: &signals.Stops{}, full: make(chan struct{}), fault: make(chan error, 1),
		absent: make(map[int]bool), from: make(map[int]string), pending: pending.List{Max: max(strangers, 4*w.Size)}}
	for rank := 1; rank < w.Size; rank++ {
		r.absent[rank] = true
	}
	var err error
	if r.listener, err = (&net.ListenConfig{KeepAliveConfig: keepAlive, Control: awaitHost}).Listen(ctx, "tcp", fmt.Sprintf(":%d", w.port)); err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, &MeetError{fmt.Sprintf("port %d of rank 0 is taken%s: end that, or give all ranks another %s=HOST:PORT", w.port, holder(w.port), detect.EnvMeet)}
		}
		return nil, &MeetError{fmt.Sprintf("rank 0 cannot listen: %v", err)}
	}
	defer r.listener.Close()
	if w.directory != "" || w.announce != nil {
		r.secret = newSecret()
	}
	own := notice{ownAddresses(r.listener.Addr().(*net.TCPAddr).Port), r.secret}
	if w.directory != "" {
		remove, err := w.publish(own)
		if err != nil {
			return nil, err
		}
		defer remove()
	}
	r.hub = exchange.NewHub(exchange.NewMeeting(exchange.AllRanks(w.Size), nil), r.stops)
	go r.accept()
	if w.announce != nil {
		if err := w.announce(own); err != nil {
			r.giveUp(err)
			return nil, err
		}
	}
	if err := r.wait(ctx); err != nil {
		r.giveUp(err)
		return nil, err
	}
	r.end()
	return &rootLink{hub: r.hub}, nil
}

// wait returns when all ranks have connected, or the first error that makes that impossible.
func (r *root) wait(ctx context.Context) error {
	silence := time.NewTimer(exchange.NoticeDelay)
	defer silence.Stop()
	for {
		select {
		case <-r.full:
			return nil
		case err := <-r.fault:
			return err
		case <-silence.C:
			r.warn("rank 0 waits for %s", r.missing())
		case <-ctx.Done():
			return &MeetError{fmt.Sprintf("rank 0 has waited for %s: %v; start each of them with the same command line, where it can reach this port", r.missing(), context.Cause(ctx))}
		}
	}
}

// missing lists the ranks that have not connected, and the last connection that was refused.
func (r *root) missing() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ranks := slices.Sorted(maps.Keys(r.absent))
	words := "ranks"
	if len(ranks) == 1 {
		words = "rank"
	}
	text := fmt.Sprintf("%d of %d ranks, which have not connected to port %d: %s %s",
		len(ranks), r.Size, r.listener.Addr().(*net.TCPAddr).Port, words, host.FormatCores(ranks))
	if r.rejected != "" {
		text += "; " + r.rejected
	}
	if w := r.directory; w != "" {
		text += "; they look for its address in " + r.file() + ", which they must see"
	}
	return text
}

// accept takes connections until the listener is closed.
func (r *root) accept() {
	for {
		conn, err := r.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // no descriptor is free
			continue
		}
		if !r.admit(conn) {
			conn.Close()
			continue
		}
		go func() {
			err := r.welcome(conn)
			r.settle(conn, err)
		}()
	}
}

// admit notes a connection that is to be authenticated.
func (r *root) admit(conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return false
	}
	r.pending.Add(conn)
	return true
}

// settle removes a connection that was authenticated or refused from the pending ones.
func (r *root) settle(conn net.Conn, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending.Remove(conn)
	if err == nil {
		return
	}
	conn.Close()
	if stranger := (*strangerError)(nil); errors.As(err, &stranger) {
		r.reject(conn, stranger.why)
	}
}

// reject notes, with the lock held, a connection that is refused.
func (r *root) reject(conn net.Conn, why string) {
	r.rejected = fmt.Sprintf("%s came and was refused: %s", conn.RemoteAddr(), why)
}

// welcome authenticates one connection and adds it to the hub.
func (r *root) welcome(conn net.Conn) error {
	if !r.expected(conn.RemoteAddr()) {
		return &strangerError{"no rank runs on that host"}
	}
	conn.SetDeadline(time.Now().Add(handshakeTimeout))
	c := &caller{}
	answer, err := greetCaller(conn, r.secret, c)
	if err != nil {
		return err
	}
	refusal, split := r.register(c, conn)
	if err := answer(refusal); err != nil {
		return err // the hub has lost a rank then, if it was added
	}
	if refusal != "" {
		if split {
			r.fail(&MeetError{refusal})
		}
		return &strangerError{refusal}
	}
	return nil
}

// register adds an authenticated rank to the hub. refusal is the reason why it cannot be added, and
// split reports that the job cannot become complete. The hub writes nothing to the rank before its
// first exchange, so that the answer comes first.
func (r *root) register(c *caller, conn net.Conn) (refusal string, split bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() {
		if refusal != "" {
			r.reject(conn, refusal)
		}
	}()
	from := conn.RemoteAddr().String()
	switch {
	case r.over:
		return "the meeting is over", false
	case c.Job != r.Job:
		return fmt.Sprintf("this is rank 0 of job %q, and a rank of job %q came", r.Job, c.Job), false
	case c.Size != r.Size:
		return fmt.Sprintf("rank 0 has %d ranks and rank %d, from %s, has %d: start all of them with the same number", r.Size, c.Rank, from, c.Size), true
	case c.Rank == 0:
		return fmt.Sprintf("a second rank 0 came from %s: give each process its own rank", from), true
	case c.Rank < 0 || c.Rank >= r.Size:
		return fmt.Sprintf("rank %d of %d came", c.Rank, r.Size), true
	case r.from[c.Rank] != "":
		return fmt.Sprintf("rank %d came twice, from %s and from %s: give each process its own rank", c.Rank, r.from[c.Rank], from), true
	case !r.pending.Remove(conn): // and closed: the rank comes again
		return "others have displaced it", false
	}
	r.from[c.Rank] = from
	conn.SetDeadline(time.Time{})
	r.hub.Serve(c.Rank, conn)
	if delete(r.absent, c.Rank); len(r.absent) == 0 {
		r.over = true
		close(r.full)
	}
	return "", false
}

// lookupsAtOnce is the number of names that are looked up at the same time for a connection.
const lookupsAtOnce = 16

// expected reports whether a connection without a secret comes from a host of the job. A name that
// nobody resolves does not delay the others.
func (r *root) expected(from net.Addr) bool {
	text, _, _ := net.SplitHostPort(from.String())
	own := net.ParseIP(text)
	if r.only == nil || own.IsLoopback() {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTimeout)
	defer cancel()
	names, is := make(chan string, len(r.only)), make(chan bool, len(r.only))
	for _, name := range r.only {
		names <- name
	}
	close(names)
	for range min(lookupsAtOnce, len(r.only)) {
		go func() {
			for name := range names {
				addresses, _ := r.resolver.LookupHost(ctx, name)
				is <- slices.ContainsFunc(addresses, func(a string) bool { return net.ParseIP(a).Equal(own) })
			}
		}()
	}
	for range r.only {
		if <-is {
			return true
		}
	}
	return false
}

func (r *root) fail(err error) {
	select {
	case r.fault <- err:
	default: // another was first
	}
}

// end closes what has not been authenticated.
func (r *root) end() {
	r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.pending.Close()
}

// giveUp ends the exchange of the ranks that have come, with the reason.
func (r *root) giveUp(why error) {
	r.end()
	l := &rootLink{hub: r.hub}
	l.leave(why.Error())
	l.Close()
}

// rootLink is the link of rank 0, whose hub is in the same process.
type rootLink struct {
	hub    *exchange.Hub
	broken error
	failed bool // this rank has failed
}

func (l *rootLink) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	if l.broken != nil {
		return nil, l.broken
	}
	blobs, err := l.hub.Meeting.ExchangeCopies(ctx, 0, blob)
	l.broken = err
	return blobs, err
}

func (l *rootLink) Failure() *device.PeerError { return nil }

// Tell implements link: it sends the other ranks the reason why rank 0 ends.
func (l *rootLink) Tell(words string) {
	l.failed = true
	l.leave("it has failed: " + words)
}

func (l *rootLink) leave(cause string) { l.hub.Meeting.Leave(0, cause) }

// lastReads is the time-out for the other ranks to read the last messages of rank 0, lastWords that
// of a rank 0 that has failed: another rank may be stopped.
const (
	lastReads = 5 * time.Second
	lastWords = 200 * time.Millisecond
)

func (l *rootLink) Close() error {
	if errors.Is(l.broken, device.ErrClosed) {
		return nil
	}
	l.broken = fmt.Errorf("exchange after the end of the job: %w", device.ErrClosed)
	l.leave(exchange.Closed)
	timeout := lastReads
	if l.failed {
		timeout = lastWords
	}
	l.hub.AwaitEnd(timeout)
	l.hub.End()
	return nil
}

// holder returns the name of the process that listens on a port of this host, "" if it is unknown.
func holder(port int) string {
	inodes := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) > 9 && f[3] == "0A" && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
				inodes["socket:["+f[9]+"]"] = true
			}
		}
	}
	processes, _ := os.ReadDir("/proc")
	for _, p := range processes {
		fds, _ := os.ReadDir("/proc/" + p.Name() + "/fd")
		for _, fd := range fds {
			if target, _ := os.Readlink("/proc/" + p.Name() + "/fd/" + fd.Name()); inodes[target] {
				name, _ := os.ReadFile("/proc/" + p.Name() + "/comm")
				return fmt.Sprintf(" by process %s (%s)", p.Name(), strings.TrimSpace(string(name)))
			}
		}
	}
	return ""
}
