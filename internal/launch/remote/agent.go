package remote

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"

	"gobench/device"
	"gobench/internal/launch/exchange"
	"gobench/internal/launch/fork"
	"gobench/internal/launch/host"
	"gobench/internal/launch/signals"
	"gobench/launch/outcome"
)

// agentProtocol is the version of the protocol between agents and the root.
const agentProtocol = 2

// agentMark begins the first line that an agent writes. The root skips all lines before it, which
// the profile of the login shell may print.
const agentMark = "gobench:agent "

// A greeting follows agentMark on that line, in JSON.
type greeting struct {
	Protocol int    `json:"protocol"`
	Digest   string `json:"digest"` // SHA-256 sum of the program
	Identity string `json:"identity"`
	Hostname string `json:"hostname"`
	Arch     string `json:"arch"`
	Cores    int    `json:"cores"` // number of cores that ranks may use
}

// An order describes the ranks that an agent must start.
type order struct {
	Size      int      `json:"size"`           // ranks of the job on all hosts
	Ranks     []int    `json:"ranks"`          // ranks to start here
	Hosts     string   `json:"hosts"`          // the host of each rank of the job
	Path      string   `json:"path,omitempty"` // program; "" = that of the agent
	Args      []string `json:"args"`           // begins with the program's name
	Env       []string `json:"env"`            // added to the environment of the agent
	Directory string   `json:"folder"`         // working directory, ignored if it does not exist
	Pin       string   `json:"pin"`            // policy of host.ChooseCores; "" = ranks are not pinned
	Threads   int      `json:"threads"`        // of each rank; each thread gets a core
}

// An answer reports whether an order was carried out.
type answer struct {
	Error string `json:"error,omitempty"` // "" = all ranks have been started
}

// An agent starts the ranks of one host and connects them to the root.
type agent struct {
	*conduit
	tunnels *tunnels  // to agents that this one has connected
	job     *agentJob // running, nil if there is none
	mu      sync.Mutex
}

// An agentJob holds the ranks of the running job on this host.
type agentJob struct {
	size     int // ranks of the job on all hosts
	meeting  *exchange.Meeting
	ranks    *fork.Ranks
	out      *fork.Outputs
	outlets  [2]*outlet // standard output and standard error
	reminder func() bool
}

// Agent runs the part of the launcher on a remote host. It starts the ranks that the root, at the
// other end of s, orders, forwards their exchanges with ranks on other hosts, and sends the root
// their output and exit states. It returns when the stream ends, after killing the ranks that
// still run.
//
// If s is standard input and output, nothing else may use these.
func Agent(s Stream) error {
	hello := greeting{Protocol: agentProtocol, Digest: digest(), Identity: host.Identity(), Arch: runtime.GOARCH}
	hello.Hostname, _ = os.Hostname()
	if allowed, err := host.AllowedCores(); err == nil {
		hello.Cores = len(allowed)
	}
	return hello.serve(s)
}

// serve sends the greeting, and then serves the root as Agent does.
func (hello greeting) serve(s Stream) error {
	// SIGPIPE would end the agent if the reader of standard output has ended. With a handler, Write
	// returns an error instead.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	line, err := json.Marshal(hello)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s, "%s%s\n", agentMark, line); err != nil {
		return err
	}
	c := newConduit(s, bufio.NewReader(s), rootBeats)
	a := &agent{conduit: c, tunnels: newTunnels(c)}
	ctx, stop := context.WithCancel(context.Background())
	err = a.serve(ctx)
	stop()
	a.tunnels.fail(io.ErrClosedPipe)
	a.abandon()
	a.close()
	if err == io.EOF {
		return nil
	}
	return err
}

// rootBeats is the time-out of the root, in heartbeats. An agent that has received nothing for this
// long returns, which kills its ranks. The time-out is suspended while a terminal has stopped the
// root: before it stops, the root sends SIGSTOP, also while there are no ranks.
const rootBeats = 60

// serve carries out the frames of the root until the stream ends. ctx is for connecting further
// agents.
func (a *agent) serve(ctx context.Context) error {
	for {
		kind, length, err := a.receive()
		if err != nil {
			return err
		}
		job := a.current()
		if kind == exchange.FrameBlobs && job != nil {
			blobs, err := exchange.ReadBlobs(a, job.size, length)
			if err != nil {
				return err
			}
			job.meeting.Complete(blobs)
			continue
		}
		body, err := exchange.ReadBody(a, kind, length, maxOrder)
		if err != nil {
			return err
		}
		switch {
		case kind == exchange.FrameDial:
			var d dialing
			if err := json.Unmarshal(body, &d); err != nil {
				return err
			}
			go a.dial(ctx, d, a.tunnels.open(d.Number)) // open before the next frame, which may close it
		case kind.OfTunnel():
			if err := a.tunnels.handle(kind, body); err != nil {
				return err
			}
		case kind == exchange.FrameOrder && job == nil:
			var o order
			if err := json.Unmarshal(body, &o); err != nil {
				return err
			}
			a.start(o)
		case kind == exchange.FrameSignal && length == 4:
			sig := syscall.Signal(binary.LittleEndian.Uint32(body))
			a.paused.Store(sig == syscall.SIGSTOP)
			if job != nil {
				job.ranks.Signal(sig)
			}
		case job == nil: // the frame is for a job that has ended
		case kind == exchange.FrameLost || kind == exchange.FrameFailed:
			if len(body) < 4 {
				return &exchange.FrameError{Kind: kind, Length: length}
			}
			rank, cause := int(int32(binary.LittleEndian.Uint32(body))), string(body[4:])
			if kind == exchange.FrameLost {
				job.meeting.Leave(rank, cause)
			} else {
				job.meeting.Fail(rank, cause)
			}
		case kind == exchange.FrameMute && length == 1 && body[0] >= 1 && body[0] <= 2:
			job.outlets[body[0]-1].mute()
		default:
			return &exchange.FrameError{Kind: kind, Length: length}
		}
	}
}

