package launch_test

import (
	"os/exec"
	"syscall"
	"testing"

	"gobench/internal/launch/launchtest"
)

// Ctrl-Z stops the launcher and all ranks, fg continues them, as often as one likes.
func TestStopAndContinue(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a job of a shell, which this test is
	p := launchtest.StartCommand(t, cmd, "launch-interrupt", 3)
	for range 2 {
		p.Process.Signal(syscall.SIGTSTP)
		for _, pid := range append(p.PIDs, p.Process.Pid) {
			launchtest.WaitState(t, pid, true)
		}
		p.Process.Signal(syscall.SIGCONT)
		for _, pid := range append(p.PIDs, p.Process.Pid) {
			launchtest.WaitState(t, pid, false)
		}
	}
	p.Process.Signal(syscall.SIGINT)
	code, said := p.End()
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
	p := launchtest.StartCommand(t, cmd, "stops", 1)
	for launch := range 2 {
		if launch > 0 && !p.Lines.Scan() {
			t.Fatal("it has ended early")
		}
		p.Process.Signal(syscall.SIGTSTP) // which it receives
		if !p.Lines.Scan() {
			t.Fatal("it has ended early")
		}
		p.Process.Signal(syscall.SIGTSTP)
		launchtest.WaitState(t, p.Process.Pid, true)
		p.Process.Signal(syscall.SIGCONT)
		launchtest.WaitState(t, p.Process.Pid, false)
		more.Write([]byte{'\n'})
	}
	if code, _ := p.End(); code != 0 {
		t.Errorf("it ends with %d", code)
	}
}

// A launcher of a group that no shell looks after is not stopped: nobody could continue it.
func TestNobodyContinues(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p := launchtest.StartCommand(t, cmd, "launch-interrupt", 3)
	p.Process.Signal(syscall.SIGTSTP)
	p.Process.Signal(syscall.SIGINT)
	code, said := p.End()
	if want := "saved\nsaved\nsaved\ninterrupted by interrupt\n"; code != 1 || said != want {
		t.Errorf("exit code %d, output %q", code, said)
	}
}
