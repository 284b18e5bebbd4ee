package remote

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"gobench/internal/launch/exchange"
	"gobench/internal/launch/hostlist"
)

const (
	// broad is the number of hosts up to which the root connects all itself.
	broad = 128
	// width is the number of hosts that the root, and each agent, connects if there are more than
	// broad, so that no process starts hundreds of ssh.
	width = 32
)

// parents returns the tree in which n hosts are connected: for each the host whose agent connects
// it, -1 for the root. No process connects more than fan hosts. A level of the tree is consecutive
// hosts, and those of the level before connect as many each, or one more.
func parents(n, fan int) []int {
	list := make([]int, n)
	above, level, size := 0, 0, fan // the first hosts of two levels, and the hosts of the second
	for i := range list {
		if i == level+size {
			above, level, size = level, i, size*fan
		}
		list[i] = -1
		if level > 0 {
			list[i] = above + (i-level)%(level-above)
		}
	}
	return list
}

// fan returns the number of hosts that one process connects.
func (how Options) fan(hosts int) int {
	switch {
	case how.width > 0:
		return how.width
	case hosts <= broad:
		return broad
	}
	return width
}

// reach starts the agent of a host, through the agent via, or from here if that is nil. If via
// cannot connect it, for example because it knows another host key, reach connects it from here.
func (how Options) reach(ctx context.Context, via *connection, h hostlist.Host, step func(string), dial func() (Member, error)) (Member, error) {
	if via == nil || ThisHost(ctx, h.Name) {
		return dial()
	}
	step("connecting by ssh from " + via.member.Host.Name)
	m, err := via.dial(ctx, h, how)
	if err == nil || ctx.Err() != nil {
		return m, err
	}
	if how.Notice != nil {
		how.Notice(fmt.Sprintf("%s cannot connect %s, which is connected from here: %v", via.member.Host.Name, h.Name, err))
	}
	return dial()
}

// A dialing asks an agent to start that of another host.
type dialing struct {
	Number uint32   `json:"number"` // of the tunnel to it
	Host   string   `json:"host"`
	SSH    string   `json:"ssh,omitempty"`
	Copy   bool     `json:"copy"`
	Args   []string `json:"args"`
}

// dial makes the agent start the agent of another host.
func (a *connection) dial(ctx context.Context, h hostlist.Host, how Options) (Member, error) {
	t := a.tunnels.next()
	a.sendJSON(exchange.FrameDial, dialing{t.number, h.Name, how.SSH, how.Copy, how.Args})
	select {
	case err := <-t.dialed:
		if err != nil {
			t.Close()
			return Member{}, err
		}
	case <-ctx.Done():
		t.Close()
		return Member{}, context.Cause(ctx)
	}
	return Member{Host: h, Stream: t, Ended: t.ended}, nil
}

// dial starts the agent of another host for the root, and forwards their frames through t.
func (a *agent) dial(ctx context.Context, d dialing, t *tunnel) {
	how := Options{SSH: d.SSH, Copy: d.Copy, Args: d.Args}
	m, err := how.dial(ctx, hostlist.Host{Name: d.Host}, func(string) {})
	words := ""
	if err != nil {
		words = err.Error()
	}
	a.send(exchange.FrameDialed, append(binary.LittleEndian.AppendUint32(nil, d.Number), words...))
	if err != nil {
		t.Close()
		return
	}
	go func() {
		io.Copy(m.Stream, t)
		m.Stream.Close()
	}()
	io.Copy(t, m.Stream)
	t.hangUp(m.Ended())
}

// tunnels are the streams between a root and an agent that lead to agents of further hosts.
type tunnels struct {
	c     *conduit
	mu    sync.Mutex
	count uint32
	all   map[uint32]*tunnel
	over  error // no tunnel works any more
}

func newTunnels(c *conduit) *tunnels { return &tunnels{c: c, all: map[uint32]*tunnel{}} }

// used reports whether there was a tunnel.
func (s *tunnels) used() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count > 0
}

