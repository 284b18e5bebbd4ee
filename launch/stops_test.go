package launch

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

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

// Ctrl-Z stops the launcher and all ranks, fg continues them, as often as one likes.
func TestStopAndContinue(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a job of a shell, which this test is
	p := startCommand(t, cmd, "launch-interrupt", 3)
	for range 2 {
		p.Process.Signal(syscall.SIGTSTP)
		for _, pid := range append(p.pids, p.Process.Pid) {
			waitState(t, pid, true)
		}
		p.Process.Signal(syscall.SIGCONT)
		for _, pid := range append(p.pids, p.Process.Pid) {
			waitState(t, pid, false)
		}
	}
	p.Process.Signal(syscall.SIGINT)
	code, said := p.end()
	if want := "saved\nsaved\nsaved\ninterrupted by interrupt\n"; code != 1 || said != want {
		t.Errorf("exit code %d, output %q", code, said)
	}
}

// Between two launches Ctrl-Z stops this process as if it had never received the signal.
func TestStopBetweenLaunches(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	more, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p := startCommand(t, cmd, "stops", 1)
	for launch := range 2 {
		if launch > 0 && !p.lines.Scan() {
			t.Fatal("it has ended early")
		}
		p.Process.Signal(syscall.SIGTSTP) // which it receives
		if !p.lines.Scan() {
			t.Fatal("it has ended early")
		}
		p.Process.Signal(syscall.SIGTSTP)
		waitState(t, p.Process.Pid, true)
		p.Process.Signal(syscall.SIGCONT)
		waitState(t, p.Process.Pid, false)
		more.Write([]byte{'\n'})
	}
	if code, _ := p.end(); code != 0 {
		t.Errorf("it ends with %d", code)
	}
}

// A launcher of a group that no shell looks after is not stopped: nobody could continue it.
func TestNobodyContinues(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p := startCommand(t, cmd, "launch-interrupt", 3)
	p.Process.Signal(syscall.SIGTSTP)
	p.Process.Signal(syscall.SIGINT)
	code, said := p.end()
	if want := "saved\nsaved\nsaved\ninterrupted by interrupt\n"; code != 1 || said != want {
		t.Errorf("exit code %d, output %q", code, said)
	}
}
