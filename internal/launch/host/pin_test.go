package host

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gobench/internal/allocs"
)

const foreignProc = "GOBENCH_HOST_FOREIGN_PROC"

// The cores of this process are known where /proc shows another PID namespace.
func TestAllowedCoresWithForeignProc(t *testing.T) {
	if want := os.Getenv(foreignProc); want != "" {
		if got, err := AllowedCores(); err != nil || FormatCores(got) != want {
			t.Errorf("cores %v, %v; want %s", got, err, want)
		}
		return
	}
	cores, err := AllowedCores()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestAllowedCoresWithForeignProc$")
	cmd.Env = append(os.Environ(), foreignProc+"="+FormatCores(cores))
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		t.Skipf("SKIPPED: this kernel or container lets this user make no PID namespace: %v", err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// pinned calls fn on a thread that is pinned to core and ends afterwards.
func pinned(t *testing.T, core int, fn func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := Pin(core)
		if err == nil {
			fn()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestPin(t *testing.T) {
	allowed, err := AllowedCores()
	if err != nil || len(allowed) == 0 || !slices.IsSorted(allowed) {
		t.Fatalf("allowed cores %v, %v", allowed, err)
	}
	for _, core := range allowed {
		pinned(t, core, func() {
			var set unix.CPUSet
			if err := unix.SchedGetaffinity(0, &set); err != nil || set.Count() != 1 || !set.IsSet(core) {
				t.Errorf("pinned to %v instead of %d, %v", members(&set), core, err)
			}
			again, err := AllowedCores()
			if err != nil || !slices.Equal(again, allowed) {
				t.Errorf("a pinned thread narrows the allowed cores to %v, %v", again, err)
			}
		})
	}
}

func TestPinElsewhere(t *testing.T) {
	for _, core := range []int{-1, 1 << 20, 1023} {
		err := Pin(core)
		var wrong *CoreError
		if !errors.As(err, &wrong) || wrong.Core != core || len(wrong.Allowed) == 0 {
			t.Errorf("core %d: %v", core, err)
		}
	}
}

func TestCoreLists(t *testing.T) {
	for text, want := range map[string][]int{"": nil, "0": {0}, "0-3,8,10\n": {0, 1, 2, 3, 8, 10}, "3, 2": {3, 2}} {
		if got, err := ParseCores(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"a", "1-", "-1", "2-1", "1,,2", "99999999"} {
		if got, err := ParseCores(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
	for want, cores := range map[string][]int{"none": nil, "0-3,8": {8, 3, 2, 1, 0, 2}, "5": {5}} {
		if got := FormatCores(cores); got != want {
			t.Errorf("%v is %q, want %q", cores, got, want)
		}
	}
}

// A probe can be wrong in what it counts but not in these: they hold by
// construction on any machine, however noisy.
func TestNoise(t *testing.T) {
	start := time.Now()
	clock := func() time.Duration { return time.Since(start) }
	if n := allocs.Count(2, func() { noise(time.Millisecond, clock) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	d := Noise(10 * time.Millisecond)
	if d.Duration < 0.010 || d.Quantum <= 0 || d.Threshold < 500e-9 || d.Lost < 0 || d.Lost > 1 || d.Waited < 0 || d.Waited > d.Lost || d.Longest > d.Duration {
		t.Errorf("%+v", d)
	}
	if (d.Count == 0) != (d.Longest == 0) || d.Count > 0 && d.Longest <= d.Threshold {
		t.Errorf("%+v", d)
	}
}

// A detour that is made on purpose must be seen.
func TestNoiseSeesDetour(t *testing.T) {
	steps := []time.Duration{0}
	for range noiseTraining + 10 {
		steps = append(steps, steps[len(steps)-1]+50)
	}
	pause := steps[len(steps)-1] + 3*time.Millisecond
	steps = append(steps, pause, pause+50, pause+100, pause+10*time.Millisecond)
	d := noise(5*time.Millisecond, func() time.Duration {
		now := steps[0]
		steps = steps[1:]
		return now
	})
	if d.Count != 2 || d.Longest != (10*time.Millisecond-100).Seconds() || d.Quantum != 50e-9 || d.Threshold != 500e-9 {
		t.Errorf("%+v", d)
	}
}
