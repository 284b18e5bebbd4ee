package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gobench/internal/lab"
)

// timeout is the time-out of these tests for an event that must happen.
const timeout = 180 * time.Second

// A site is a lab with gobench on h1, whose user can reach the other hosts by ssh.
type site struct {
	t       *testing.T
	hosts   []*lab.Host
	gobench string // this test's program, which acts as gobench under that name
}

func newSite(t *testing.T, n int) *site {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: -short leaves out several hosts, which take seconds to make")
	}
	lab.Need(t, "ssh", "sshd")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, hosts: lab.Hosts(t, n)}
	s.gobench = filepath.Join(s.hosts[0].Shared(), "gobench")
	if err := os.Symlink(program, s.gobench); err != nil {
		t.Fatal(err)
	}
	return s
}

// A command is a run of gobench on h1.
type command struct {
	*exec.Cmd
	site    *site
	records string
	said    lab.Text // on standard error
	ended   chan struct{}
	err     error // of Wait, once it has ended
}

// start starts a measurement over TCP that lasts longer than the test does.
func (s *site) start(args ...string) *command {
	s.t.Helper()
	c := &command{site: s, ended: make(chan struct{}), records: filepath.Join(s.hosts[0].Shared(), strings.Map(plain, strings.Join(args, ""))+".jsonl")}
	c.Cmd = s.hosts[0].Command(s.gobench, slices.Concat([]string{args[0], "--transport=tcp", "--sizes=0:2", "--launches=10000", "-o", c.records}, args[1:])...)
	c.Stderr = &c.said
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		c.err = c.Wait()
		close(c.ended)
	}()
	return c
}

func plain(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}

// await waits until is returns true, and fails the test after timeout.
func (c *command) await(what string, is func() bool) {
	c.site.t.Helper()
	for until := time.Now().Add(timeout); !is(); time.Sleep(20 * time.Millisecond) {
		select {
		case <-c.ended:
			until = time.Time{}
		default:
		}
		if time.Now().After(until) {
			syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
			c.site.t.Fatalf("%q: no %s; it printed %q", c.Args[len(c.Args)-10:], what, c.said.String())
		}
	}
}

// over reports whether the command has ended.
func (c *command) over() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// connected waits until each of the hosts has connections of ranks to all others.
func (c *command) connected(hosts ...*lab.Host) {
	c.site.t.Helper()
	for _, h := range hosts {
		for _, other := range hosts {
			c.await("a connection between ranks", func() bool {
				return h == other || slices.Contains(connectionsOf(h, ""), netip.MustParseAddr(other.Address))
			})
		}
	}
}

// rankConnections returns the number of established TCP connections of a host that are not those of
// ssh.
func rankConnections(h *lab.Host) int { return len(connectionsOf(h, "")) }

// connectionsOf returns the remote addresses of the established TCP connections of a host without
// those of ssh, of processes with this name ("": any).
func connectionsOf(h *lab.Host, name string) (others []netip.Addr) {
	held := map[string]bool{}
	var table []byte
	for _, pid := range h.PIDs() {
		at := fmt.Sprintf("/proc/%d/", pid)
		if table == nil { // all processes of the host have the same
			table, _ = os.ReadFile(at + "net/tcp")
		}
		if comm, _ := os.ReadFile(at + "comm"); strings.TrimSpace(string(comm)) == name {
			files, _ := os.ReadDir(at + "fd")
			for _, f := range files {
				link, _ := os.Readlink(at + "fd/" + f.Name())
				held[link] = true
			}
		}
	}
	for line := range strings.Lines(string(table)) {
		const ssh, established, inode = ":0016", "01", 9
		f := strings.Fields(line)
		if len(f) > inode && f[3] == established && !strings.HasSuffix(f[1], ssh) && !strings.HasSuffix(f[2], ssh) && (name == "" || held["socket:["+f[inode]+"]"]) {
			var at [4]byte // the kernel prints the address in the byte order of this machine
			number, _ := strconv.ParseUint(f[2][:8], 16, 32)
			binary.NativeEndian.PutUint32(at[:], uint32(number))
			others = append(others, netip.AddrFrom4(at))
		}
	}
	return others
}

// slow matches the lines that gobench prints while it waits for a slow host.
var slow = regexp.MustCompile(`(?m)^gobench: waiting for .*\n`)

