// Package remote runs jobs on several hosts. Connect starts an agent on each host by ssh, directly
// or through agents that are connected, and sends it the program if that is not there. An agent
// forks the ranks of its host (package fork); a Cluster gives it orders, and both carry frames of
// package exchange between the ranks.
package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"gobench/device"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/exchange"
	"gobench/internal/launch/host"
	"gobench/internal/launch/hostlist"
	"gobench/internal/launch/signals"
	"gobench/internal/launch/watch"
	"gobench/launch"
	"gobench/launch/outcome"
)

// A Cluster connects the agents of several hosts, on which jobs run one after the other.
type Cluster struct {
	agents []*connection // one of each host
	all    []*connection // also further ones of a host; each after the agent that has connected it
	notice func(string)  // Options.Notice
	skip   func(*MemberError)
	leave  func() // of attend, while no job runs; nil before the hosts are connected
	closed sync.Once
}

// clusterJob is a job on several hosts.
type clusterJob struct {
	meeting *exchange.Meeting
	ended   chan outcome.Status
	failed  chan error   // one of the agents could not start its ranks
	notice  func(string) // launch.Spec.Notice
	hosts   atomic.Int32 // that have not started their ranks yet
	started func()       // launch.Spec.Started

	mu     sync.Mutex
	out    [2]io.Writer
	outErr error
}

// attend stops this process when a terminal asks for it while no job runs, and has the agents wait
// for it, until leave is called.
func (c *Cluster) attend() (leave func()) {
	stops := signals.NotifyStops()
	quit, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		defer stops.End()
		for {
			select {
			case <-quit:
				return
			case <-stops.C:
			}
			for _, a := range c.all {
				a.Signal(syscall.SIGSTOP)
			}
			for _, a := range c.all {
				a.Settle()
			}
			stops.Stop()
			for _, a := range c.all {
				a.Signal(syscall.SIGCONT)
			}
		}
	}()
	return func() {
		close(quit)
		<-left
	}
}

// add adds further agents, each nil if it has an error. Unless such hosts are skipped, an error
// closes the cluster.
func (c *Cluster) add(agents []*connection, errs []error) error {
	for i, a := range agents {
		if errs[i] != nil {
			if failed, ok := errors.AsType[*MemberError](errs[i]); ok && c.skip != nil {
				c.skip(failed)
				errs[i] = nil
			}
			continue
		}
		c.all = append(c.all, a)
		same := slices.IndexFunc(c.agents, func(b *connection) bool { return b.Identity == a.Identity })
		if same >= 0 {
			one := &c.agents[same].member.Host
			one.Slots += a.member.Host.Slots
			if c.notice != nil {
				c.notice(fmt.Sprintf("%s and %s are one host: %[1]s runs the ranks of both, and no message between them takes a network", one.Name, a.member.Host.Name))
			}
			continue
		}
		c.agents = append(c.agents, a)
	}
	if err := errors.Join(errs...); err != nil {
		c.Close()
		return err
	}
	return nil
}

// prune ends redundant agents of a host, unless they connect further agents.
func (c *Cluster) prune() {
	for _, a := range c.all {
		if !slices.Contains(c.agents, a) && !a.tunnels.used() {
			a.close()
		}
	}
}

// Open runs this program on a member of Hosts, by its number there, with further arguments, and
// returns its standard input and output. Its end closes the stream, and the end of the stream
// closes its standard input. Streams may be used while a job runs.
func (c *Cluster) Open(ctx context.Context, host int, args ...string) (Stream, error) {
	m, err := c.agents[host].dial(ctx, hostlist.Host{Name: "localhost"}, Options{Args: args})
	if err != nil {
		return nil, &MemberError{c.agents[host].member.Host.Name, err.Error()}
	}
	return m.Stream, nil
}

// Hosts returns the members in their order.
func (c *Cluster) Hosts() []hostlist.Host {
	var list []hostlist.Host
	for _, a := range c.agents {
		list = append(list, a.member.Host)
	}
	return list
}

// Close ends the agents.
func (c *Cluster) Close() {
	c.closed.Do(func() {
		if c.leave != nil {
			c.leave()
		}
		for _, a := range slices.Backward(c.all) {
			a.close()
			<-a.done
			if a.member.Ended != nil {
				a.member.Ended()
			}
		}
	})
}

