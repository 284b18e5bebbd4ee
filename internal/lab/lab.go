// Package lab makes several hosts of one machine, for tests: each has its own network, name,
// processes, clocks, shared memory, boot id, temporary files and home dir, real cables between
// them, and real sshd; where the machine has a core for each host, cores of its own, too. It needs
// root and a kernel with namespaces; tests are skipped without them.
//
// Hosts are h1, h2 and so on. lab.sh makes them, and its comments describe them: `scripts/lab.sh 3`
// opens a shell on such hosts.
package lab

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

//go:embed lab.sh
var script []byte

// A Host is one host of a lab.
type Host struct {
	Name    string // "h1"
	Address string // of eth0, without the length of its prefix

	lab  *lab
	init int // process id of its first process, on this machine
}

// A lab holds the hosts that share a network, and the dir that all of them see.
type lab struct {
	t     testing.TB
	dir   string
	head  *Host
	hosts []*Host
}

// Need skips the test with the reason unless these programs are installed.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("SKIPPED: %s is not installed", p)
		}
	}
}

// Hosts makes n hosts, which end with the test, or with this process if that ends first. Paths,
// and the program that runs the test, are visible on all of them under their names. It skips the
// test where no lab can be made.
func Hosts(t testing.TB, n int, paths ...string) []*Host {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: several hosts on one machine need root, for namespaces and interfaces")
	}
	Need(t, "bash", "ip", "nsenter", "taskset", "unshare")
	if out, err := exec.Command("unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--time", "--fork", "true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: this kernel or container does not let root make namespaces: %s", bytes.TrimSpace(out))
	}
	dir, err := os.MkdirTemp("", "gobench-lab-")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, dir: dir}
	l.up(n, append([]string{program}, paths...))
	return l.hosts
}

// up runs lab.sh until the test ends. lab.sh has its own session, so that Ctrl-C ends only the
// test and lab.sh can clean up; it ends at the end of its standard input.
func (l *lab) up(n int, paths []string) {
	l.t.Helper()
	file := filepath.Join(l.dir, "lab.sh")
	if err := os.WriteFile(file, script, 0o755); err != nil {
		l.t.Fatal(err)
	}
	cmd := exec.Command("bash", append([]string{file, strconv.Itoa(n), l.dir}, paths...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	stdin, err := cmd.StdinPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "up\n" {
		stdin.Close()
		cmd.Wait()
		l.t.Fatalf("no lab of %d hosts: %v\n%s", n, err, complaints.Bytes())
	}
	l.find(cmd.Process.Pid)
	if len(l.hosts) != n {
		l.t.Fatalf("%d of %d hosts of the lab are found", len(l.hosts), n)
	}
}

// find finds the first processes of the head and of the hosts below the process that runs lab.sh:
// each is the child of an unshare.
func (l *lab) find(outer int) {
	for _, unshare := range children(outer) {
		for _, head := range children(unshare) {
			l.head = &Host{Name: "head", Address: "10.77.0.254", lab: l, init: head}
		}
	}
	for _, unshare := range children(l.head.init) {
		for _, init := range children(unshare) {
			if args := commandLine(init); len(args) > 4 && args[2] == "make_host" {
				l.hosts = append(l.hosts, &Host{Name: args[3], Address: args[4], lab: l, init: init})
			}
		}
	}
	number := func(h *Host) int { n, _ := strconv.Atoi(h.Name[1:]); return n }
	slices.SortFunc(l.hosts, func(a, b *Host) int { return number(a) - number(b) })
}

// children returns the processes that pid has forked, in no order.
func children(pid int) []int {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var list []int
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, word := range strings.Fields(string(text)) {
			n, _ := strconv.Atoi(word)
			list = append(list, n)
		}
	}
	return list
}

func commandLine(pid int) []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// Command returns a command that will run on the cores of the host, in its /tmp, with the
// environment of this process without XDG_CACHE_HOME, because each host has its own cache dir.
// Its child processes end with the host at the latest. Use Signal to send it a signal, because
// cmd.Process is nsenter, which waits for the command and ends with its status.
func (h *Host) Command(name string, args ...string) *exec.Cmd {
	at := fmt.Sprintf("/proc/%d/ns/", h.init)
	cmd := exec.Command("taskset", slices.Concat([]string{"-c", h.Cores(), "nsenter",
		"--net=" + at + "net", "--uts=" + at + "uts", "--ipc=" + at + "ipc", "--mount=" + at + "mnt",
		"--pid=" + at + "pid", "--time=" + at + "time", "--wdns=/tmp", "--", name}, args)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "XDG_CACHE_HOME=") })
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// Cores returns the cores that processes of the host may use, as the kernel writes a list: 0-3,8.
// It is empty once the host has ended.
func (h *Host) Cores() string {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.init))
	_, after, _ := strings.Cut(string(status), "Cpus_allowed_list:")
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line)
}