// end expects gobench to end with an exit code and standard error to match each pattern.
func (c *command) end(code int, patterns ...string) {
	c.site.t.Helper()
	timer := time.AfterFunc(timeout, func() { syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	<-c.ended
	if exit := (*exec.ExitError)(nil); c.err != nil && !errors.As(c.err, &exit) {
		c.site.t.Fatal(c.err)
	}
	if got := c.ProcessState.ExitCode(); got != code {
		c.site.t.Errorf("%q: exit code %d, want %d", c.Args, got, code)
	}
	said := slow.ReplaceAllString(c.said.String(), "")
	for _, p := range patterns {
		if !regexp.MustCompile(p).MatchString(said) {
			c.site.t.Errorf("standard error\n%swant a match of %s", said, p)
		}
	}
}

// clean expects that nothing is left on hosts: no process, and no file except the copy of gobench
// and the scale of the cores.
func (s *site) clean(hosts ...*lab.Host) {
	s.t.Helper()
	program, _ := os.Executable() // visible on every host of the lab
	for _, h := range hosts {
		if left := h.Left(timeout); len(left) > 0 {
			s.t.Errorf("on %s %q are left", h.Name, left)
		}
		files := h.Run("sh", "-c", "find /tmp /dev/shm ~ -type f")
		for file := range strings.Lines(files) {
			if !regexp.MustCompile(`/\.cache/gobench/([0-9a-f]{64}|cores\.json|profile-[0-9a-f]{16}\.toml(\.lock)?)\n|` + regexp.QuoteMeta(h.Shared()) + `/|` + regexp.QuoteMeta(program)).MatchString(file) {
				s.t.Errorf("on %s %q is left", h.Name, file)
			}
		}
	}
}

// Hosts that cannot take part are named with the reason and, where there is one, the remedy.
func TestHostsThatCannotTakePart(t *testing.T) {
	t.Parallel()
	s := newSite(t, 9)
	h := func(i int) *lab.Host { return s.hosts[i-1] }
	h(2).Cut()
	// sshd that knows other keys, that wants a password, and that has another key itself.
	sshd := func(host *lab.Host, config string) {
		host.Run("sh", "-c", "kill $(pgrep -o sshd); until ! pgrep sshd; do sleep 0.01; done; cd /run && ssh-keygen -q -t ed25519 -N '' -f other && cat "+
			filepath.Join(host.Shared(), "sshd_config")+" >conf && /usr/sbin/sshd -f /dev/null -E /run/sshd.log -o PidFile=none -o UsePAM=no -o StrictModes=no "+config)
	}
	known := "-h " + filepath.Join(h(1).Shared(), "host_key")
	sshd(h(3), known+" -o AuthorizedKeysFile=/run/other.pub -o PasswordAuthentication=no -o KbdInteractiveAuthentication=no")
	sshd(h(4), known+" -o PubkeyAuthentication=no -o PasswordAuthentication=yes")
	sshd(h(5), "-h /run/other -o AuthorizedKeysFile="+filepath.Join(h(1).Shared(), "key.pub"))
	h(6).Run("sh", "-c", `mkdir /run/bin && printf '#!/bin/sh\necho sparc64\n' >/run/bin/uname && chmod 755 /run/bin/uname && mount --bind /run/bin/uname $(command -v uname)`)
	h(7).Run("sh", "-c", "mount -t tmpfs -o size=1m tmpfs ~")
	h(8).Run("sh", "-c", "mkdir -p ~/.cache && mount -t tmpfs -o ro tmpfs ~/.cache")
	h(9).Run("sh", "-c", "mkdir -p ~/.cache && mount -t tmpfs -o noexec tmpfs ~/.cache")
	var commands []*command
	wants := []struct{ hosts, pattern string }{
		{"h1,nowhere", `^gobench: host nowhere: ssh: Could not resolve hostname nowhere: [^\n]*\n$`},
		{"h1,h2", `^gobench: host h2: ssh: connect to host h2 port 22: (No route to host|Connection timed out)\n$`},
		{"h1,h3", `^gobench: host h3: .*Permission denied \(publickey\).*: gobench cannot type a password: let ssh find a key \(ssh-copy-id, ssh-agent\)\n$`},
		{"h1,h4", `^gobench: host h4: .*Permission denied \(.*password.*\).*: gobench cannot type a password: .*\n$`},
		{"h1,h5", `^gobench: host h5: .*Host key verification failed: its key is not the one in known_hosts, [^\n]*\n$`},
		{"h1,h6", `^gobench: host h6: it is a machine of architecture sparc64, and this gobench is built for [^\n]*: build one there and use --copy=never\n$`},
		{"h1,h7", `^gobench: host h7: .*No space left on device.*: gobench needs room for a copy of itself in ~/.cache there, or --copy=never with the same file under the same path\n$`},
		{"h1,h8", `^gobench: host h8: .*Read-only file system.*: set XDG_CACHE_HOME there, or use --copy=never with the same file under the same path\n$`},
		{"h1,h9", `^gobench: host h9: \S+/\.cache/gobench is on a file system that executes no programs \(noexec\): set XDG_CACHE_HOME there to a directory of yours that programs can run in, or use --copy=never with the same file under the same path\n$`},
		{"nowhere,h3,h1", `^gobench: host nowhere: .*\ngobench: host h3: .*\n$`},
	}
	for _, w := range wants {
		commands = append(commands, s.start("p2p", "--hosts="+w.hosts))
	}
	for i, w := range wants {
		commands[i].end(1, w.pattern)
	}
	s.clean(s.hosts...)
}

// A host whose process table is full is named, whether the connection, the agent or a rank fails.
func TestFullProcessTable(t *testing.T) {
	t.Parallel()
	s := newSite(t, 2)
	full := s.hosts[1]
	const limit = "/proc/sys/kernel/pid_max"
	machine, _ := os.ReadFile(limit)
	if out, err := full.Command("sh", "-c", "echo 420 >"+limit).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: this kernel cannot limit the processes of a PID namespace: %s", out)
	}
	if now, _ := os.ReadFile(limit); !bytes.Equal(now, machine) {
		os.WriteFile(limit, machine, 0o644)
		t.Skip("SKIPPED: the limit of processes is that of the machine on this kernel")
	}
	// The shell ends when it can start no further process.
	full.Command("sh", "-c", "while sleep 600 >/dev/null 2>&1 & do :; done").Run()
	// The kernel uses PIDs below 300 (RESERVED_PIDS) only once, so that their end frees none.
	var sleeping []int
	for _, pid := range full.PIDs() {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, numbers, _ := strings.Cut(string(status), "\nNSpid:")
		numbers, _, _ = strings.Cut(numbers, "\n")
		f := strings.Fields(numbers)
		if inside, _ := strconv.Atoi(f[len(f)-1]); inside >= 300 && strings.HasPrefix(string(status), "Name:\tsleep\n") {
			sleeping = append(sleeping, pid)
		}
	}
	if len(sleeping) < 50 {
		t.Fatalf("%d processes fill the table", len(sleeping))
	}
	for more, failed := 0, 0; ; more += 4 { // more free PIDs
		c := s.start("p2p", "--hosts=h1,h2", "--copy=never", fmt.Sprintf("--iterations=%d", 20000000+more))
		for !c.over() && rankConnections(full) == 0 {
			time.Sleep(20 * time.Millisecond)
		}
		if !c.over() { // now all processes can start
			lab.Signal(c.Cmd, syscall.SIGINT)
			c.end(1)
			s.clean(s.hosts[0])
			if failed < 3 {
				t.Errorf("it runs after %d failures", failed)
			}
			return
		}
		c.end(1, `gobench: .*h2.*\n`)
		s.clean(s.hosts[0])
		failed++
		for range 4 {
			syscall.Kill(sleeping[0], syscall.SIGKILL)
			sleeping = sleeping[1:]
		}
	}
}

// Foreign connections to every port of every host, with the right magic number and with wrong ones,
// block no rank, neither during the rendezvous nor later.
func TestStrangersOnEveryPort(t *testing.T) {
	t.Parallel()
	s := newSite(t, 3)
	done := make(chan struct{})
	var intruders sync.WaitGroup
	for _, h := range s.hosts[:2] {
		intruders.Go(func() { intrude(h, s.hosts[2], done) })
	}
	secret := "GOBENCH_SECRET=0123456789abcdef"
	hold := []string{s.gobench, "coll", "--op=barrier,allgather", "--sizes=8", "--transport=tcp", "--set=connect=needed", "--launches=2", "--budget=20ms"}
	byHand := func(rank int) *exec.Cmd {
		cmd := s.hosts[rank].Command(hold[0], slices.Concat(hold[1:], []string{fmt.Sprintf("--node=%d/2", rank), "--meet=h1:7575",
			"-o", filepath.Join(s.hosts[0].Shared(), fmt.Sprintf("hand%d.jsonl", rank))})...)
		cmd.Env = append(cmd.Env, secret)
		return cmd
	}
	var runs sync.WaitGroup
	check := func(cmd *exec.Cmd) {
		runs.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	check(byHand(0))
	h1 := s.hosts[0]
	// of sshd, and of rank 0
	for until := time.Now().Add(timeout); len(listening(h1)) < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("rank 0 does not listen")
		}
	}
	check(s.hosts[0].Command(hold[0], slices.Concat(hold[1:], []string{"--hosts=h1:2,h2:2", "--copy=never", "-o", filepath.Join(h1.Shared(), "ssh.jsonl")})...))
	check(byHand(1))
	runs.Wait()
	close(done)
	intruders.Wait()
}

