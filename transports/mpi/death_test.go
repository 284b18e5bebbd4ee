//go:build mpi && cgo

package mpi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/device"
)

// dieEnv makes a process of the test a rank, the second of which is killed by that signal. With
// signal 0 the first one closes its device before its message is received. With signal -1 both
// close theirs with a region.
const dieEnv = "GOBENCH_TEST_MPI_DIE"

// dies is a rank of a test in this file. It does not return while MPI is there.
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
	fmt.Println("ready")
	switch {
	case number < 0:
		return closesWithRegion(d)
	case number == 0 && d.Rank() == 0:
		d.Recv(nil, 1, 0, 0) // when both are ready
		return closesLate(d, options)
	case number == 0:
		d.Send(nil, 0, 0, 0)
	case d.Rank() == 0:
		d.Send(nil, 1, 0, 0)
	default:
		d.Recv(nil, 0, 0, 0) // when both are ready
		syscall.Kill(os.Getpid(), syscall.Signal(number))
	}
	d.Recv(make([]byte, 8), 1, 0, 0)
	return 0
}

// closesWithRegion closes a device with a put that no Flush has completed. That ends the epoch, out
// of which a flush is an error.
func closesWithRegion(d device.Device) int {
	g, err := d.(device.RegionAllocator).AllocRegion(1, []int{0, 1}, 1<<20)
	if err == nil {
		err = errors.Join(g.Put(make([]byte, 1<<20), 1-d.Rank(), 0), d.Close())
	}
	if err == nil && g.(*region).window.Flush(1-d.Rank()) != 0 {
		fmt.Println("refused")
	}
	return 1
}

// closesLate closes a device whose message nobody receives, and opens the next one.
func closesLate(d device.Device, options device.Options) int {
	goodbye = 100 * time.Millisecond
	if _, err := d.Issend(make([]byte, 8), 1, 5, 0); err != nil {
		return 1
	}
	first := d.Close()
	_, second := open(context.Background(), nil, options)
	if first != nil && errors.Is(d.Close(), device.ErrClosed) && second != nil {
		fmt.Println("refused")
	}
	return 1
}

// underLauncher runs two ranks of dies, which must become ready, and returns what they print and
// how their launcher ends.
func underLauncher(t *testing.T, l launcher, signal syscall.Signal) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	line := l.line(2, os.Args[0])
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env = append(os.Environ(), dieEnv+"="+strconv.Itoa(int(signal)))
	cmd.WaitDelay = time.Second
	output, err := cmd.CombinedOutput()
	if ready := strings.Count(string(output), "ready\n"); ready != 2 || ctx.Err() != nil {
		t.Errorf("%v: %d ranks were ready, and the launcher ended with %v (%v)\n%s", signal, ready, err, ctx.Err(), output)
	}
	return string(output), err
}

// A rank that is killed, or whose library aborts, ends the job with an error, though another waits
// for it.
func TestARankIsKilled(t *testing.T) {
	underEach(t, func(t *testing.T, l launcher) {
		for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGABRT} {
			if output, err := underLauncher(t, l, signal); err == nil {
				t.Errorf("%v: the launcher ended without an error\n%s", signal, output)
			}
		}
	})
}

// A device whose last message is not received in time is closed, and the next is refused.
func TestCloseThatEndsLate(t *testing.T) {
	underEach(t, func(t *testing.T, l launcher) {
		if output, _ := underLauncher(t, l, 0); !strings.Contains(output, "refused\n") {
			t.Errorf("Close or the next Open has no error\n%s", output)
		}
	})
}

// A device with an open region ends its epoch.
func TestCloseWithARegion(t *testing.T) {
	underEach(t, func(t *testing.T, l launcher) {
		if output, _ := underLauncher(t, l, -1); !strings.Contains(output, "refused\n") {
			t.Errorf("the epoch of the region has not ended\n%s", output)
		}
	})
}
