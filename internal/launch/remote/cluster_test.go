package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/internal/lab"
	"gobench/internal/launch/exchange"
	"gobench/internal/launch/host"
	"gobench/internal/launch/hostlist"
	"gobench/internal/launch/launchtest"
	"gobench/launch"
	"gobench/launch/outcome"
)

// envAgentHost is the host that an agent "asked" claims to be on; without it, it is an agent of
// this host.
const envAgentHost = "LAUNCH_TEST_AGENT_HOST"

// agentRole is an agent that claims to be on its own host.
func agentRole(name string) int {
	stream, err := StandardStream()
	if err != nil {
		return 97
	}
	if name == "asked" {
		if name = os.Getenv(envAgentHost); name == "" {
			if Agent(stream) != nil {
				return 1
			}
			return 0
		}
	}
	g := greeting{Protocol: agentProtocol, Digest: digest(), Identity: name, Hostname: name}
	if name == "otherbuild" {
		g.Digest = strings.Repeat("0", 64)
	}
	if g.serve(stream) != nil {
		return 1
	}
	return 0
}

// newCluster returns a cluster of the agents at the other ends of the streams, without ssh.
func newCluster(members []Member) (*Cluster, error) {
	c := &Cluster{}
	agents, errs := make([]*connection, len(members)), make([]error, len(members))
	for i, m := range members {
		agents[i], errs[i] = greetAgent(m, agentBeats)
	}
	if err := c.add(agents, errs); err != nil {
		return nil, err
	}
	c.prune()
	c.leave = c.attend()
	return c, nil
}

// startAgents starts agents that are as good as on other hosts.
func startAgents(t *testing.T, hosts ...hostlist.Host) (*Cluster, error) {
	t.Helper()
	var members []Member
	for _, h := range hosts {
		c, err := startChild("/proc/self/exe", []string{"agent", h.Name})
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, Member{h, c, c.wait})
	}
	c, err := newCluster(members)
	if err == nil {
		t.Cleanup(c.Close)
	}
	return c, err
}

func agents(t *testing.T, hosts ...hostlist.Host) *Cluster {
	t.Helper()
	c, err := startAgents(t, hosts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// run runs a job of a role under the watchdog.
func (c *Cluster) run(t *testing.T, role string, ranks int, change func(*launch.Spec)) (*outcome.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), launchtest.Watchdog)
	defer cancel()
	spec := launchtest.Spec(role, ranks)
	spec.Forward = []string{launchtest.EnvRole}
	if change != nil {
		change(&spec)
	}
	return c.Run(ctx, spec)
}

func TestRanksOfSeveralHostsExchange(t *testing.T) {
	c := agents(t, hostlist.Host{Name: "h1", Slots: 1}, hostlist.Host{Name: "h2", Slots: 3}, hostlist.Host{Name: "h3", Slots: 2})
	for _, test := range []struct {
		role, policy string
		ranks        int
	}{{"exchange", "fill", 1}, {"exchange", "spread", 3}, {"exchange", "fill", 64}, {"many", "spread", 5}, {"large", "fill", 4}} {
		r, err := c.run(t, test.role, test.ranks, func(s *launch.Spec) { s.Map = test.policy })
		if err != nil || r.ExitCode != 0 || r.First != -1 {
			t.Errorf("%s, %d ranks: %+v, %v", test.role, test.ranks, r, err)
		}
	}
}

func TestRanksKnowTheirHosts(t *testing.T) {
	c := agents(t, hostlist.Host{Name: "h1", Slots: 2}, hostlist.Host{Name: "h2", Slots: 1})
	var out bytes.Buffer
	if _, err := c.run(t, "where", 3, func(s *launch.Spec) { s.Stdout = &out; s.Map = "spread" }); err != nil {
		t.Fatal(err)
	}
	want := []string{"rank 0 on h1, local 2, hosts [0 1 0]\n", "rank 1 on h2, local 1, hosts [0 1 0]\n", "rank 2 on h1, local 2, hosts [0 1 0]\n"}
	if got := slices.Sorted(strings.Lines(out.String())); !slices.Equal(got, want) {
		t.Errorf("ranks say %q, want %q", got, want)
	}
}