// next opens a tunnel with a number that was not used.
func (s *tunnels) next() *tunnel {
	s.mu.Lock()
	s.count++
	n := s.count
	s.mu.Unlock()
	return s.open(n)
}

func (s *tunnels) open(number uint32) *tunnel {
	t := &tunnel{set: s, number: number, dialed: make(chan error, 1)}
	t.changed = sync.NewCond(&t.mu)
	s.mu.Lock()
	s.all[number] = t
	over := s.over
	s.mu.Unlock()
	if over != nil {
		t.fail(over, "")
	}
	return t
}

// handle processes a frame of a tunnel. Frames of a closed tunnel are ignored.
func (s *tunnels) handle(kind exchange.FrameKind, body []byte) error {
	if len(body) < 4 {
		return &exchange.FrameError{Kind: kind, Length: len(body)}
	}
	s.mu.Lock()
	t := s.all[binary.LittleEndian.Uint32(body)]
	s.mu.Unlock()
	if body = body[4:]; t == nil {
		return nil
	}
	switch kind {
	case exchange.FrameTunnel:
		t.deliver(body)
	case exchange.FrameHangUp:
		t.fail(io.EOF, string(body))
	case exchange.FrameDialed:
		var err error
		if len(body) > 0 {
			err = errors.New(string(body))
		}
		t.answer(err)
	}
	return nil
}

// fail ends all tunnels.
func (s *tunnels) fail(err error) {
	s.mu.Lock()
	s.over = err
	all := s.all
	s.all = map[uint32]*tunnel{}
	s.mu.Unlock()
	for _, t := range all {
		t.fail(err, "")
	}
}

// A tunnel is a stream over a conduit, beside others.
type tunnel struct {
	set    *tunnels
	number uint32
	dialed chan error // gets the answer to a dialing

	mu      sync.Mutex
	changed *sync.Cond
	got     []byte // received, and not read
	err     error  // of Read, behind that
	said    string // about the end, by the far side
}

// tunnelPiece is the maximum number of bytes in a frame of a tunnel.
const tunnelPiece = 64 << 10

func (t *tunnel) Read(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.got) == 0 && t.err == nil {
		t.changed.Wait()
	}
	if len(t.got) == 0 {
		return 0, t.err
	}
	n := copy(b, t.got)
	t.got = t.got[n:]
	return n, nil
}

// Write sends b. If the conduit has ended, data is lost without an error, because Read returns the
// reason.
func (t *tunnel) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		piece := rest[:min(len(rest), tunnelPiece)]
		rest = rest[len(piece):]
		if t.set.c.room() == nil {
			t.send(exchange.FrameTunnel, piece)
		}
	}
	return len(b), nil
}

func (t *tunnel) send(kind exchange.FrameKind, body []byte) {
	t.set.c.send(kind, append(binary.LittleEndian.AppendUint32(nil, t.number), body...))
}

// Close ends the stream at both ends.
func (t *tunnel) Close() error {
	t.hangUp("")
	return nil
}

// hangUp is Close with a message about the end.
func (t *tunnel) hangUp(words string) {
	t.set.mu.Lock()
	open := t.set.all[t.number] == t
	delete(t.set.all, t.number)
	t.set.mu.Unlock()
	if open {
		t.send(exchange.FrameHangUp, []byte(words[:min(len(words), exchange.MaxCause)]))
	}
	t.fail(io.ErrClosedPipe, "")
}

func (t *tunnel) deliver(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.got = append(t.got, b...)
	t.changed.Broadcast()
}

// fail ends the stream here.
func (t *tunnel) fail(err error, said string) {
	t.mu.Lock()
	if t.err == nil {
		t.err, t.said = err, said
		t.changed.Broadcast()
	}
	t.mu.Unlock()
	t.answer(err)
}

// answer ends the wait for a dialing, unless it has ended.
func (t *tunnel) answer(err error) {
	select {
	case t.dialed <- err:
	default:
	}
}

// ended is Member.Ended.
func (t *tunnel) ended() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.said
}
