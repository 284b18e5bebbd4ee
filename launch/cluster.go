package launch

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"gobench/device"
)

// A Member is the stream to the agent of one host, before anything was read from it.
type Member struct {
	Host   Host
	Stream Stream
	// Ended returns a sentence about the end of the stream, such as what ssh wrote; nil or ""
	// where there is nothing to say.
	Ended func() string
}

// Cluster is the agents of several hosts, on which jobs run one after the other.
type Cluster struct {
	agents []*remote
	closed sync.Once
}

// remote is the root's side of one agent.
type remote struct {
	*conduit
	member Member
	greeting
	done chan struct{} // closed when nothing more is received

	mu   sync.Mutex
	job  *remoteJob // under way
	lost string     // why the agent is gone, "" while it is there
}

// remoteJob is the part of a job on one host.
type remoteJob struct {
	job     *clusterJob
	ranks   []int
	living  map[int]bool
	over    chan struct{}
	stopped sync.Once
}

// clusterJob is a job on several hosts.
type clusterJob struct {
	meeting *meeting
	ended   chan Status
	failed  chan error // one of the agents could not start its ranks

	mu     sync.Mutex
	out    [2]io.Writer
	outErr error
}

// MemberError is the reason for which a host cannot take part.
type MemberError struct {
	Host    string
	Problem string
}

func (e *MemberError) Error() string { return fmt.Sprintf("host %s: %s", e.Host, e.Problem) }

// NewCluster reads the greetings of the agents at the other ends of the streams. Agents of one
// host become one member, with the slots of all.
func NewCluster(members []Member) (*Cluster, error) {
	c := &Cluster{}
	var failed []error
	greeted := make([]*remote, len(members))
	errs := make([]error, len(members))
	var wait sync.WaitGroup
	for i, m := range members {
		wait.Go(func() {
			r := bufio.NewReader(m.Stream)
			g, err := readGreeting(r)
			if err == nil {
				err = g.check()
			}
			if err != nil {
				errs[i] = &MemberError{m.Host.Name, err.Error()}
				m.Stream.Close()
				return
			}
			greeted[i] = &remote{conduit: newConduit(m.Stream, r, agentBeats), member: m, greeting: g, done: make(chan struct{})}
		})
	}
	wait.Wait()
	for i, a := range greeted {
		if errs[i] != nil {
			failed = append(failed, errs[i])
			continue
		}
		same := slices.IndexFunc(c.agents, func(b *remote) bool { return b.Identity == a.Identity })
		if same >= 0 {
			c.agents[same].member.Host.Slots += a.member.Host.Slots
			a.close()
			continue
		}
		c.agents = append(c.agents, a)
	}
	for _, a := range c.agents {
		go a.receiveAll()
	}
	if failed != nil {
		c.Close()
		return nil, errors.Join(failed...)
	}
	return c, nil
}

// agentBeats is the time-out of an agent, in beats: longer than a host may be stopped (8 s), and about
// the default of the transports' peer time-out (10 s).
const agentBeats = 11

// readGreeting looks for the first line of an agent.
func readGreeting(r *bufio.Reader) (greeting, error) {
	var g greeting
	text, err := readMark(r, agentMark)
	if err != nil {
		return g, err
	}
	return g, json.Unmarshal([]byte(text), &g)
}

// readMark returns the rest of the first line that begins with mark. What stands before it is
// what the profile of a shell prints.
func readMark(r *bufio.Reader, mark string) (string, error) {
	var before []byte
	for len(before) < 64<<10 {
		line, err := r.ReadString('\n')
		if rest, ok := strings.CutPrefix(line, mark); ok && err == nil {
			return rest, nil
		}
		before = append(before, line...)
		if err != nil {
			break
		}
	}
	if said := strings.TrimSpace(string(before)); said != "" {
		return "", fmt.Errorf("no agent answers there, but %q", lastLine(said))
	}
	return "", errors.New("no agent answers there")
}

