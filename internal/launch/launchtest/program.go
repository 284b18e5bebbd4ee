package launchtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Program is a launcher that runs as a process of its own.
type Program struct {
	*exec.Cmd
	t     *testing.T
	Lines *bufio.Scanner
	PIDs  []int // of the ranks, and of what they have started
}

// StartProgram returns once the launcher's processes have said "ready PID", that
// many times.
func StartProgram(t *testing.T, role string, processes int) *Program {
	t.Helper()
	return StartCommand(t, exec.Command("/proc/self/exe"), role, processes)
}

// StartCommand is StartProgram with a command that executes the test binary.
func StartCommand(t *testing.T, cmd *exec.Cmd, role string, processes int) *Program {
	t.Helper()
	p := &Program{Cmd: cmd, t: t}
	p.Env = append(os.Environ(), EnvRole+"="+role)
	p.Stderr = os.Stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Lines = bufio.NewScanner(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	alarm := time.AfterFunc(Watchdog, func() { p.Process.Kill() })
	t.Cleanup(func() { alarm.Stop() })
	for len(p.PIDs) < processes {
		if !p.Lines.Scan() {
			t.Fatal("launcher has ended early")
		}
		var pid int
		if _, err := fmt.Sscanf(p.Lines.Text(), "ready %d", &pid); err != nil {
			t.Fatalf("launcher says %q", p.Lines.Text())
		}
		p.PIDs = append(p.PIDs, pid)
	}
	return p
}

// End returns the exit code and what was printed since the start, and checks that
// all processes are gone. The end of the output comes when the last of them is.
func (p *Program) End() (code int, said string) {
	var b strings.Builder
	for p.Lines.Scan() {
		b.WriteString(p.Lines.Text() + "\n")
	}
	if err := p.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) && !errors.Is(err, io.EOF) {
		p.t.Fatal(err)
	}
	for _, pid := range p.PIDs {
		WantGone(p.t, pid)
	}
	return p.ProcessState.ExitCode(), b.String()
}

// WantGone expects the process to have ended, or to be on its way: the kernel
// closes the files of a process, which is what tests wait for, a little before
// the process itself is gone.
func WantGone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(Watchdog); alive(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("process %d is still there", pid)
			return
		}
	}
}

// alive reports whether the process runs. One that has ended may stay as a zombie
// for as long as the system's init likes.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// Ends fails unless the launcher ends soon after it was interrupted: the limit is far more than
// signals.HostsTimeout, for a busy machine, and less than the time-out of a rank or host that is
// lost.
func (p *Program) Ends(sig syscall.Signal) (code int, said string) {
	p.t.Helper()
	p.Process.Signal(sig)
	begun := time.Now()
	for p.Lines.Scan() {
		said += p.Lines.Text() + "\n"
	}
	p.Wait()
	if took := time.Since(begun); took > 6*time.Second {
		p.t.Errorf("the launcher ended %v after the signal", took)
	}
	return p.ProcessState.ExitCode(), said
}

// WaitState waits until the process is stopped, or no longer is.
func WaitState(t *testing.T, pid int, stopped bool) {
	t.Helper()
	for end := time.Now().Add(Watchdog); ; time.Sleep(time.Millisecond) {
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
