package launch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"

	"gobench/device"
	"gobench/launch/host"
)

// agentProtocol is the version of the protocol between agents and the root.
const agentProtocol = 2

// agentMark begins the first line of an agent, so that it is found behind what the profile of a
// shell may print.
const agentMark = "gobench:agent "

// greeting is the rest of that line, in JSON.
type greeting struct {
	Protocol int    `json:"protocol"`
	Digest   string `json:"digest"` // of the program, SHA-256
	Identity string `json:"identity"`
	Hostname string `json:"hostname"`
	Arch     string `json:"arch"`
	Cores    int    `json:"cores"` // that ranks may use
}

// An order describes the ranks that an agent starts.
type order struct {
	Size    int      `json:"size"` // of the job
	Ranks   []int    `json:"ranks"`
	Hosts   string   `json:"hosts"`          // which ranks are on which host
	Path    string   `json:"path,omitempty"` // "" = the agent's own program
	Args    []string `json:"args"`           // with the program's name
	Env     []string `json:"env"`            // beside that of the agent
	Folder  string   `json:"folder"`         // to run in, where it is there
	Pin     string   `json:"pin"`            // policy of host.Plan
	Threads int      `json:"threads"`        // of each rank, which get a core each
}

// An answer reports whether an order was carried out.
type answer struct {
	Cores []int  `json:"cores,omitempty"` // of its ranks; nil = they are not pinned
	Error string `json:"error,omitempty"` // "" = all have been started
}

// agent is the launcher's part on one host.
type agent struct {
	*conduit
	tunnels *tunnels  // to agents that this one has connected
	job     *agentJob // under way, nil if there is none
	mu      sync.Mutex
}

// agentJob is one job on this host.
type agentJob struct {
	meeting *meeting
	crew    *crew
	out     *outputs
	outlets [2]*outlet
}

// Agent is the launcher's part on one host: it starts the ranks that the other end of s orders,
// lets them meet those of other hosts, and carries their output and their ends there. It returns
// when the stream ends. The ranks that are left then are killed.
//
// Standard input and output, where s is these, must not be used by anything else.
func Agent(s Stream) error {
	hello := greeting{Protocol: agentProtocol, Digest: digest(), Identity: identity(), Arch: runtime.GOARCH}
	hello.Hostname, _ = os.Hostname()
	if allowed, err := host.AllowedCores(); err == nil {
		hello.Cores = len(allowed)
	}
	return hello.serve(s)
}

