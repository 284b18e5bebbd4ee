package remote

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"gobench/internal/launch/exchange"
	"gobench/internal/launch/hostlist"
	"gobench/internal/remedy"
	"gobench/launch/outcome"
)

// A Member is the unread stream to the agent of one host.
type Member struct {
	Host   hostlist.Host
	Stream Stream
	// Ended returns a sentence about the end of the stream, such as what ssh wrote; nil or ""
	// where there is nothing to say.
	Ended func() string
}

// A MemberError reports why a host cannot take part.
type MemberError struct {
	Host    string
	Problem string
}

func (e *MemberError) Error() string { return fmt.Sprintf("host %s: %s", e.Host, e.Problem) }

// connection is the root's side of one agent. The agent is free (job is nil), has a job, or is lost
// (lost is set, for good): begin leads from free to a job, forget back, and the end of the stream
// from both to lost, which ends the ranks of the job.
type connection struct {
	*conduit
	member Member
	greeting
	tunnels *tunnels      // to the agents that this one has connected
	done    chan struct{} // closed when nothing more is received

	mu   sync.Mutex
	job  *hostJob // under way
	lost string   // why the agent was lost, "" while it is connected
}

// hostJob is the part of a job on one host.
type hostJob struct {
	job     *clusterJob
	ranks   []int
	living  map[int]bool
	begun   atomic.Bool // the agent has started the ranks
	over    chan struct{}
	stopped sync.Once
}

// agentBeats is the time-out of an agent, in beats: longer than a host may be stopped (8 s), and
// about the default of the transports' peer time-out (10 s).
const agentBeats = 11

// crowd is the number of ranks per core for which the time-out of an agent increases by one unit. A
// heartbeat arrives only after the agent, sshd, ssh and the root have been scheduled between the
// ranks, whose time slices take about 3 ms: with 500 ranks on a core this took more than 11 s.
const crowd = 16

// timeoutFactor returns the factor of the time-out of an agent that runs the given number of ranks.
func (g greeting) timeoutFactor(ranks int) int32 { return int32(ranks / (crowd * max(1, g.Cores))) }

// levelBeats is added per level of the tree of agents, so that an agent whose host vanishes is
// detected before the agents that it has connected.
const levelBeats = 2

// greetAgent reads the greeting of an agent, which has the time-out beats, and begins to receive.
// After an error, a *MemberError, the stream is closed.
func greetAgent(m Member, beats int32) (*connection, error) {
	r := bufio.NewReader(m.Stream)
	g, err := readGreeting(r)
	if err == nil {
		err = g.check()
	}
	if err != nil {
		m.Stream.Close()
		return nil, &MemberError{m.Host.Name, err.Error()}
	}
	c := newConduit(m.Stream, r, beats)
	a := &connection{conduit: c, member: m, greeting: g, tunnels: newTunnels(c), done: make(chan struct{})}
	go a.receiveAll()
	return a, nil
}

// readGreeting looks for the first line of an agent.
func readGreeting(r *bufio.Reader) (greeting, error) {
	var g greeting
	_, text, err := readMark(r, agentMark)
	if err != nil {
		return g, err
	}
	return g, json.Unmarshal([]byte(text), &g)
}

var errNoAgent = errors.New("no agent answers there")

// readMark returns the first of some marks that comes, and the rest of its line. The profile of a
// shell may print lines before it, the last one without an end.
func readMark(r *bufio.Reader, marks ...string) (mark, rest string, err error) {
	var before []byte
	line := 0 // where the last one begins in before
	for len(before) < 64<<10 {
		part, err := r.ReadSlice('\n')
		before = append(before, part...)
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
		for _, mark := range marks {
			if _, rest, ok := strings.Cut(string(before[line:]), mark); ok && err == nil {
				return mark, rest, nil
			}
		}
		if err == nil {
			line = len(before)
		}
	}
	if said := strings.TrimSpace(string(before)); said != "" {
		return "", "", fmt.Errorf("no agent answers there, but %q", said[strings.LastIndexByte(said, '\n')+1:])
	}
	return "", "", errNoAgent
}

// check compares an agent's program with this one.
func (g greeting) check() error {
	if g.Protocol != agentProtocol || g.Digest != digest() && !sent(g.Arch, g.Digest) {
		return remedy.Errorf("its gobench is another build (SHA-256 %.12s..., here %.12s...): all hosts need the same file; %v brings it there", g.Digest, digest(), remedy.Set("copy", "auto"))
	}
	return nil
}

// begin assigns job p to the agent.
func (a *connection) begin(p *hostJob) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lost != "" {
		go a.drop(p, a.lost)
		return &MemberError{a.member.Host.Name, a.lost}
	}
	a.job = p
	return nil
}

// Signal implements watch.Group.
func (a *connection) Signal(sig syscall.Signal) {
	a.send(exchange.FrameSignal, binary.LittleEndian.AppendUint32(nil, uint32(sig)))
}

// Settle implements watch.Group.
func (a *connection) Settle() { a.flush(settleTimeout) }

// errAbandoned ends the connection to an agent that has not reported the end of its ranks.
var errAbandoned = errors.New("it has not reported the end of its ranks after the job was interrupted")