func lastLine(s string) string {
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// check compares an agent's program with this one.
func (g greeting) check() error {
	switch {
	case g.Protocol != agentProtocol || g.Digest != digest():
		return fmt.Errorf("its gobench is another build (SHA-256 %.12s..., here %.12s...): all hosts need the same file; --copy=auto brings it there", g.Digest, digest())
	}
	return nil
}

// Hosts returns the members in their order.
func (c *Cluster) Hosts() []Host {
	var list []Host
	for _, a := range c.agents {
		list = append(list, a.member.Host)
	}
	return list
}

// Close ends the agents.
func (c *Cluster) Close() {
	c.closed.Do(func() {
		for _, a := range c.agents {
			a.close()
			<-a.done
			if a.member.Ended != nil {
				a.member.Ended()
			}
		}
	})
}

// Run is Local on the hosts of the cluster: spec.Map puts the ranks on them, spec.Pin on the cores
// of each. Rank 0 reads an empty file. The variables of spec.Env that concern gobench and the
// libraries that it uses are set on every host.
//
// A host that is lost in the middle fails its ranks. No further job runs then.
func (c *Cluster) Run(ctx context.Context, spec Spec) (*Result, error) {
	if err := checkNested(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, stopped(ctx)
	}
	spec, err := spec.withDefaults()
	if err != nil {
		return nil, err
	}
	on, err := Place(spec.Map, c.Hosts(), spec.Ranks)
	if err != nil {
		return nil, err
	}
	signals := notify()
	defer signals.end()
	stops := NotifyStops()
	defer stops.End()

	job := &clusterJob{ended: make(chan Status, spec.Ranks), failed: make(chan error, len(c.agents)), out: [2]io.Writer{spec.Stdout, spec.Stderr}}
	parts := make(map[*remote]*remoteJob)
	var hosts []hostRanks
	for rank, i := range on {
		a := c.agents[i]
		p := parts[a]
		if p == nil {
			p = &remoteJob{job: job, living: map[int]bool{}, over: make(chan struct{})}
			parts[a] = p
		}
		p.ranks = append(p.ranks, rank)
		p.living[rank] = true
	}
	var groups []group
	var used downlinks
	for _, a := range c.agents {
		if p := parts[a]; p != nil {
			hosts = append(hosts, hostRanks{a.member.Host.Name, p.ranks})
			groups = append(groups, a)
			used = append(used, a)
		}
	}
	job.meeting = newMeeting(allRanks(spec.Ranks), used)
	folder, _ := os.Getwd()
	for a, p := range parts {
		if err := a.begin(p); err != nil {
			job.fail(err)
		}
		a.sendJSON(frameOrder, order{
			Size: spec.Ranks, Ranks: p.ranks, Hosts: formatHosts(hosts), Path: remotePath(spec.Path), Args: spec.Args,
			Env: carried(spec.Env, spec.Forward), Folder: folder, Pin: spec.Pin, Threads: spec.Threads,
		})
	}
	w := newWatch(spec, job.meeting, stops, groups, spec.Ranks, job.ended)
	w.failed = job.failed
	w.run(ctx, signals)
	for _, p := range parts {
		<-p.over
	}
	switch {
	case w.failure != nil:
		return nil, w.failure
	case w.cancelled:
		return w.result(), stopped(ctx)
	case job.outErr != nil:
		return w.result(), fmt.Errorf("output of the ranks is lost: %w", job.outErr)
	}
	return w.result(), nil
}

func remotePath(path string) string {
	if path == "/proc/self/exe" {
		return ""
	}
	return path
}

// carriedPrefixes begin the names of variables that ranks on other hosts get, too.
var carriedPrefixes = []string{"GOBENCH_", "UCX_", "FI_", "NCCL_", "OMP_", "GOMAXPROCS=", "GOGC=", "GODEBUG=", "GORACE=", "GOTRACEBACK="}

// carried returns the variables of env that go to other hosts: those of the prefixes, and those
// that are named.
func carried(env, named []string) []string {
	var list []string
	for _, variable := range cleanEnv(env) {
		name, _, _ := strings.Cut(variable, "=")
		if slices.Contains(named, name) || slices.ContainsFunc(carriedPrefixes, func(p string) bool { return strings.HasPrefix(variable, p) }) {
			list = append(list, variable)
		}
	}
	return list
}

// downlinks is the relay of the root: it passes failures in the meeting on to all agents.
type downlinks []*remote

// gather sends the blobs of all to the agents. It is called with the lock of the meeting held, as left
// is: no agent hears of a rank that has left after an exchange before it has the end of the exchange.
func (u downlinks) gather(blobs [][]byte) bool {
	for _, a := range u {
		a.sendBlobs(blobs)
	}
	return true
}

func (u downlinks) left(e *device.PeerError) {
	for _, a := range u {
		a.sendLost(frameLost, e.Rank, e.Cause)
	}
}

func (u downlinks) failed(e *device.PeerError) {
	for _, a := range u {
		a.sendLost(frameFailed, e.Rank, e.Cause)
	}
}

// begin makes p the job of the agent.
func (a *remote) begin(p *remoteJob) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lost != "" {
		go a.drop(p, a.lost)
		return &MemberError{a.member.Host.Name, a.lost}
	}
	a.job = p
	return nil
}

