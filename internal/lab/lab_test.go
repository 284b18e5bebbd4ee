package lab

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Hosts differ in what the lab separates, and share the rest.
func TestHostsDiffer(t *testing.T) {
	hosts := Hosts(t, 3)
	for _, what := range [][]string{
		{"hostname"},
		{"cat", "/proc/sys/kernel/random/boot_id"},
		{"readlink", "/proc/self/ns/net"},
		{"readlink", "/proc/self/ns/ipc"},
		{"readlink", "/proc/self/ns/pid"},
		{"readlink", "/proc/self/ns/time"},
		{"sh", "-c", "ip -br -4 addr show dev eth0 | awk '{print $3}'"},
		{"sh", "-c", "cut -c1-2 /proc/uptime"},
	} {
		seen := map[string]string{}
		for _, h := range hosts {
			out := h.Run(what[0], what[1:]...)
			if other, ok := seen[out]; ok {
				t.Errorf("%v is %q on %s and %s", what, out, other, h.Name)
			}
			seen[out] = h.Name
		}
	}
	for _, dir := range []string{"/tmp", "/dev/shm", "/run", os.Getenv("HOME")} {
		hosts[0].Run("touch", filepath.Join(dir, "mark"))
		if err := hosts[1].Command("test", "-e", filepath.Join(dir, "mark")).Run(); err == nil {
			t.Errorf("a file in %s is seen on another host", dir)
		}
		if _, err := os.Stat(filepath.Join(dir, "mark")); err == nil {
			t.Errorf("a file in %s is seen on the machine", dir)
		}
	}
	hosts[0].Run("touch", filepath.Join(hosts[0].Shared(), "mark"))
	hosts[1].Run("test", "-e", filepath.Join(hosts[0].Shared(), "mark"))
	program, _ := os.Executable()
	hosts[1].Run("test", "-x", program)
}

// Commands of a host and what its sshd starts run on the host's cores; hosts share none where there
// is a core for each.
func TestHostsHaveCoresOfTheirOwn(t *testing.T) {
	hosts := Hosts(t, 2)
	own := hosts[0].Cores()
	if runtime.NumCPU() >= 2 && (own == "" || own == hosts[1].Cores()) {
		t.Errorf("hosts have the cores %q and %q", own, hosts[1].Cores())
	}
	const asked = "sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status"
	if got := strings.TrimSpace(hosts[0].Run("sh", "-c", asked)); got != own {
		t.Errorf("a command on h1 may use cores %q, want %q", got, own)
	}
	Need(t, "ssh", "sshd")
	if got := strings.TrimSpace(hosts[1].Run("ssh", "-o", "BatchMode=yes", "h1", asked)); got != own {
		t.Errorf("by ssh a command on h1 may use cores %q, want %q", got, own)
	}
}

func TestCables(t *testing.T) {
	hosts := Hosts(t, 3)
	// Nobody listens on port 7: a refusal is an answer.
	answers := func(from, to *Host) bool {
		out, _ := from.Command("timeout", "0.5", "bash", "-c", fmt.Sprintf(": >/dev/tcp/%s/7", to.Name)).CombinedOutput()
		return strings.Contains(string(out), "refused")
	}
	check := func(when string, from, to *Host, want bool) {
		t.Helper()
		if got := answers(from, to); got != want {
			t.Errorf("%s: %s hears %s: %v, want %v", when, from.Name, to.Name, got, want)
		}
	}
	check("in the beginning", hosts[0], hosts[1], true)
	hosts[1].Cut()
	check("cut", hosts[0], hosts[1], false)
	check("cut", hosts[0], hosts[2], true)
	hosts[1].Mend()
	check("mended", hosts[0], hosts[1], true)
	hosts[1].Slow("10mbit")
	if out := hosts[1].Run("tc", "qdisc", "show", "dev", "eth0"); !strings.Contains(out, "tbf") {
		t.Errorf("a slow host has no tbf: %s", out)
	}
	hosts[1].MTU(9000)
	if out := hosts[1].Run("ip", "link", "show", "dev", "eth0"); !strings.Contains(out, "mtu 9000") {
		t.Errorf("eth0 is %s", out)
	}
	hosts[1].Mend()
	if out := hosts[1].Run("ip", "link", "show", "dev", "eth0"); !strings.Contains(out, "mtu 1500") {
		t.Errorf("mended, eth0 is %s", out)
	}
	Need(t, "nft")
	hosts[1].Loss(t, 1)
	check("all is lost", hosts[0], hosts[1], false)
	hosts[1].Loss(t, 0)
	check("nothing is lost", hosts[0], hosts[1], true)
	hosts[1].Part(t, hosts[0])
	check("parted", hosts[0], hosts[1], false)
	check("parted", hosts[2], hosts[1], true)
	hosts[1].Mend()
	check("mended", hosts[0], hosts[1], true)
	hosts[1].Named("also")
	hosts[0].Run("getent", "hosts", "also")
}

