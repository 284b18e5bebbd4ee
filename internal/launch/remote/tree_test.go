package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/internal/lab"
	"gobench/internal/launch/exchange"
	"gobench/internal/launch/hostlist"
	"gobench/internal/launch/launchtest"
	"gobench/launch"
)

// No process connects more hosts than it may, none is connected by a later one, and the load of a
// level is even.
func TestShapeOfTheTree(t *testing.T) {
	for _, test := range []struct{ hosts, fan, levels int }{
		{1, 1, 1}, {3, 1, 3}, {6, 2, 2}, {7, 2, 3}, {128, 128, 1}, {129, 32, 2}, {1056, 32, 2}, {1057, 32, 3}, {5000, 32, 3},
	} {
		children, levels := map[int]int{}, 0
		depth := map[int]int{-1: 0}
		list := parents(test.hosts, test.fan)
		for host, p := range list {
			if p >= host || p < -1 {
				t.Fatalf("%d hosts, %d at once: host %d is connected by %d", test.hosts, test.fan, host, p)
			}
			children[p]++
			depth[host] = depth[p] + 1
			levels = max(levels, depth[host])
		}
		fewest := map[int]int{}
		for p, n := range children {
			if n > test.fan {
				t.Errorf("%d hosts: %d connects %d hosts, more than %d", test.hosts, p, n, test.fan)
			}
			if m, ok := fewest[depth[p]]; !ok || n < m {
				fewest[depth[p]] = n
			}
		}
		for p, n := range children {
			if n > fewest[depth[p]]+1 {
				t.Errorf("%d hosts, %d at once: %d connects %d hosts and another of its level %d", test.hosts, test.fan, p, n, fewest[depth[p]])
			}
		}
		if levels != test.levels {
			t.Errorf("%d hosts, %d at once: %d levels, want %d", test.hosts, test.fan, levels, test.levels)
		}
	}
	if (Options{}).fan(128) < 128 || (Options{}).fan(129) >= 128 {
		t.Error("the tree does not begin above 128 hosts")
	}
}

// shell stands for ssh: it runs the command here, as the host whose name it gets.
func shell(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "shell")
	text := "#!/bin/sh\n[ \"$1\" != u@locked -o -z \"$" + envAgentHost + "\" ] || { echo Permission denied '(publickey)' >&2; exit 255; }\nexport " + envAgentHost + "=$1\neval \"$2\"\n"
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// growTree connects hosts by a tree in which each process connects two, with agents of these tests.
func growTree(t *testing.T, how Options, names ...string) *Cluster {
	t.Helper()
	how.width = 2
	return connectAll(t, how, names)
}