// Each host places the threads of its own ranks, so the second host begins with the same cores.
func TestThreadsOnSeveralHosts(t *testing.T) {
	allowed, err := host.AllowedCores()
	if err != nil {
		t.Fatal(err)
	}
	first, last := allowed[0], allowed[len(allowed)-1]
	c := agents(t, hostlist.Host{Name: "h1", Slots: 1}, hostlist.Host{Name: "h2", Slots: 1})
	var out bytes.Buffer
	if _, err := c.run(t, "hello", 2, func(s *launch.Spec) { s.Stdout, s.Threads, s.Pin = &out, 2, host.ListCores([]int{first, last}) }); err != nil {
		t.Fatal(err)
	}
	for rank := range 2 {
		want := fmt.Sprintf("rank %d of 2, local 1, chosen cores [%d %d], pinned to %[2]d\n", rank, first, last)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// Agents of one host are one member: ranks that can share memory must know that.
func TestTwoNamesOfOneHost(t *testing.T) {
	var said []string
	c, err := Connect(t.Context(), []hostlist.Host{{Name: "localhost", Slots: 1}, {Name: "127.0.0.1", Slots: 2}}, Options{Args: []string{"agent", "asked"}, Notice: func(line string) { said = append(said, line) }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got, want := c.Hosts(), []hostlist.Host{{Name: "localhost", Slots: 3}}; !slices.Equal(got, want) {
		t.Errorf("hosts %v, want %v", got, want)
	}
	if len(said) != 1 || !strings.HasPrefix(said[0], "localhost and 127.0.0.1 are one host: localhost runs the ranks of both") {
		t.Errorf("it says %q", said)
	}
}

func TestFailuresOnOtherHosts(t *testing.T) {
	c := agents(t, hostlist.Host{Name: "h1", Slots: 1}, hostlist.Host{Name: "h2", Slots: 1}, hostlist.Host{Name: "h3", Slots: 1})
	for _, test := range []struct {
		role string
		code int
		said string // of the job's error
	}{
		{"exit7", 7, "on h2 exited with code 7"},
		{"killed", 1, "on h2 was killed by signal 9"},
		{"deaf", 5, "on h1 exited with code 5"},
		{"computing", 1, "on h2 was killed by signal 9"},
	} {
		r, err := c.run(t, test.role, 3, func(s *launch.Spec) { s.Linger = time.Second / 2 })
		if err != nil {
			t.Fatal(err)
		}
		if r.ExitCode != test.code || !strings.HasSuffix(r.Err().Error(), test.said) && !strings.Contains(r.Err().Error(), test.said) {
			t.Errorf("%s: code %d, %v", test.role, r.ExitCode, r.Err())
		}
	}
}

// What the first failing rank has told is there for the launcher, wherever it ran.
func TestLastWords(t *testing.T) {
	c := agents(t, hostlist.Host{Name: "h1", Slots: 1}, hostlist.Host{Name: "h2", Slots: 1})
	r, err := c.run(t, "tells", 2, nil)
	if err != nil || r.First != 1 || r.Ranks[1].Told != "rank 0 is no good" {
		t.Errorf("%+v, %v", r, err)
	}
	local := launchtest.Run(t, launchtest.Spec("tells", 2))
	if local.First != 1 || local.Ranks[1].Told != "rank 0 is no good" {
		t.Errorf("%+v", local)
	}
}

// An agent that is killed takes its ranks with it, and the others end.
func TestAgentIsKilled(t *testing.T) {
	c := agents(t, hostlist.Host{Name: "h1", Slots: 1}, hostlist.Host{Name: "h2", Slots: 2})
	said := &watched{want: 3}
	said.then = func() { c.agents[1].member.Stream.(*child).cmd.Process.Kill() }
	r, err := c.run(t, "interrupt", 3, func(s *launch.Spec) { s.Stdout, s.Linger = said, -1 })
	if err != nil || r.ExitCode != 1 || r.First == 0 || !strings.Contains(r.Err().Error(), "was killed by signal 9") {
		t.Errorf("%+v, %v", r, err)
	}
	for _, pid := range said.pids {
		awaitEnd(t, pid)
	}
	if r, err = c.run(t, "exchange", 3, nil); r != nil || err == nil || !strings.Contains(err.Error(), "host h2: ") {
		t.Errorf("another job: %+v, %v", r, err)
	}
	if _, err := c.run(t, "exchange", 1, nil); err != nil {
		t.Errorf("a job on the hosts that are left: %v", err)
	}
}

// Ranks end when the stream to the root does, which is all that a dead root can do.
func TestRootIsGone(t *testing.T) {
	c := agents(t, hostlist.Host{Name: "h1", Slots: 2})
	said := &watched{want: 2}
	said.then = func() { c.agents[0].member.Stream.Close() }
	r, err := c.run(t, "immune", 2, func(s *launch.Spec) { s.Stdout = said })
	if err != nil || r.ExitCode != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, pid := range said.pids {
		awaitEnd(t, pid)
	}
}

func TestProgramIsNotThere(t *testing.T) {
	c := agents(t, hostlist.Host{Name: "h1", Slots: 1}, hostlist.Host{Name: "h2", Slots: 1})
	_, err := c.run(t, "exchange", 2, func(s *launch.Spec) { s.Path = "/nonexistent/program" })
	if err == nil || !strings.Contains(err.Error(), "/nonexistent/program cannot be started: no such file") || !strings.HasPrefix(err.Error(), "host h") {
		t.Errorf("error %v", err)
	}
	if _, err := c.run(t, "exchange", 2, nil); err != nil {
		t.Errorf("the next job: %v", err)
	}
}

func TestAnotherBuildIsRefused(t *testing.T) {
	_, err := startAgents(t, hostlist.Host{Name: "h1", Slots: 1}, hostlist.Host{Name: "otherbuild", Slots: 1})
	var refused *MemberError
	if !errors.As(err, &refused) || refused.Host != "otherbuild" || !strings.Contains(err.Error(), "another build") {
		t.Errorf("error %v", err)
	}
}

func TestNoAgentAnswers(t *testing.T) {
	c, err := startChild("/bin/echo", []string{"Welcome to h1"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.wait()
	_, err = newCluster([]Member{{hostlist.Host{Name: "h1", Slots: 1}, c, c.wait}})
	if want := `host h1: no agent answers there, but "Welcome to h1"`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// A notice that an agent sends while its job ends does not end the connection.
func TestNoticeBehindTheEnd(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	go fmt.Fprintf(far, "%s{\"protocol\":%d,\"digest\":%q}\n", agentMark, agentProtocol, digest())
	a, err := greetAgent(Member{Host: hostlist.Host{Name: "h1"}, Stream: near}, agentBeats)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	agent := newConduit(far, bufio.NewReader(far), rootBeats)
	defer agent.close()
	agent.send(exchange.FrameNotice, []byte("late"))
	agent.send(exchange.FrameOver, nil)
	unexpected := (*exchange.FrameError)(nil)
	<-a.done
	if !errors.As(a.conduit.err, &unexpected) || unexpected.Kind != exchange.FrameOver {
		t.Errorf("the connection ends with %v", a.conduit.err)
	}
}

// An agent without ranks hears the signals of a job, too: it waits where a terminal stops the root.
func TestSignalsReachAgentsWithoutRanks(t *testing.T) {
	c, err := startChild("/proc/self/exe", []string{"agent", "h1"})
	if err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	go fmt.Fprintf(far, "%s{\"protocol\":%d,\"digest\":%q,\"identity\":\"h2\"}\n", agentMark, agentProtocol, digest())
	cluster, err := newCluster([]Member{{hostlist.Host{Name: "h1", Slots: 1}, c, c.wait}, {hostlist.Host{Name: "h2", Slots: 1}, near, nil}})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	idle := newConduit(far, bufio.NewReader(far), rootBeats)
	defer idle.close()
	heard := make(chan exchange.FrameKind, 1)
	go func() {
		kind, _, _ := idle.receive()
		heard <- kind
	}()
	ctx, cancel := context.WithCancel(t.Context())
	spec := launchtest.Spec("sleep", 1)
	spec.Forward = []string{launchtest.EnvRole}
	spec.Started = cancel
	cluster.Run(ctx, spec)
	if kind := <-heard; kind != exchange.FrameSignal {
		t.Errorf("the agent without ranks has received frame %d, want a signal", kind)
	}
}

// Output that nobody takes ends the ranks that write it.
func TestOutputOfOtherHostsIsLost(t *testing.T) {
	c := agents(t, hostlist.Host{Name: "h1", Slots: 1})
	r, err := c.run(t, "chatter", 1, func(s *launch.Spec) { s.Stdout = brokenWriter{} })
	if err == nil || !strings.Contains(err.Error(), "output of the ranks is lost: no room") || r.ExitCode == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no room") }

// watched calls then once "ready PID" of all ranks was written.
type watched struct {
	want int
	part string
	pids []int
	then func()
}

func (w *watched) Write(b []byte) (int, error) {
	w.part += string(b)
	for {
		line, rest, ok := strings.Cut(w.part, "\n")
		if !ok {
			return len(b), nil
		}
		w.part = rest
		var pid int
		if n, _ := fmt.Sscanf(line, "ready %d", &pid); n == 1 {
			w.pids = append(w.pids, pid)
		}
		if w.want--; w.want == 0 {
			w.then()
		}
	}
}

// awaitEnd returns when a process that is no child of this one has ended.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || bytes.Contains(stat, []byte(") Z ")) || syscall.Kill(pid, 0) != nil {
			return
		}
		if time.Since(begin) > launchtest.Watchdog {
			t.Fatalf("process %d lives", pid)
		}
	}
}

// Ranks that do not come to the first exchange are named, with their host, on this host and on
// others.
func TestMissingRanksAreNamed(t *testing.T) {
	t.Parallel()
	c := agents(t, hostlist.Host{Name: "h1", Slots: 1}, hostlist.Host{Name: "h2", Slots: 2})
	name, _ := os.Hostname()
	for _, test := range []struct {
		want string
		run  func(launch.Spec) (*outcome.Result, error)
	}{
		{"waiting for 1 of 3 ranks, which run and have not come to the first exchange: 1", func(s launch.Spec) (*outcome.Result, error) { return launch.Local(t.Context(), s) }},
		{"waiting for 1 of 3 ranks on " + name + ", which run and have not come to the first exchange: 1", func(s launch.Spec) (*outcome.Result, error) { return c.Run(t.Context(), s) }},
	} {
		spec := launchtest.Spec("late", 3)
		spec.Forward = []string{launchtest.EnvRole}
		var said lab.Text
		spec.Stderr = &said
		spec.Notice = func(line string) { fmt.Fprintln(&said, line) }
		r, err := test.run(spec)
		if err != nil || r.ExitCode != 0 || said.String() != test.want+"\n" {
			t.Errorf("%+v, %v; it says %q, want %q", r, err, said.String(), test.want)
		}
	}
}

// hostsLauncher launches ranks on two hosts, of which it prints the processes of the agents first.
func hostsLauncher() int {
	var members []Member
	for _, h := range []hostlist.Host{{Name: "h1", Slots: 1}, {Name: "h2", Slots: 2}} {
		c, err := startChild("/proc/self/exe", []string{"agent", h.Name})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 98
		}
		fmt.Printf("ready %d\n", c.cmd.Process.Pid)
		members = append(members, Member{Host: h, Stream: c})
	}
	c, err := newCluster(members)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 98
	}
	spec := launchtest.Spec("interrupt", 3)
	spec.Forward = []string{launchtest.EnvRole}
	result, err := c.Run(context.Background(), spec)
	return launchtest.Launched(result, err)
}

// A host whose agent is stopped, or that is cut off, keeps nobody either.
func TestStoppedHostIsGivenUp(t *testing.T) {
	t.Parallel()
	p := launchtest.StartProgram(t, "launch-hosts", 5)
	agent := p.PIDs[1]
	syscall.Kill(agent, syscall.SIGSTOP)
	launchtest.WaitState(t, agent, true)
	code, said := p.Ends(syscall.SIGINT)
	if want := "saved\ninterrupted by interrupt\n"; code != 1 || said != want {
		t.Errorf("exit code %d, output %q", code, said)
	}
	syscall.Kill(agent, syscall.SIGCONT) // it finds that the launcher has gone
	for _, pid := range p.PIDs {
		launchtest.WantGone(t, pid)
	}
}
