package launch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// program is a launcher that runs as a process of its own.
type program struct {
	*exec.Cmd
	t     *testing.T
	lines *bufio.Scanner
	pids  []int // of the ranks, and of what they have started
}

// startProgram returns once the launcher's processes have said "ready PID", that
// many times.
func startProgram(t *testing.T, role string, processes int) *program {
	t.Helper()
	return startCommand(t, exec.Command("/proc/self/exe"), role, processes)
}

func startCommand(t *testing.T, cmd *exec.Cmd, role string, processes int) *program {
	t.Helper()
	p := &program{Cmd: cmd, t: t}
	p.Env = append(os.Environ(), envRole+"="+role)
	p.Stderr = os.Stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	alarm := time.AfterFunc(watchdog, func() { p.Process.Kill() })
	t.Cleanup(func() { alarm.Stop() })
	for len(p.pids) < processes {
		if !p.lines.Scan() {
			t.Fatal("launcher has ended early")
		}
		var pid int
		if _, err := fmt.Sscanf(p.lines.Text(), "ready %d", &pid); err != nil {
			t.Fatalf("launcher says %q", p.lines.Text())
		}
		p.pids = append(p.pids, pid)
	}
	return p
}

// end returns the exit code and what was printed since the start, and checks that
// all processes are gone. The end of the output comes when the last of them is.
func (p *program) end() (code int, said string) {
	var b strings.Builder
	for p.lines.Scan() {
		b.WriteString(p.lines.Text() + "\n")
	}
	if err := p.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) && !errors.Is(err, io.EOF) {
		p.t.Fatal(err)
	}
	for _, pid := range p.pids {
		wantGone(p.t, pid)
	}
	return p.ProcessState.ExitCode(), b.String()
}

// wantGone expects the process to have ended, or to be on its way: the kernel
// closes the files of a process, which is what tests wait for, a little before
// the process itself is gone.
func wantGone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(watchdog); alive(pid); time.Sleep(time.Millisecond) {
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

func TestSignalIsForwarded(t *testing.T) {
	p := startProgram(t, "launch-interrupt", 3)
	p.Process.Signal(syscall.SIGINT)
	code, said := p.end()
	if want := "saved\nsaved\nsaved\ninterrupted by interrupt\n"; code != 1 || said != want {
		t.Errorf("exit code %d, output %q", code, said)
	}
}

// A terminal sends Ctrl-C to the whole foreground group: the ranks must not be in
// it, or they would get it twice.
func TestRanksAreNoForegroundGroup(t *testing.T) {
	p := startProgram(t, "launch-interrupt", 3)
	for _, pid := range p.pids {
		if group, err := syscall.Getpgid(pid); err != nil || group != pid {
			t.Errorf("rank with process id %d is in group %d, %v", pid, group, err)
		}
	}
	p.Process.Signal(syscall.SIGINT)
	p.end()
}

func TestSignalsWithoutHandlerEndTheJob(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		// If these tests themselves run under nohup, the launcher must not
		// inherit that: a signal with a handler has the default after exec.
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, sig)
		defer signal.Stop(heard)
		p := startProgram(t, "launch-sleep", 3)
		p.Process.Signal(sig)
		code, said := p.end()
		if want := fmt.Sprintf("interrupted by %v\n", sig); code != 1 || said != want {
			t.Errorf("exit code %d, output %q", code, said)
		}
	}
}

// nohup works for the whole job.
func TestIgnoredSignalIsNotForwarded(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := startCommand(t, exec.Command("/bin/sh", "-c", `trap "" HUP; exec "$0"`, self), "launch-interrupt", 3)
	p.Process.Signal(syscall.SIGHUP)
	p.Process.Signal(syscall.SIGINT)
	if code, said := p.end(); code != 1 || said != "saved\nsaved\nsaved\ninterrupted by interrupt\n" {
		t.Errorf("exit code %d, output %q", code, said)
	}
}

func TestSecondSignalKills(t *testing.T) {
	p := startProgram(t, "launch-immune", 6)
	// Two equal signals that are both pending would be one.
	p.Process.Signal(syscall.SIGINT)
	p.Process.Signal(syscall.SIGTERM)
	if code, said := p.end(); code != 1 || !strings.HasPrefix(said, "interrupted by ") {
		t.Errorf("exit code %d, output %q", code, said)
	}
}

func TestLauncherIsKilled(t *testing.T) {
	p := startProgram(t, "launch-sleep", 3)
	p.Process.Kill()
	if code, said := p.end(); code != -1 || said != "" {
		t.Errorf("exit code %d, output %q", code, said)
	}
}

// ends fails unless the launcher ends soon after it was interrupted: the limit is far more than
// signals.HostsTimeout, for a busy machine, and less than the time-out of a rank or host that is
// lost.
func (p *program) ends(sig syscall.Signal) (code int, said string) {
	p.t.Helper()
	p.Process.Signal(sig)
	begun := time.Now()
	for p.lines.Scan() {
		said += p.lines.Text() + "\n"
	}
	p.Wait()
	if took := time.Since(begun); took > 6*time.Second {
		p.t.Errorf("the launcher ended %v after the signal", took)
	}
	return p.ProcessState.ExitCode(), said
}

// A rank that is stopped keeps nobody: it is killed, while the others have saved their results.
func TestStoppedRankIsKilled(t *testing.T) {
	t.Parallel()
	p := startProgram(t, "launch-interrupt", 3)
	syscall.Kill(p.pids[1], syscall.SIGSTOP)
	waitState(t, p.pids[1], true)
	code, said := p.ends(syscall.SIGINT)
	if want := "saved\nsaved\ninterrupted by interrupt\n"; code != 1 || said != want {
		t.Errorf("exit code %d, output %q", code, said)
	}
	for _, pid := range p.pids {
		wantGone(t, pid)
	}
}

// A host whose agent is stopped, or that is cut off, keeps nobody either.
func TestStoppedHostIsGivenUp(t *testing.T) {
	t.Parallel()
	p := startProgram(t, "launch-hosts", 5)
	agent := p.pids[1]
	syscall.Kill(agent, syscall.SIGSTOP)
	waitState(t, agent, true)
	code, said := p.ends(syscall.SIGINT)
	if want := "saved\ninterrupted by interrupt\n"; code != 1 || said != want {
		t.Errorf("exit code %d, output %q", code, said)
	}
	syscall.Kill(agent, syscall.SIGCONT) // it finds that the launcher has gone
	for _, pid := range p.pids {
		wantGone(t, pid)
	}
}

// A person who interrupts a job in which a rank has died learns of the death.
func TestInterruptDoesNotHideAFailure(t *testing.T) {
	t.Parallel()
	p := startProgram(t, "launch-undecided", 2)
	code, said := p.ends(syscall.SIGINT)
	if want := "interrupted by <nil>\n"; code != 5 || said != want {
		t.Errorf("exit code %d, output %q", code, said)
	}
}