// connectAll connects hosts, with agents of these tests.
func connectAll(t *testing.T, how Options, names []string) *Cluster {
	t.Helper()
	var hosts []hostlist.Host
	for _, name := range names {
		hosts = append(hosts, hostlist.Host{Name: name, Slots: 1})
	}
	how.Args = []string{"agent", "asked"}
	ctx, cancel := context.WithTimeout(t.Context(), launchtest.Watchdog)
	defer cancel()
	c, err := Connect(ctx, hosts, how)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestJobsRunInATree(t *testing.T) {
	c := growTree(t, Options{SSH: shell(t)}, "u@a1", "u@a2", "u@a3", "u@a4", "u@a5", "u@a6", "u@a7")
	roles := []string{"exchange", "many", "large"}
	if testing.Short() { // ranks of agents that the root connects take the same ways under the race detector
		roles = roles[:1]
	}
	for _, role := range roles {
		if r, err := c.run(t, role, 7, nil); err != nil || r.ExitCode != 0 {
			t.Errorf("%s: %+v, %v", role, r, err)
		}
	}
	r, err := c.run(t, "exit7", 7, nil)
	if err != nil || r.ExitCode != 7 || !strings.Contains(r.Err().Error(), "on u@a2 exited with code 7") {
		t.Errorf("%+v, %v", r, err)
	}
	// Host a1 connects a3, a5 and, by a3, a7.
	said := &watched{want: 7}
	said.then = func() { c.agents[0].member.Stream.(*child).cmd.Process.Kill() }
	r, err = c.run(t, "interrupt", 7, func(s *launch.Spec) { s.Stdout, s.Linger = said, -1 })
	if err != nil || r.First != 0 || !strings.Contains(r.Err().Error(), "was killed by signal 9") {
		t.Errorf("an agent in the middle is killed: %+v, %v", r, err)
	}
	for _, rank := range []int{2, 4, 6} {
		if !strings.Contains(r.Ranks[rank].Lost, "it was connected by u@a") {
			t.Errorf("rank %d: %+v", rank, r.Ranks[rank])
		}
	}
	for _, pid := range said.pids {
		awaitEnd(t, pid)
	}
}

// More hosts than the root connects itself: a part of them is connected by agents, and a job of a
// rank on each runs to its end.
func TestMoreHostsThanTheRootConnects(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundreds of processes take seconds to start")
	}
	const hosts = broad + 2
	var names []string
	for i := range hosts {
		names = append(names, fmt.Sprintf("u@a%d", i))
	}
	c := connectAll(t, Options{SSH: shell(t)}, names)
	direct := 0
	for _, a := range c.agents {
		if _, is := a.member.Stream.(*child); is {
			direct++
		}
	}
	if len(c.agents) != hosts || direct != width {
		t.Errorf("%d agents, of which the root has connected %d; want %d and %d", len(c.agents), direct, hosts, width)
	}
	if r, err := c.run(t, "exchange", hosts, nil); err != nil || r.ExitCode != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A host that the one before it in the tree cannot connect is connected by the root.
func TestTheRootConnectsWhatAgentsCannot(t *testing.T) {
	var notices bytes.Buffer
	c := growTree(t, Options{SSH: shell(t), Notice: func(s string) { fmt.Fprintln(&notices, s) }}, "u@a1", "u@a2", "u@locked")
	if r, err := c.run(t, "exchange", 3, nil); err != nil || r.ExitCode != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if !strings.Contains(notices.String(), "u@a1 cannot connect u@locked, which is connected from here: Permission denied (publickey)") {
		t.Errorf("it says %q", notices.String())
	}
}

// treeRole connects the hosts of a lab in a tree, and prints how a job of them ends.
func treeRole() int {
	var hosts []hostlist.Host
	for i := range 6 {
		hosts = append(hosts, hostlist.Host{Name: fmt.Sprintf("h%d", i+2), Slots: 1})
	}
	ctx, cancel := context.WithTimeout(context.Background(), launchtest.Watchdog)
	defer cancel()
	c, err := Connect(ctx, hosts, Options{Args: []string{"agent", "asked"}, width: 2})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer c.Close()
	for _, role := range []string{"abroad", "sleep"} {
		spec := launchtest.Spec(role, 6)
		spec.Forward = []string{launchtest.EnvRole}
		r, err := c.Run(ctx, spec)
		if err != nil || r.First >= 0 {
			fmt.Println(r.Err(), err)
		}
	}
	return 0
}

// Six hosts in two levels, over ssh; then the host of an agent that has connected two others
// vanishes.
func TestTreeOfHosts(t *testing.T) {
	t.Parallel()
	lab.Need(t, "ssh", "sshd")
	s := launchtest.NewSite(t, 7)
	cmd := s.Command([]string{launchtest.EnvRole + "=launch-tree"}, launchtest.Binary(t))
	var out lab.Text
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(launchtest.Watchdog, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ssh := func(h *lab.Host) (n int) {
		for _, line := range h.Processes() {
			if strings.HasPrefix(line, "ssh ") {
				n++
			}
		}
		return n
	}
	for strings.Count(out.String(), "ready") < 6 {
		select {
		case err := <-ended:
			t.Fatalf("%v: %s", err, out.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	if got, want := []int{ssh(s.Hosts[0]), ssh(s.Hosts[1]), ssh(s.Hosts[2]), ssh(s.Hosts[3])}, []int{2, 2, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("ssh run on h1 to h4: %v, want %v", got, want)
	}
	s.Hosts[2].Kill()
	err := <-ended
	if want := "6 ranks on h2 h3 h4 h5 h6 h7, 1 on mine\n"; err != nil || !strings.HasPrefix(out.String(), want) || !strings.Contains(out.String(), "rank 1 is lost: host h3: ") {
		t.Errorf("%v, it prints %q", err, out.String())
	}
	for _, h := range []int{0, 1, 3, 4, 5, 6} {
		if left := s.Hosts[h].Left(launchtest.Watchdog); len(left) > 0 {
			t.Fatalf("on %s %q are left", s.Hosts[h].Name, left)
		}
	}
}

// A root that closes tunnels right behind its orders ends the processes at the other end.
func TestTunnelsAreClosedSoon(t *testing.T) {
	login := filepath.Join(t.TempDir(), "login")
	if err := os.WriteFile(login, []byte("#!/bin/sh\necho '"+agentMark+"{}'\nexec cat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	a := &agent{conduit: newConduit(far, bufio.NewReader(far), rootBeats)}
	a.tunnels = newTunnels(a.conduit)
	go a.serve(t.Context())
	root := newConduit(near, bufio.NewReader(near), agentBeats)
	t.Cleanup(func() {
		root.close()
		a.close()
	})
	const tunnels = 16
	var frames []byte // that the agent reads without a pause
	frame := func(kind exchange.FrameKind, body []byte) {
		frames = binary.LittleEndian.AppendUint32(frames, uint32(kind))
		frames = append(binary.LittleEndian.AppendUint32(frames, uint32(len(body))), body...)
	}
	for n := range uint32(tunnels) {
		order, err := json.Marshal(dialing{Number: n, Host: "u@h1", SSH: login})
		if err != nil {
			t.Fatal(err)
		}
		frame(exchange.FrameDial, order)
		frame(exchange.FrameHangUp, binary.LittleEndian.AppendUint32(nil, n))
	}
	go near.Write(frames)
	time.AfterFunc(launchtest.Watchdog, func() { near.Close() })
	for ended := 0; ended < tunnels; {
		kind, length, err := root.receive()
		if err == nil {
			_, err = exchange.ReadBody(root, kind, length, maxOrder)
		}
		if err != nil {
			t.Fatalf("%d of %d processes have ended: %v", ended, tunnels, err)
		}
		if kind == exchange.FrameHangUp {
			ended++
		}
	}
}
