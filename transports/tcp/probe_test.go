package tcp

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"gobench/device"
)

const loopVariable = "GOBENCH_TCP_LOOPBACK"

// A loopback interface that is down has its addresses, and sockets listen there: only connecting
// shows it. It is named with the remedy.
func TestLoopbackDown(t *testing.T) {
	if os.Getenv(loopVariable) == "" {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestLoopbackDown$")
		cmd.Env = append(os.Environ(), loopVariable+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
		if os.Getuid() != 0 {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		}
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
			t.Skipf("SKIPPED: this kernel or container lets this user make no network namespace: %v", err)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		if err := (driver{}).Probe(); err != nil {
			t.Errorf("with the loopback interface up: %v", err)
		}
		return
	}
	var unavailable *device.UnavailableError
	if err := (driver{}).Probe(); !errors.As(err, &unavailable) || !strings.Contains(unavailable.Remedy, "ip link set lo up") {
		t.Errorf("with the loopback interface down: %v", err)
	}
	for _, c := range []struct {
		set  []string
		fine bool
	}{{nil, false}, {[]string{"family", "4"}, false}, {[]string{"family", "vsock"}, true}, {[]string{"bind", "10.0.0.0/8"}, true}} {
		if err := device.ProbeWith(driver{}, options(t, c.set...)); (err == nil) != c.fine {
			t.Errorf("with the loopback interface down and %v: %v", c.set, err)
		}
	}
	loopbackUp(t, true)
	if err := (driver{}).Probe(); err != nil {
		t.Errorf("after it was brought up: %v", err)
	}
}

// A time-out over the loopback interface of a busy host is tried again, one that is down is not.
func TestLoopbackTimeout(t *testing.T) {
	over := target{set: &settings{}, to: "127.0.0.1:1"}
	if why := over.Final(os.ErrDeadlineExceeded); why != "" {
		t.Errorf("a time-out is final: %s", why)
	}
	if why := over.Final(syscall.ENETUNREACH); why == "" {
		t.Error("an interface that is down is tried again")
	}
}