// maxOrder is the largest size in bytes of a frame other than a blob. Orders contain environments,
// which may be long.
const maxOrder = 16 << 20

// current returns the running job, or nil.
func (a *agent) current() *agentJob {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.job
}

// start starts the ranks of an order, and answers it.
func (a *agent) start(o order) {
	seats, err := o.seats()
	if err != nil {
		a.refuse(err)
		return
	}
	if o.Directory != "" {
		os.Chdir(o.Directory) // if it fails, ranks run in the home directory
	}
	job := &agentJob{size: o.Size, meeting: exchange.NewMeeting(o.Ranks, uplink{a.conduit})}
	for i := range job.outlets {
		job.outlets[i] = &outlet{a: a, number: byte(i + 1)}
	}
	if job.out, err = fork.OpenOutputs(job.outlets[0], job.outlets[1]); err != nil {
		a.refuse(err)
		return
	}
	program := fork.Executable{Path: o.Path, Args: o.Args, Env: append(os.Environ(), o.Env...), Size: o.Size, On: o.Hosts}
	program.Path = cmp.Or(program.Path, "/proc/self/exe")
	stops := &signals.Stops{}
	ended := make(chan outcome.Status, len(seats))
	job.ranks, err = fork.Start(program, seats, [3]*os.File{nil, job.out.Files[0], job.out.Files[1]}, job.meeting, stops, ended)
	job.out.Started()
	if err != nil {
		if job.ranks != nil {
			job.ranks.Signal(syscall.SIGKILL)
			for range job.ranks.Count() {
				<-ended
			}
			job.ranks.End()
		}
		job.out.End(0)
		a.refuse(err)
		return
	}
	a.mu.Lock()
	a.job = job
	a.mu.Unlock()
	a.sendJSON(exchange.FrameBegun, answer{})
	name, _ := os.Hostname()
	job.reminder = job.meeting.Remind(func(ranks []int) {
		a.send(exchange.FrameNotice, []byte(exchange.MissingLine(ranks, o.Size, " on "+name)))
	})
	a.writer.Go(func() { a.follow(job, ended) })
}

// seats places the ranks on the cores of this host.
func (o order) seats() ([]fork.Seat, error) {
	var cores []int
	if o.Pin != "" {
		var err error
		if cores, err = host.ChooseCores(len(o.Ranks)*o.Threads, o.Pin); err != nil {
			return nil, err
		}
	}
	return fork.Seats(o.Ranks, cores, o.Threads), nil
}

// refuse answers an order with the reason why no rank was started.
func (a *agent) refuse(err error) {
	a.sendJSON(exchange.FrameBegun, answer{Error: err.Error()})
}

// follow waits for the ranks of a job, sends the exit state of each, and then the end of the job.
func (a *agent) follow(job *agentJob, ended <-chan outcome.Status) {
	for range job.ranks.Count() {
		status := <-ended
		job.meeting.Leave(status.Rank, status.String())
		a.sendJSON(exchange.FrameStatus, status)
	}
	job.reminder()
	job.ranks.End()
	job.out.End(fork.OutputTimeout)
	for _, m := range job.outlets {
		m.flush()
	}
	a.mu.Lock()
	a.job = nil
	a.mu.Unlock()
	a.send(exchange.FrameOver, nil)
}

// abandon kills the ranks of the running job.
func (a *agent) abandon() {
	if job := a.current(); job != nil {
		job.ranks.Signal(syscall.SIGKILL)
	}
}

// An uplink forwards the exchanges of an agent's ranks to the root, which completes them.
type uplink struct{ *conduit }

func (u uplink) Gather(blobs [][]byte) bool {
	u.sendBlobs(blobs)
	return false
}

func (u uplink) Left(e *device.PeerError) { u.sendLost(exchange.FrameLost, e.Rank, e.Cause) }

func (u uplink) Failed(*device.PeerError) {} // the root has sent it

// An outlet sends the output of ranks to the root. It sends whole lines, up to longLine, so that
// the lines of several hosts are not mixed.
type outlet struct {
	a      *agent
	number byte // 1: standard output, 2: standard error
	mu     sync.Mutex
	part   []byte // not sent yet
	silent bool   // the root has muted it
}

// longLine is the largest size of an incomplete line that is held back, in bytes.
const longLine = 4096

func (m *outlet) Write(b []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.silent {
		return 0, io.ErrClosedPipe
	}
	m.part = append(m.part, b...)
	end := bytes.LastIndexByte(m.part, '\n') + 1
	if len(m.part)-end > longLine {
		end = len(m.part)
	}
	if err := m.pass(end); err != nil {
		return 0, err
	}
	return len(b), nil
}

// flush sends an incomplete last line.
func (m *outlet) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass(len(m.part))
}

// pass sends the first count bytes of part. The caller holds the lock.
func (m *outlet) pass(count int) error {
	if count == 0 {
		return nil
	}
	if err := m.a.room(); err != nil {
		return err
	}
	m.a.send(exchange.FrameOutput, append([]byte{m.number}, m.part[:count]...))
	m.part = append(m.part[:0], m.part[count:]...)
	return nil
}

// mute makes further writes fail, because the reader of the root's output has closed it.
func (m *outlet) mute() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.silent = true
}

// digest returns the SHA-256 sum of the file of this program, or "" if it cannot be read.
var digest = sync.OnceValue(host.ProgramDigest)
