package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gobench/internal/lab"
)

// patience is the time-out of these tests for an event that must happen.
const patience = 60 * time.Second

// A site is a lab with gobench on h1, whose user can reach the other hosts by ssh.
type site struct {
	t       *testing.T
	hosts   []*lab.Host
	gobench string // this test's program, which acts as gobench under that name
}

func newSite(t *testing.T, n int) *site {
	t.Helper()
	if testing.Short() {
		t.Skip("several hosts take seconds to make")
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
	said    said // on standard error
	ended   chan struct{}
	err     error // of Wait, once it has ended
}

// said is text that is read while it grows.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
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

// await waits until something is true of a run.
func (c *command) await(what string, is func() bool) {
	c.site.t.Helper()
	for until := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		select {
		case <-c.ended:
			until = time.Time{}
		default:
		}
		if time.Now().After(until) {
			syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
			c.site.t.Fatalf("%q: %s does not come; it printed %q", c.Args[len(c.Args)-10:], what, c.said.String())
		}
	}
}

// connected waits until the ranks on each of the hosts have a connection to ranks on another.
func (c *command) connected(hosts ...*lab.Host) {
	c.site.t.Helper()
	for _, h := range hosts {
		c.await("a connection between ranks", func() bool { return rankConnections(h) > 0 })
	}
}

// rankConnections returns the number of established TCP connections of a host that are not those of ssh.
func rankConnections(h *lab.Host) (n int) {
	for _, pid := range h.PIDs() {
		table, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", pid))
		for line := range strings.Lines(string(table)) {
			const ssh, established = ":0016", "01"
			if f := strings.Fields(line); len(f) > 3 && f[3] == established && !strings.HasSuffix(f[1], ssh) && !strings.HasSuffix(f[2], ssh) {
				n++
			}
		}
		if table != nil {
			break // all processes of the host have the same
		}
	}
	return n
}

// slow matches what gobench prints where a host takes its time.
var slow = regexp.MustCompile(`(?m)^gobench: waiting for .*\n`)

// end expects gobench to end with a code, and with standard error that has a match of each pattern.
func (c *command) end(code int, patterns ...string) {
	c.site.t.Helper()
	timer := time.AfterFunc(patience, func() { syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
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

// clean expects that nothing is left on hosts: no process, and no file but the copy of gobench and what it
// knows of the cores.
func (s *site) clean(hosts ...*lab.Host) {
	s.t.Helper()
	program, _ := os.Executable() // which the lab shows on every host
	for _, h := range hosts {
		var left []string
		for until := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			if left = h.Processes(); len(left) == 0 || time.Now().After(until) {
				break
			}
		}
		if len(left) > 0 {
			s.t.Errorf("on %s %q are left", h.Name, left)
		}
		files := h.Run("sh", "-c", "find /tmp /dev/shm ~ -type f")
		for file := range strings.Lines(files) {
			if !regexp.MustCompile(`/\.cache/gobench/([0-9a-f]{64}|cores\.json)\n|` + regexp.QuoteMeta(h.Shared()) + `/|` + regexp.QuoteMeta(program)).MatchString(file) {
				s.t.Errorf("on %s %q is left", h.Name, file)
			}
		}
	}
}

// Hosts that cannot take part are named with the reason and, where there is one, the remedy.
func TestHostsThatCannotTakePart(t *testing.T) {
	t.Parallel()
	s := newSite(t, 8)
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

// What happens to some hosts in the middle of a measurement ends it with a sentence that names a
// host and a rank, or does not disturb it. All of these measurements run from h1 at once.
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
			"--sizes=1", "--iterations=3000000", "--set=wait=yield", "--set=peer_timeout=2000",
			"--fault=delay:5ms", "--budget=10m"})...) // between messages ranks sleep, and leave the processors to those of the other measurements
		c.connected(hosts...)
		return c
	}
	orphan := start("p2p", 2, 1)
	cut, killed, parted := start("coll --op=bcast", 1, 2, 3), start("coll --op=bcast", 1, 2, 4), start("coll --op=bcast", 1, 5, 6)
	frozen, bereft, stopped := start("p2p", 1, 7), start("p2p", 1, 8), start("p2p", 1, 9)
	h(7).Freeze()
	thawed := make(chan struct{})
	time.AfterFunc(8*time.Second, func() { h(7).Thaw(); close(thawed) })
	h(3).Cut()
	h(4).Kill()
	h(6).Part(h(5))
	h(1).Run("pkill", "-KILL", "-f", "^ssh .* h8 ") // pkill sees the processes of h1 alone
	lab.Signal(orphan.Cmd, syscall.SIGKILL)
	<-orphan.ended
	bereft.end(1, `rank 1.* is lost: .*h8: ssh was killed by signal 9`)
	killed.end(1, `rank 2 (on h4 )?is lost: .*h4|rank 2 on h4 is lost`)

	// A terminal stops and continues ranks on other hosts, too.
	lab.Signal(stopped.Cmd, syscall.SIGTSTP)
	stopped.await("the stop", func() bool { return states(h(9)) == "T" })
	syscall.Kill(stopped.Process.Pid, syscall.SIGCONT)
	stopped.await("the end of the stop", func() bool { return states(h(9)) != "T" })
	lab.Signal(stopped.Cmd, syscall.SIGINT)
	stopped.end(1, `^gobench: interrupted after`)

	parted.end(1, `rank (1 on h5|2 on h6) is lost: (its host 10.77.0.[56] does not answer any more|it has given up because rank [12] is lost)`)
	cut.end(1, `rank 2 on h3 is lost: (its host 10.77.0.3|host h3: it) does not answer any more`)
	<-thawed
	lab.Signal(frozen.Cmd, syscall.SIGINT)
	frozen.end(1, `^gobench: interrupted after`)
	s.clean(h(1), h(2), h(5), h(6), h(7), h(8), h(9))
}

// states returns the states of the ranks on a host, a letter each as ps prints them.
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