func TestSSH(t *testing.T) {
	Need(t, "ssh", "sshd")
	hosts := Hosts(t, 2)
	if out := hosts[0].Run("ssh", "-o", "BatchMode=yes", "h2", "hostname"); out != "h2\n" {
		t.Errorf("ssh h2 hostname prints %q", out)
	}
}

func TestProcessesOfAHost(t *testing.T) {
	hosts := Hosts(t, 2)
	asleep := hosts[0].Command("sleep", "1000")
	if err := asleep.Start(); err != nil {
		t.Fatal(err)
	}
	for len(children(asleep.Process.Pid)) == 0 {
		time.Sleep(time.Millisecond)
	}
	if got := hosts[1].Processes(); len(got) > 0 {
		t.Errorf("on a host where nothing runs there is %q", got)
	}
	if err := Signal(asleep, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	asleep.Wait()
	if got := asleep.ProcessState.Sys().(syscall.WaitStatus); got.Signal() != syscall.SIGTERM {
		t.Errorf("a command that was asked to end ended with %v", got)
	}
	hosts[0].Run("sh", "-c", "setsid sleep 999 >/dev/null 2>&1 &")
	daemon := func() bool { got := hosts[0].Processes(); return len(got) == 1 && got[0] == "sleep 999" }
	for until := time.Now().Add(10 * time.Second); !daemon() && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	if !daemon() {
		t.Errorf("beside a daemon there is %q", hosts[0].Processes())
	}
	hosts[0].Kill()
	if got := hosts[0].Processes(); len(got) != 0 {
		t.Errorf("on a dead host there is %q", got)
	}
}

// A test that is killed leaves nothing: no process, namespace, interface, mount or dir.
func TestNothingIsLeft(t *testing.T) {
	if os.Getenv("LAB_TEST_VICTIM") != "" {
		hosts := Hosts(t, 2)
		hosts[1].Command("sleep", "1000").Start()
		fmt.Println("directory", hosts[0].Shared())
		time.Sleep(time.Hour)
	}
	Hosts(t, 1) // or a skip
	victim := exec.Command(os.Args[0], "-test.run=^TestNothingIsLeft$", "-test.v")
	victim.Env = append(os.Environ(), "LAB_TEST_VICTIM=1")
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	var dir string
	for lines := bufio.NewScanner(out); dir == "" && lines.Scan(); {
		dir, _ = strings.CutPrefix(lines.Text(), "directory ")
		if !strings.HasPrefix(dir, "/") {
			dir = ""
		}
	}
	below := children(victim.Process.Pid)
	victim.Process.Kill()
	victim.Wait()
	if dir == "" || len(below) == 0 {
		t.Fatalf("the victim made no lab: directory %q, processes %v", dir, below)
	}
	gone := func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err) && len(running(dir)) == 0
	}
	for until := time.Now().Add(10 * time.Second); !gone() && time.Now().Before(until); {
		time.Sleep(10 * time.Millisecond)
	}
	if list := running(dir); len(list) > 0 {
		t.Errorf("processes are left: %q", list)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s is left", dir)
	}
	mounts, _ := os.ReadFile("/proc/self/mounts")
	if strings.Contains(string(mounts), dir) {
		t.Errorf("mounts are left:\n%s", mounts)
	}
	interfaces, _ := net.Interfaces()
	for _, i := range interfaces {
		if addrs, _ := i.Addrs(); strings.Contains(fmt.Sprint(addrs), "10.77.0.") {
			t.Errorf("interface %s is left", i.Name)
		}
	}
}

// running returns the command lines that name a dir.
func running(dir string) []string {
	var list []string
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		if text, _ := os.ReadFile(file); strings.Contains(string(text), dir) {
			list = append(list, string(text))
		}
	}
	return list
}
