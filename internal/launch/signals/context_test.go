package signals

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// late is the exit code of a process that the machine has stopped between two signals.
const late = 99

// The same signal within RepeatTime is the same request: it does not end the process. After
// RepeatTime it has its usual effect.
func TestSecondSignalIsTheSameRequest(t *testing.T) {
	if again := os.Getenv("SIGNALS_TEST"); again != "" {
		os.Exit(signalTwice(t, again))
	}
	for again, want := range map[string]string{"at once": "exit status 7", "later": "signal: terminated"} {
		cmd := new(exec.Cmd)
		for cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == late {
			cmd = exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
			cmd.Env = append(os.Environ(), "SIGNALS_TEST="+again)
			if err := cmd.Run(); cmd.ProcessState == nil {
				t.Fatal(err)
			}
		}
		if got := cmd.ProcessState.String(); got != want {
			t.Errorf("a second signal %s: %s, want %s", again, got, want)
		}
	}
}

// signalTwice signals its own process twice, and returns the exit code of a process that lives on.
func signalTwice(t *testing.T, again string) int {
	ctx, stop := Context(t.Context())
	begin := time.Now()
	syscall.Kill(os.Getpid(), syscall.SIGTERM)
	<-ctx.Done()
	time.Sleep(RepeatTime / 10)
	if time.Since(begin) > RepeatTime/2 {
		return late
	}
	syscall.Kill(os.Getpid(), syscall.SIGTERM)
	for again == "later" {
		time.Sleep(RepeatTime)
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}
	stop()
	return 7
}
