//go:build mpi && cgo

package mpi

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"gobench/device"
)

// dieEnv makes a process of the test a rank, the second of which is killed by that signal.
const dieEnv = "GOBENCH_TEST_MPI_DIE"

// dies is a rank of TestARankIsKilled. It does not return while MPI is there.
func dies(signal string) int {
	runtime.LockOSThread()
	number, _ := strconv.Atoi(signal)
	if _, err := join(); err != nil {
		return 1
	}
	options, err := device.ParseOptions(driver{}.Options(), nil)
	if err != nil {
		return 1
	}
	d, err := open(context.Background(), nil, options)
	if err != nil {
		return 1
	}
	if d.Rank() == 1 {
		syscall.Kill(os.Getpid(), syscall.Signal(number))
	}
	d.Recv(make([]byte, 8), 1, 0, 0)
	return 0
}

// A rank that is killed, or whose library aborts, ends the job with an error, though another waits
// for it.
func TestARankIsKilled(t *testing.T) {
	underEach(t, func(t *testing.T, l launcher) {
		for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGABRT} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			line := l.line(2, os.Args[0])
			cmd := exec.CommandContext(ctx, line[0], line[1:]...)
			cmd.Env = append(os.Environ(), dieEnv+"="+strconv.Itoa(int(signal)))
			cmd.WaitDelay = time.Second
			output, err := cmd.CombinedOutput()
			if err == nil || ctx.Err() != nil {
				t.Errorf("%v: the launcher ended with %v (%v)\n%s", signal, err, ctx.Err(), output)
			}
			cancel()
		}
	})
}