// listening returns the TCP ports of a host that processes listen on.
func listening(h *lab.Host) (ports []string) {
	for _, pid := range h.PIDs() {
		for _, file := range []string{"tcp", "tcp6"} {
			table, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, file))
			for line := range strings.Lines(string(table)) {
				if f := strings.Fields(line); len(f) > 3 && f[3] == "0A" {
					port, _ := strconv.ParseUint(f[1][strings.LastIndexByte(f[1], ':')+1:], 16, 16)
					ports = append(ports, fmt.Sprint(port))
				}
			}
		}
		if ports != nil {
			break // all processes of the host have the same
		}
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// intrude connects repeatedly to every port of a host from another one, until done, and holds the
// connections.
func intrude(h, from *lab.Host, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(200 * time.Millisecond):
		}
		script := ""
		for _, port := range listening(h) {
			if port == "22" {
				continue // sshd has its own limit
			}
			for _, words := range []string{"", "GET / HTTP/1.1\\r\\n\\r\\n", "gobench\\001aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "gobench\\n\\003\\000\\000\\001\\001\\000\\000\\000\\000\\000\\000\\000aaaaaaaaaaaaaaaa"} {
				script += fmt.Sprintf("exec {fd}<>/dev/tcp/%s/%s && printf '%s' >&$fd; ", h.Address, port, words)
			}
		}
		if script == "" {
			continue
		}
		cmd := from.Command("bash", "-c", script+"exec 2>/dev/null; sleep 2")
		cmd.Start()
		go cmd.Wait()
	}
}

