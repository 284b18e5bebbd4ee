package launch_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"gobench/internal/launch/launchtest"
)

func TestSignalIsForwarded(t *testing.T) {
	p := launchtest.StartProgram(t, "launch-interrupt", 3)
	p.Process.Signal(syscall.SIGINT)
	code, said := p.End()
	if want := "saved\nsaved\nsaved\ninterrupted by interrupt\n"; code != 1 || said != want {
		t.Errorf("exit code %d, output %q", code, said)
	}
}

// A terminal sends Ctrl-C to the whole foreground group: the ranks must not be in
// it, or they would get it twice.
func TestRanksAreNoForegroundGroup(t *testing.T) {
	p := launchtest.StartProgram(t, "launch-interrupt", 3)
	for _, pid := range p.PIDs {
		if group, err := syscall.Getpgid(pid); err != nil || group != pid {
			t.Errorf("rank with process id %d is in group %d, %v", pid, group, err)
		}
	}
	p.Process.Signal(syscall.SIGINT)
	p.End()
}

func TestSignalsWithoutHandlerEndTheJob(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		// If these tests themselves run under nohup, the launcher must not
		// inherit that: a signal with a handler has the default after exec.
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, sig)
		defer signal.Stop(heard)
		p := launchtest.StartProgram(t, "launch-sleep", 3)
		p.Process.Signal(sig)
		code, said := p.End()
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
	p := launchtest.StartCommand(t, exec.Command("/bin/sh", "-c", `trap "" HUP; exec "$0"`, self), "launch-interrupt", 3)
	p.Process.Signal(syscall.SIGHUP)
	p.Process.Signal(syscall.SIGINT)
	if code, said := p.End(); code != 1 || said != "saved\nsaved\nsaved\ninterrupted by interrupt\n" {
		t.Errorf("exit code %d, output %q", code, said)
	}
}

func TestSecondSignalKills(t *testing.T) {
	p := launchtest.StartProgram(t, "launch-immune", 6)
	// Two equal signals that are both pending would be one.
	p.Process.Signal(syscall.SIGINT)
	p.Process.Signal(syscall.SIGTERM)
	if code, said := p.End(); code != 1 || !strings.HasPrefix(said, "interrupted by ") {
		t.Errorf("exit code %d, output %q", code, said)
	}
}

func TestLauncherIsKilled(t *testing.T) {
	p := launchtest.StartProgram(t, "launch-sleep", 3)
	p.Process.Kill()
	if code, said := p.End(); code != -1 || said != "" {
		t.Errorf("exit code %d, output %q", code, said)
	}
}

// A rank that is stopped keeps nobody: it is killed, while the others have saved their results.
func TestStoppedRankIsKilled(t *testing.T) {
	t.Parallel()
	p := launchtest.StartProgram(t, "launch-interrupt", 3)
	syscall.Kill(p.PIDs[1], syscall.SIGSTOP)
	launchtest.WaitState(t, p.PIDs[1], true)
	code, said := p.Ends(syscall.SIGINT)
	if want := "saved\nsaved\ninterrupted by interrupt\n"; code != 1 || said != want {
		t.Errorf("exit code %d, output %q", code, said)
	}
	for _, pid := range p.PIDs {
		launchtest.WantGone(t, pid)
	}
}

// A person who interrupts a job in which a rank has died learns of the death.
func TestInterruptDoesNotHideAFailure(t *testing.T) {
	t.Parallel()
	p := launchtest.StartProgram(t, "launch-undecided", 2)
	code, said := p.Ends(syscall.SIGINT)
	if want := "interrupted by <nil>\n"; code != 5 || said != want {
		t.Errorf("exit code %d, output %q", code, said)
	}
}