// Abandon implements watch.Group.
func (a *connection) Abandon() {
	a.mu.Lock()
	busy := a.job != nil
	a.mu.Unlock()
	if busy {
		a.fail(errAbandoned)
	}
}

// settleTimeout is the time-out for sending a signal to a host, which may be unreachable.
const settleTimeout = time.Second

// receiveAll receives until the agent is gone.
func (a *connection) receiveAll() {
	defer close(a.done)
	err := a.receiveSome()
	a.fail(err)
	why := err.Error()
	switch {
	case err == io.EOF:
		why = "its agent has ended"
	case errors.Is(err, errSilent) && a.opens():
		why += ", though it answers new connections: if it was not stopped, long packets are lost on the way; compare the MTUs of both hosts and of what is between them"
	}
	if a.member.Ended != nil && !errors.Is(err, errSilent) && err != errAbandoned { // then ssh waits on
		if said := a.member.Ended(); said != "" {
			why = said
		}
	}
	a.mu.Lock()
	a.lost = why
	p := a.job
	a.mu.Unlock()
	if p != nil {
		a.drop(p, why)
	}
	// After that, so that the first host to be lost is the cause.
	a.tunnels.fail(fmt.Errorf("it was connected by %s: %s", a.member.Host.Name, why))
}

// opens reports whether the host of an agent answers a new connection to its sshd.
func (a *connection) opens() bool {
	const timeout = time.Second
	_, name, found := strings.Cut(a.member.Host.Name, "@")
	if !found {
		name = a.member.Host.Name
	}
	c, err := net.DialTimeout("tcp", net.JoinHostPort(name, "22"), timeout)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// drop ends the ranks of a lost agent.
func (a *connection) drop(p *hostJob, why string) {
	for _, rank := range p.ranks {
		if p.living[rank] {
			delete(p.living, rank)
			p.job.ended <- outcome.Status{Rank: rank, Code: 1, Host: a.member.Host.Name, Lost: why}
		}
	}
	p.finish()
}

func (p *hostJob) finish() { p.stopped.Do(func() { close(p.over) }) }

func (a *connection) receiveSome() error {
	for {
		kind, length, err := a.receive()
		if err != nil {
			return err
		}
		if kind.OfTunnel() {
			body, err := exchange.ReadBody(a, kind, length, maxOrder)
			if err == nil {
				err = a.tunnels.handle(kind, body)
			}
			if err != nil {
				return err
			}
			continue
		}
		a.mu.Lock()
		p := a.job
		a.mu.Unlock()
		if p == nil && kind != exchange.FrameNotice { // that may be sent while the job ends
			return &exchange.FrameError{Kind: kind, Length: length}
		}
		if kind == exchange.FrameBlobs {
			blobs, err := exchange.ReadBlobs(a, len(p.ranks), length)
			if err != nil {
				return err
			}
			a.meet(p, blobs)
			continue
		}
		body, err := exchange.ReadBody(a, kind, length, maxOrder)
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		if err := a.handle(p, kind, body); err != nil {
			return err
		}
	}
}

// meet adds the blobs of an agent's ranks to the meeting, which sends the blobs of all ranks to the
// agents once they are complete.
func (a *connection) meet(p *hostJob, blobs [][]byte) {
	for i, rank := range p.ranks {
		if _, err := p.job.meeting.Arrive(context.Background(), rank, blobs[i]); err != nil {
			return // the agent has been told that a rank was lost
		}
	}
}

func (a *connection) handle(p *hostJob, kind exchange.FrameKind, body []byte) error {
	job := p.job
	switch {
	case kind == exchange.FrameBegun:
		var answer answer
		if err := json.Unmarshal(body, &answer); err != nil {
			return err
		}
		if answer.Error != "" {
			job.fail(&MemberError{a.member.Host.Name, answer.Error})
			a.forget()
			a.drop(p, answer.Error)
		} else if job.hosts.Add(-1) == 0 && job.started != nil {
			job.started()
		}
		p.begun.Store(true)
	case kind == exchange.FrameOutput && len(body) > 1 && body[0] >= 1 && body[0] <= 2:
		if job.write(int(body[0]-1), body[1:]) != nil {
			a.send(exchange.FrameMute, body[:1])
		}
	case kind == exchange.FrameNotice:
		if job.notice != nil {
			job.notice(string(body))
		}
	case kind == exchange.FrameLost && len(body) >= 4:
		job.meeting.Leave(int(int32(binary.LittleEndian.Uint32(body))), string(body[4:]))
	case kind == exchange.FrameStatus:
		var s outcome.Status
		if err := json.Unmarshal(body, &s); err != nil {
			return err
		}
		if !p.living[s.Rank] {
			return &exchange.FrameError{Kind: kind, Length: len(body)}
		}
		delete(p.living, s.Rank)
		s.Host = a.member.Host.Name
		job.ended <- s
	case kind == exchange.FrameOver && len(body) == 0 && len(p.living) == 0:
		a.forget()
		p.finish()
	default:
		return &exchange.FrameError{Kind: kind, Length: len(body)}
	}
	return nil
}

// forget ends the job of the agent, which may then get another.
func (a *connection) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.job = nil
}