// Run is launch.Local on the hosts of the cluster: spec.Map assigns ranks to hosts, spec.Pin to the
// cores of each. The standard input of rank 0 is empty. Variables of spec.Env that affect gobench
// or its libraries are set on every host.
//
// If a host is lost during a job, its ranks fail. No further job can run then.
func (c *Cluster) Run(ctx context.Context, spec launch.Spec) (*outcome.Result, error) {
	spec, err := spec.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	on, err := hostlist.Assign(spec.Map, c.Hosts(), spec.Ranks)
	if err != nil {
		return nil, err
	}
	ends := signals.NotifyEnds()
	defer ends.End()
	c.leave()
	stops := signals.NotifyStops()
	defer func() {
		stops.End()
		c.leave = c.attend()
	}()

	job := &clusterJob{ended: make(chan outcome.Status, spec.Ranks), failed: make(chan error, len(c.agents)), notice: spec.Notice, started: spec.Started, out: [2]io.Writer{spec.Stdout, spec.Stderr}}
	parts := make(map[*connection]*hostJob)
	var hosts []detect.HostRanks
	for rank, i := range on {
		a := c.agents[i]
		p := parts[a]
		if p == nil {
			p = &hostJob{job: job, living: map[int]bool{}, over: make(chan struct{})}
			parts[a] = p
		}
		p.ranks = append(p.ranks, rank)
		p.living[rank] = true
	}
	var groups []watch.Group
	for _, a := range c.all { // also those without ranks, which wait where a terminal stops this process
		groups = append(groups, a)
	}
	var used downlinks
	for _, a := range c.agents {
		if p := parts[a]; p != nil {
			hosts = append(hosts, detect.HostRanks{Name: a.member.Host.Name, Ranks: p.ranks})
			used = append(used, a)
		}
	}
	job.meeting = exchange.NewMeeting(exchange.AllRanks(spec.Ranks), used)
	if spec.Notice != nil {
		// Agents report missing ranks themselves; this reports agents that have not answered at
		// all.
		defer job.meeting.Remind(func([]int) {
			for a, p := range parts {
				if !p.begun.Load() {
					spec.Notice(fmt.Sprintf("waiting for host %s, which has not started its ranks %s", a.member.Host.Name, host.FormatCores(p.ranks)))
				}
			}
		})()
	}
	job.hosts.Store(int32(len(parts)))
	factor := int32(0) // the same for all, because one agent may be behind another
	for a, p := range parts {
		factor = max(factor, a.greeting.timeoutFactor(len(p.ranks)))
	}
	for _, a := range c.all {
		a.conduit.timeoutFactor.Store(factor)
	}
	directory, _ := os.Getwd()
	for a, p := range parts {
		if err := a.begin(p); err != nil {
			job.fail(err)
		}
		a.sendJSON(exchange.FrameOrder, order{
			Size: spec.Ranks, Ranks: p.ranks, Hosts: detect.FormatHosts(hosts), Path: remotePath(spec.Path), Args: spec.Args,
			Env: carried(spec.Env, spec.Forward), Directory: directory, Pin: spec.Pin, Threads: spec.Threads,
		})
	}
	result, err := watch.New(watch.Job{
		Ranks: spec.Ranks, Linger: spec.Linger, Grace: spec.Grace, Meeting: job.meeting, Stops: stops,
		Groups: groups, Living: spec.Ranks, Ended: job.ended, Failed: job.failed,
	}).Run(ctx, ends)
	for _, p := range parts {
		<-p.over
	}
	if err == nil && job.outErr != nil {
		err = fmt.Errorf("output of the ranks is lost: %w", job.outErr)
	}
	return result, err
}

func remotePath(path string) string {
	if path == "/proc/self/exe" {
		return ""
	}
	return path
}

// carriedPrefixes lists prefixes of environment variables that are passed to ranks on other hosts.
var carriedPrefixes = []string{"GOBENCH_", "UCX_", "FI_", "NCCL_", "OMP_", "GOMAXPROCS=", "GOGC=", "GODEBUG=", "GORACE=", "GOTRACEBACK="}

// carried returns the variables of env that are passed to other hosts: those with a prefix of
// carriedPrefixes, and those in named.
func carried(env, named []string) []string {
	var list []string
	for _, variable := range detect.CleanEnv(env) {
		name, _, _ := strings.Cut(variable, "=")
		if slices.Contains(named, name) || slices.ContainsFunc(carriedPrefixes, func(p string) bool { return strings.HasPrefix(variable, p) }) {
			list = append(list, variable)
		}
	}
	return list
}

// downlinks is the relay of the root: it forwards failures in the meeting to all agents.
type downlinks []*connection

// Gather sends the blobs of all ranks to the agents. Like left, it is called with the lock of the
// meeting held, so an agent receives the end of an exchange before the report of a rank that left
// after it.
func (u downlinks) Gather(blobs [][]byte) bool {
	for _, a := range u {
		a.sendBlobs(blobs)
	}
	return true
}

func (u downlinks) Left(e *device.PeerError) {
	for _, a := range u {
		a.sendLost(exchange.FrameLost, e.Rank, e.Cause)
	}
}

func (u downlinks) Failed(e *device.PeerError) {
	for _, a := range u {
		a.sendLost(exchange.FrameFailed, e.Rank, e.Cause)
	}
}

// fail notes that ranks could not be started.
func (j *clusterJob) fail(err error) {
	select {
	case j.failed <- err:
	default: // another error is pending
	}
}

// write writes output of ranks. After the first error of a writer it writes nothing more to it.
func (j *clusterJob) write(to int, b []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.out[to] == nil {
		return j.outErr
	}
	if _, err := j.out[to].Write(b); err != nil {
		j.out[to] = nil
		j.outErr = cmp.Or(j.outErr, err)
		return err
	}
	return nil
}