// serve is Agent with another greeting.
func (hello greeting) serve(s Stream) error {
	// The end of whoever reads standard output is an error of Write.
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

// rootBeats is the time-out of the root, in beats: an agent that receives nothing for so long ends
// its ranks. It does not count while the root is stopped by a terminal, which announces that.
const rootBeats = 60

// serve does what the root sends, until the stream ends. ctx is for what connects further agents.
func (a *agent) serve(ctx context.Context) error {
	for {
		kind, length, err := a.receive()
		if err != nil {
			return err
		}
		job := a.current()
		if kind == frameBlobs && job != nil {
			blobs, err := readBlobs(a, job.size(), length)
			if err != nil {
				return err
			}
			job.meeting.complete(blobs)
			continue
		}
		body, err := readBody(a, kind, length, maxOrder)
		if err != nil {
			return err
		}
		switch {
		case kind == frameDial:
			var d dialing
			if err := json.Unmarshal(body, &d); err != nil {
				return err
			}
			go a.dial(ctx, d)
		case kind.ofTunnel():
			if err := a.tunnels.handle(kind, body); err != nil {
				return err
			}
		case kind == frameOrder && job == nil:
			var o order
			if err := json.Unmarshal(body, &o); err != nil {
				return err
			}
			a.start(o)
		case job == nil: // it has ended meanwhile
		case kind == frameLost || kind == frameFailed:
			if len(body) < 4 {
				return &frameError{kind, length}
			}
			rank, cause := int(int32(binary.LittleEndian.Uint32(body))), string(body[4:])
			if kind == frameLost {
				job.meeting.leave(rank, cause)
			} else {
				job.meeting.fail(rank, cause)
			}
		case kind == frameSignal && length == 4:
			sig := syscall.Signal(binary.LittleEndian.Uint32(body))
			a.paused.Store(sig == syscall.SIGSTOP)
			job.crew.signal(sig)
		case kind == frameMute && length == 1 && body[0] >= 1 && body[0] <= 2:
			job.outlets[body[0]-1].mute()
		default:
			return &frameError{kind, length}
		}
	}
}

// maxOrder is the most bytes of a frame that is no blob: environments may be long.
const maxOrder = 16 << 20

func (a *agent) current() *agentJob {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.job
}

func (j *agentJob) size() int { return j.meeting.relay.(uplink).size }

// start does what is ordered.
func (a *agent) start(o order) {
	seats := make([]seat, len(o.Ranks))
	cores, err := o.place()
	if err != nil {
		a.refuse(o, err)
		return
	}
	for i, rank := range o.Ranks {
		seats[i] = seat{rank, -1}
		if cores != nil {
			seats[i].core = cores[i]
		}
	}
	if o.Folder != "" {
		os.Chdir(o.Folder) // where it is there; a home is as good for what ranks do
	}
	job := &agentJob{meeting: newMeeting(o.Ranks, uplink{a.conduit, o.Size})}
	for i := range job.outlets {
		job.outlets[i] = &outlet{a: a, number: byte(i + 1)}
	}
	if job.out, err = openOutputs(job.outlets[0], job.outlets[1]); err != nil {
		a.refuse(o, err)
		return
	}
	what := executable{path: o.Path, args: o.Args, env: append(os.Environ(), o.Env...), size: o.Size, on: o.Hosts}
	if what.path == "" {
		what.path = "/proc/self/exe"
	}
	stops := &Stops{}
	ended := make(chan Status, len(seats))
	job.crew, err = startCrew(what, seats, [3]*os.File{nil, job.out.files[0], job.out.files[1]}, job.meeting, stops, ended)
	job.out.started()
	if err != nil {
		if job.crew != nil {
			job.crew.signal(syscall.SIGKILL)
			for range job.crew.all {
				<-ended
			}
			job.crew.end()
		}
		job.out.end(0)
		a.refuse(o, err)
		return
	}
	a.mu.Lock()
	a.job = job
	a.mu.Unlock()
	a.sendJSON(frameBegun, answer{Cores: cores})
	a.writer.Go(func() { a.follow(job, ended) })
}

// place returns the cores of the ranks.
func (o order) place() ([]int, error) {
	if o.Pin == "" {
		return nil, nil
	}
	threads := max(1, o.Threads)
	all, err := host.Place(len(o.Ranks)*threads, o.Pin)
	if err != nil || all == nil {
		return nil, err
	}
	var cores []int
	for i := range o.Ranks {
		cores = append(cores, all[i*threads])
	}
	return cores, nil
}

// refuse answers that no rank of an order runs.
func (a *agent) refuse(o order, err error) {
	a.sendJSON(frameBegun, answer{Error: err.Error()})
}

// follow sends how the ranks of a job end.
func (a *agent) follow(job *agentJob, ended <-chan Status) {
	for range job.crew.all {
		status := <-ended
		job.meeting.leave(status.Rank, status.String())
		a.sendJSON(frameStatus, status)
	}
	job.crew.end()
	job.out.end(outputPatience)
	for _, m := range job.outlets {
		m.flush()
	}
	a.mu.Lock()
	a.job = nil
	a.mu.Unlock()
	a.send(frameOver, nil)
}

// abandon kills the ranks of the job under way.
func (a *agent) abandon() {
	if job := a.current(); job != nil {
		job.crew.signal(syscall.SIGKILL)
	}
}

// uplink connects the meeting of an agent's ranks to that of the job.
type uplink struct {
	*conduit
	size int // of the job
}

func (u uplink) gather(blobs [][]byte) bool {
	u.sendBlobs(blobs)
	return false
}

func (u uplink) left(e *device.PeerError) { u.sendLost(frameLost, e.Rank, e.Cause) }

func (u uplink) failed(*device.PeerError) {} // the root has said so

// outlet sends the output of ranks to the root, in whole lines as far as they are not long, so
// that those of several hosts can be mixed.
type outlet struct {
	a      *agent
	number byte
	mu     sync.Mutex
	part   []byte
	silent bool
}

// longLine is the most bytes of an incomplete line that are held back.
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

// flush sends what did not end its line.
func (m *outlet) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass(len(m.part))
}

// pass sends the first bytes that are held, with the lock held.
func (m *outlet) pass(count int) error {
	if count == 0 {
		return nil
	}
	if err := m.a.room(); err != nil {
		return err
	}
	m.a.send(frameOutput, append([]byte{m.number}, m.part[:count]...))
	m.part = append(m.part[:0], m.part[count:]...)
	return nil
}

func (m *outlet) mute() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.silent = true
}

// digest is the SHA-256 sum of the file of this program, "" where it cannot be read.
var digest = sync.OnceValue(func() string {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
})