// signal implements group.
func (a *remote) signal(sig syscall.Signal) {
	a.send(frameSignal, binary.LittleEndian.AppendUint32(nil, uint32(sig)))
}

// settle implements group.
func (a *remote) settle() { a.flush(settlePatience) }

// settlePatience is the time-out for a signal on its way to a host, which may not take it any more.
const settlePatience = time.Second

// receiveAll receives until the agent is gone.
func (a *remote) receiveAll() {
	defer close(a.done)
	err := a.receiveSome()
	a.fail(err)
	why := err.Error()
	if err == io.EOF {
		why = "its agent has ended"
	}
	if a.member.Ended != nil && !errors.Is(err, errSilent) { // else ssh waits longer than anybody here
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
}

// drop ends the ranks of an agent that is gone.
func (a *remote) drop(p *remoteJob, why string) {
	for _, rank := range p.ranks {
		if p.living[rank] {
			delete(p.living, rank)
			p.job.ended <- Status{Rank: rank, Code: 1, Host: a.member.Host.Name, Lost: why}
		}
	}
	p.finish()
}

func (p *remoteJob) finish() { p.stopped.Do(func() { close(p.over) }) }

func (a *remote) receiveSome() error {
	for {
		kind, length, err := a.receive()
		if err != nil {
			return err
		}
		a.mu.Lock()
		p := a.job
		a.mu.Unlock()
		if p == nil {
			return &frameError{kind, length}
		}
		if kind == frameBlobs {
			blobs, err := readBlobs(a, len(p.ranks), length)
			if err != nil {
				return err
			}
			a.meet(p, blobs)
			continue
		}
		body, err := readBody(a, kind, length, maxOrder)
		if err != nil {
			return err
		}
		if err := a.handle(p, kind, body); err != nil {
			return err
		}
	}
}

// meet brings the blobs of an agent's ranks to the meeting, which sends those of all to the agents when
// they are there.
func (a *remote) meet(p *remoteJob, blobs [][]byte) {
	for i, rank := range p.ranks {
		if _, err := p.job.meeting.arrive(context.Background(), rank, blobs[i]); err != nil {
			return // the agent has been told that a rank was lost
		}
	}
}

func (a *remote) handle(p *remoteJob, kind frameKind, body []byte) error {
	job := p.job
	switch {
	case kind == frameBegun:
		var answer answer
		if err := json.Unmarshal(body, &answer); err != nil {
			return err
		}
		if answer.Error != "" {
			job.fail(&MemberError{a.member.Host.Name, answer.Error})
			a.forget(p)
			a.drop(p, answer.Error)
		}
	case kind == frameOutput && len(body) > 1 && body[0] >= 1 && body[0] <= 2:
		if job.write(int(body[0]-1), body[1:]) != nil {
			a.send(frameMute, body[:1])
		}
	case kind == frameLost && len(body) >= 4:
		job.meeting.leave(int(int32(binary.LittleEndian.Uint32(body))), string(body[4:]))
	case kind == frameStatus:
		var s Status
		if err := json.Unmarshal(body, &s); err != nil {
			return err
		}
		if !p.living[s.Rank] {
			return &frameError{kind, len(body)}
		}
		delete(p.living, s.Rank)
		s.Host = a.member.Host.Name
		job.ended <- s
	case kind == frameOver && len(body) == 0 && len(p.living) == 0:
		a.forget(p)
		p.finish()
	default:
		return &frameError{kind, len(body)}
	}
	return nil
}

// forget ends the job of the agent, which may get another.
func (a *remote) forget(p *remoteJob) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.job = nil
}

// fail notes that ranks could not be started.
func (j *clusterJob) fail(err error) {
	select {
	case j.failed <- err:
	default: // another is told
	}
}

// write writes output of ranks. After the first error of a writer nothing more is written to it.
func (j *clusterJob) write(to int, b []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.out[to] == nil {
		return j.outErr
	}
	if _, err := j.out[to].Write(b); err != nil {
		j.out[to] = nil
		if j.outErr == nil {
			j.outErr = err
		}
		return err
	}
	return nil
}