// Network returns the path of the host's network namespace on this machine, for setns.
func (h *Host) Network() string { return fmt.Sprintf("/proc/%d/ns/net", h.init) }

// A Text is the output of a Command, which a test reads while it grows.
type Text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (t *Text) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(b)
}

// String returns what has been written so far.
func (t *Text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// Signal sends a signal to a running Command.
func Signal(cmd *exec.Cmd, s syscall.Signal) error {
	inside := children(cmd.Process.Pid)
	if len(inside) != 1 {
		return os.ErrProcessDone
	}
	return syscall.Kill(inside[0], s)
}

// Run runs a command on the host and returns what it prints. The test ends if it fails.
func (h *Host) Run(name string, args ...string) string {
	h.lab.t.Helper()
	out, err := h.Command(name, args...).CombinedOutput()
	if err != nil {
		h.lab.t.Fatalf("%s on %s: %v\n%s", strings.Join(append([]string{name}, args...), " "), h.Name, err, out)
	}
	return string(out)
}

// Shared returns a dir that all hosts and this process share. It is empty but for files of the
// lab, and is removed with it.
func (h *Host) Shared() string { return h.lab.dir }

// Processes returns the command lines of the processes of the host, without its first process and
// sshd waiting for connections.
func (h *Host) Processes() []string {
	var list []string
	for _, pid := range h.PIDs() {
		line := strings.Join(commandLine(pid), " ")
		if line != "" && !strings.HasPrefix(line, "sshd: /usr/sbin/sshd") {
			list = append(list, line)
		}
	}
	return list
}

// Left returns the Processes that have not ended within d, without those whose command lines begin
// with one of the words.
func (h *Host) Left(d time.Duration, but ...string) []string {
	expected := func(line string) bool {
		return slices.ContainsFunc(but, func(word string) bool { return strings.HasPrefix(line, word) })
	}
	for until := time.Now().Add(d); ; time.Sleep(20 * time.Millisecond) {
		if left := slices.DeleteFunc(h.Processes(), expected); len(left) == 0 || time.Now().After(until) {
			return left
		}
	}
}

// PIDs returns the processes on the host but the first, by their numbers on this machine.
func (h *Host) PIDs() []int {
	own, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", h.init))
	if err != nil {
		return nil
	}
	var list []int
	all, _ := filepath.Glob("/proc/[0-9]*/ns/pid")
	for _, link := range all {
		pid, _ := strconv.Atoi(strings.Split(link, "/")[2])
		if space, err := os.Readlink(link); err == nil && space == own && pid != h.init {
			list = append(list, pid)
		}
	}
	return list
}

// ask runs a command of lab.sh on the head.
func (h *Host) ask(args ...string) {
	h.lab.t.Helper()
	if out, err := h.command(args...).CombinedOutput(); err != nil {
		h.lab.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// command returns a command of lab.sh on the head.
func (h *Host) command(args ...string) *exec.Cmd {
	cmd := h.lab.head.Command("bash", append([]string{filepath.Join(h.lab.dir, "lab.sh")}, args...)...)
	cmd.Env = append(os.Environ(), "LAB="+h.lab.dir)
	return cmd
}

// Slow limits the cable of the host to rate in each direction, in the notation of tc: "1gbit",
// "10mbit".
func (h *Host) Slow(rate string) { h.lab.t.Helper(); h.ask("slow", h.Name, rate) }

// Uplink moves the host and others to a switch of their own, whose link to the rest has a rate
// such as "200mbit".
func (h *Host) Uplink(rate string, others ...*Host) {
	h.lab.t.Helper()
	words := []string{"uplink", rate, h.Name}
	for _, o := range others {
		words = append(words, o.Name)
	}
	h.ask(words...)
}

// MTU limits the packets on the cable of the host to the given size; the default is 1500. Bridge
// and hosts do not negotiate it: set it on all of them.
func (h *Host) MTU(bytes int) { h.lab.t.Helper(); h.ask("mtu", h.Name, strconv.Itoa(bytes)) }

// Loss drops the given share of the packets from and to the host, 0.01 for one percent. It skips
// the test where nftables is not installed.
func (h *Host) Loss(t testing.TB, share float64) {
	t.Helper()
	Need(t, "nft")
	h.ask("loss", h.Name, strconv.FormatFloat(100*share, 'f', -1, 64))
}

// Narrow drops packets from and to the host that are longer than the given size, and tells nobody.
// It skips the test where nftables is not installed. It replaces Loss.
func (h *Host) Narrow(t testing.TB, bytes int) {
	t.Helper()
	Need(t, "nft")
	h.ask("narrow", h.Name, strconv.Itoa(bytes))
}

// Part drops all packets between the host and the others. It skips the test where nftables is
// not installed. It replaces Loss.
func (h *Host) Part(t testing.TB, others ...*Host) {
	t.Helper()
	Need(t, "nft")
	args := []string{"part", h.Name}
	for _, o := range others {
		args = append(args, o.Name)
	}
	h.ask(args...)
}

// Shut makes a firewall of the host let no new TCP connections in but those of ssh: it drops their
// packets, or refuses them. It skips the test where nftables is not installed.
func (h *Host) Shut(t testing.TB, refuses bool) {
	t.Helper()
	Need(t, "nft")
	how := "drop"
	if refuses {
		how = "reject"
	}
	h.ask("shut", h.Name, how)
}

// Cut pulls the cable of the host.
func (h *Host) Cut() { h.lab.t.Helper(); h.ask("cut", h.Name) }

// Flap pulls the cable of the host for 20 ms, twice in a second, until the test ends. The interface
// of the host stays up meanwhile.
func (h *Host) Flap(t testing.TB) {
	t.Helper()
	flapping := h.command("flap", h.Name)
	if err := flapping.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		Signal(flapping, syscall.SIGTERM)
		flapping.Wait()
		h.Mend()
	})
}

// Mend undoes Slow, MTU, Narrow, Loss, Part, Shut and Cut.
func (h *Host) Mend() { h.lab.t.Helper(); h.ask("mend", h.Name) }

// Join lays a second cable from the host to another. The interfaces at its ends get these names and
// addresses with their subnets, "10.88.0.1/24".
func (h *Host) Join(name, address string, other *Host, otherName, otherAddress string) {
	h.lab.t.Helper()
	// The process numbers belong to this machine, in whose namespace ip stays.
	cmd := exec.Command("nsenter", "--net="+h.Network(), "ip", "link", "add", name,
		"type", "veth", "peer", "name", otherName, "netns", strconv.Itoa(other.init))
	if out, err := cmd.CombinedOutput(); err != nil {
		h.lab.t.Fatalf("a cable from %s to %s: %v\n%s", h.Name, other.Name, err, out)
	}
	for _, end := range []struct {
		host          *Host
		name, address string
	}{{h, name, address}, {other, otherName, otherAddress}} {
		end.host.Run("ip", "addr", "add", end.address, "dev", end.name)
		end.host.Run("ip", "link", "set", end.name, "up")
	}
}

// Named gives the host one more name, on all hosts.
func (h *Host) Named(name string) { h.lab.t.Helper(); h.ask("named", h.Name, name) }

// Freeze stops every process of the host but the first, Thaw continues them.
func (h *Host) Freeze() { h.lab.t.Helper(); h.Run("sh", "-c", "kill -STOP -1") }
func (h *Host) Thaw()   { h.lab.t.Helper(); h.Run("sh", "-c", "kill -CONT -1") }

// Kill ends the host with everything on it, as a power cut does.
func (h *Host) Kill() {
	syscall.Kill(h.init, syscall.SIGKILL)
	for syscall.Kill(h.init, 0) == nil {
		time.Sleep(time.Millisecond)
	}
}
