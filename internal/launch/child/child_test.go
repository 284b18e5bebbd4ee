package child

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/internal/launch/launchtest"
)

const role = "CHILD_TEST_ROLE"

// TestMain runs the tests, or in a process that a test has started a child: a program that prints
// its process id and ends only by a signal.
func TestMain(m *testing.M) {
	if os.Getenv(role) == "" {
		os.Exit(m.Run())
	}
	err := Child{Program: "/bin/sh", Args: []string{"-c", "echo $$; exec sleep 3600"}, Stdout: os.Stdout}.Run(context.Background())
	fmt.Println(err)
}

// Ctrl-Z at a sweep stops the launch that is under way.
func TestStopAndContinue(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), role+"=parent")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a job of a shell, which this test is
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(out)
	var child int
	if !lines.Scan() {
		t.Fatal("the parent has ended early")
	}
	if _, err := fmt.Sscan(lines.Text(), &child); err != nil {
		t.Fatal(lines.Text())
	}
	for range 2 {
		cmd.Process.Signal(syscall.SIGTSTP)
		launchtest.WaitState(t, child, true)
		launchtest.WaitState(t, cmd.Process.Pid, true)
		cmd.Process.Signal(syscall.SIGCONT)
		launchtest.WaitState(t, child, false)
		launchtest.WaitState(t, cmd.Process.Pid, false)
	}
	syscall.Kill(-child, syscall.SIGKILL)
	if !lines.Scan() || lines.Text() != "gobench -c echo $$; exec sleep 3600 ended with exit code -1" {
		t.Errorf("the parent says %q", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestExitCode(t *testing.T) {
	err := Child{Program: "/bin/sh", Args: []string{"-c", "exit 7"}}.Run(t.Context())
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 7 {
		t.Errorf("%v, want exit code 7", err)
	}
}

// A child is asked to end when its context ends, and has time to write its results.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var said strings.Builder
	err := Child{
		Program: "/bin/sh", Args: []string{"-c", `trap "echo saved; exit 1" TERM; echo ready; while :; do sleep 0.01; done`},
		Stdout: writer(func(b []byte) { said.Write(b); cancel() }),
	}.Run(ctx)
	if !errors.Is(err, context.Canceled) || said.String() != "ready\nsaved\n" {
		t.Errorf("%v, %q", err, said.String())
	}
}

// writer calls itself with what is written.
type writer func(b []byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}

// What a foreign program leaves behind in its process group ends with it.
func TestForeignProgramsLeaveNothing(t *testing.T) {
	var out strings.Builder
	if err := (Child{Program: "/bin/sh", Args: []string{"-c", "sleep 3600 >&- 2>&- & echo $!"}, Stdout: &out, Foreign: true}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid := 0
	fmt.Sscan(out.String(), &pid)
	for end := time.Now().Add(launchtest.Watchdog); ; time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %d runs on", pid)
		}
	}
}

// A child inherits the cores that it is given, and this process keeps its own.
func TestCores(t *testing.T) {
	cores := func() string {
		text, err := os.ReadFile("/proc/thread-self/status")
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "Cpus_allowed_list:")
		line, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		return line
	}
	before := cores()
	last := before[strings.LastIndexAny(before, "-,")+1:]
	core := 0
	fmt.Sscan(last, &core)
	var out strings.Builder
	if err := (Child{Program: "/bin/grep", Args: []string{"Cpus_allowed_list", "/proc/self/status"}, Stdout: &out, Cores: []int{core}}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f := strings.Fields(out.String()); len(f) != 2 || f[1] != last {
		t.Errorf("%q, want core %s", out.String(), last)
	}
	if after := cores(); after != before {
		t.Errorf("this process has cores %s, had %s", after, before)
	}
}

// What a child used is known, its memory if it is more than that of this process.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		size string
		min  int64
	}{{"400M", 400e6}, {"1", 0}} {
		var used Usage
		err := Child{Program: "/bin/dd", Args: []string{"if=/dev/zero", "of=/dev/null", "count=1", "bs=" + c.size}, Usage: &used}.Run(t.Context())
		if err != nil || used.User+used.System <= 0 || used.Memory < c.min || c.min == 0 && used.Memory != 0 {
			t.Errorf("%s: %v, %+v", c.size, err, used)
		}
	}
}

// The memory of a child counts with that of its descendants.
func TestTreeMemory(t *testing.T) {
	// no second program: within exec a process has no memory
	cmd := exec.Command("/bin/sh", "-c", "echo ready; read line")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if _, err := bufio.NewReader(pipe).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	child, all := treeMemory(cmd.Process.Pid), treeMemory(os.Getpid())
	if child <= 0 || all <= child {
		t.Errorf("the child has %d bytes, with this process %d", child, all)
	}
}