// A fault of a host during a measurement ends it with a sentence that names a host and a rank, or
// does not affect it. All of these measurements run from h1 concurrently.
func TestFaultsInTheMiddle(t *testing.T) {
	t.Parallel()
	s := newSite(t, 9)
	h := func(i int) *lab.Host { return s.hosts[i-1] }
	start := func(what string, numbers ...int) *command {
		var names []string
		var hosts []*lab.Host
		for _, i := range numbers {
			hosts = append(hosts, h(i))
			names = append(names, h(i).Name)
		}
		c := s.start(slices.Concat(strings.Fields(what), []string{"--hosts=" + strings.Join(names, ","), "-n", fmt.Sprint(len(names)), "--copy=never",
			"--sizes=1", "--iterations=3000000", "--set=wait=yield", "--set=peer_timeout=2000"})...)
		c.connected(hosts...)
		return c
	}
	orphan := start("p2p", 2, 1)
	cut, killed, parted := start("coll --op=bcast", 1, 2, 3), start("coll --op=bcast", 1, 2, 4), start("coll --op=bcast", 1, 5, 6)
	frozen, bereft, stopped := start("p2p", 1, 7), start("p2p", 1, 8), start("p2p", 1, 9)
	h(7).Freeze()
	thawed := make(chan struct{})
	thaw := time.AfterFunc(8*time.Second, func() { h(7).Thaw(); close(thawed) })
	t.Cleanup(func() { thaw.Stop() }) // the timer must not run after the test has ended
	h(3).Cut()
	h(4).Kill()
	h(6).Part(t, h(5))
	h(1).Run("pkill", "-KILL", "-f", "^ssh .* h8 ") // pkill sees the processes of h1 alone
	lab.Signal(orphan.Cmd, syscall.SIGKILL)
	<-orphan.ended
	// Without ssh the agent of h8 ends its rank, and rank 0 may see that before the launcher does.
	bereft.end(1, `rank 1.* is lost: (.*h8: ssh was killed by signal 9|its connection was reset: its process has ended)`)
	killed.end(1, `rank 2 (on h4 )?is lost: .*h4|rank 2 on h4 is lost`)

	// A terminal stops and continues ranks on other hosts, too.
	lab.Signal(stopped.Cmd, syscall.SIGTSTP)
	stopped.await("the stop", func() bool { return states(h(9)) == "T" })
	syscall.Kill(stopped.Process.Pid, syscall.SIGCONT)
	stopped.await("the end of the stop", func() bool { return states(h(9)) != "T" })
	lab.Signal(stopped.Cmd, syscall.SIGINT)
	stopped.end(1, `(?m)^gobench: interrupted after`)

	// One of the two names the other, and the launcher ends that one: rank 0 may see its end first.
	parted.end(1, `rank (1 on h5|2 on h6) is lost: (its host 10.77.0.[56] does not answer any more|it has given up because rank (1 on h5|2 on h6) is lost|it closed its connection)`)
	cut.end(1, `rank 2 on h3 is lost: (its host 10.77.0.3|host h3: it) does not answer any more`)
	<-thawed
	lab.Signal(frozen.Cmd, syscall.SIGINT)
	frozen.end(1, `(?m)^gobench: interrupted after`)
	s.clean(h(1), h(2), h(5), h(6), h(7), h(8), h(9))
}

// states returns the process states of the ranks on a host, one letter of ps for each.
func states(h *lab.Host) string {
	var letters string
	for _, pid := range h.PIDs() {
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if _, after, ok := strings.Cut(string(stat), ") "); ok && strings.Contains(string(env), "\x00GOBENCH_RANK=") {
			letters += after[:1]
		}
	}
	return letters
}
