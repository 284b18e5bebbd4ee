package smem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"gobench/device"
)

func init() {
	// tiny opens a job while /dev/shm has room for one page.
	roles["tiny"] = func(job device.Job, _ map[string]string) error {
		if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			return err
		}
		if err := unix.Mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=4k"); err != nil {
			return err
		}
		if err := os.WriteFile("/dev/shm/full", make([]byte, pageSize), 0o600); err != nil {
			return err
		}
		if err := os.WriteFile("/dev/shm/more", make([]byte, pageSize), 0o600); !errors.Is(err, unix.ENOSPC) {
			return fmt.Errorf("/dev/shm is not full: %v", err)
		}
		w, err := openWire(context.Background(), job, nil, 1<<20, cmaAuto, "auto")
		if err != nil {
			return err
		}
		b, err := w.Alloc(1 << 20)
		if err != nil {
			return err
		}
		for i := range b {
			b[i] = 1
		}
		return w.Close()
	}
}

// TestTinyDevShm: the size of /dev/shm does not matter. The ranks run in a mount
// namespace of their own, where this process may make one.
func TestTinyDevShm(t *testing.T) {
	if err := mayUnshare(unix.CLONE_NEWNS); err != nil {
		t.Logf("without a mount namespace of its own (%v) /dev/shm stays as it is", err)
		return
	}
	job := processJobIn(t, 3, "tiny", nil, unix.CLONE_NEWNS)
	w, err := openWire(context.Background(), job, nil, 1<<20, cmaAuto, "auto")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// mayUnshare tries whether this process may start others in their own namespaces. Emulators of
// processors cannot make some kinds.
func mayUnshare(namespaces uintptr) error {
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	cmd.SysProcAttr = &unix.SysProcAttr{Unshareflags: namespaces}
	return cmd.Run()
}

// TestManyRanks opens 64 ranks as processes: their memory stays far below a GiB.
func TestManyRanks(t *testing.T) {
	const size = 64
	job := processJob(t, size, "open", map[string]string{"cma": cmaAuto, "reach": fmt.Sprint(reachHere())})
	w, err := openWire(context.Background(), job, nil, minRing, cmaAuto, "auto")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if l := newLayout(size, -1); l.perPair()*size*(size-1)/2 > 256<<20 {
		t.Errorf("rings of %d ranks take %d bytes", size, l.perPair()*size*(size-1)/2)
	}
}
