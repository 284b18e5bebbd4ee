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
)

// watchdog turns a hang into a failure.
const watchdog = 60 * time.Second

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

// waitState waits until the process is stopped, or no longer is.
func waitState(t *testing.T, pid int, stopped bool) {
	t.Helper()
	for end := time.Now().Add(watchdog); ; time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		if strings.HasPrefix(rest, "T") == stopped {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %d: %.1s, want stopped: %v", pid, rest, stopped)
		}
	}
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
		waitState(t, child, true)
		waitState(t, cmd.Process.Pid, true)
		cmd.Process.Signal(syscall.SIGCONT)
		waitState(t, child, false)
		waitState(t, cmd.Process.Pid, false)
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
