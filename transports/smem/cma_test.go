package smem

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/internal/sharedmem"
)

// cmaError returns why no process has cross memory attach here, which emulators of processors lack.
func cmaError() error {
	var from, to [8]byte
	return sharedmem.Copy(os.Getpid(), to[:], address(from[:]), false)
}

// reachHere returns the reach that ranks have here if nothing is forbidden.
func reachHere() reach {
	if cmaError() != nil {
		return reachNone
	}
	return reachCMA
}

// forbidCMA makes the kernel refuse process_vm_readv and process_vm_writev to
// this process, like the default seccomp profile of older container engines.
func forbidCMA() error {
	const load, jumpIfEqual, giveBack = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	program := []unix.SockFilter{
		{Code: load, K: 0}, // the number of the system call
		{Code: jumpIfEqual, K: unix.SYS_PROCESS_VM_READV, Jt: 2},
		{Code: jumpIfEqual, K: unix.SYS_PROCESS_VM_WRITEV, Jt: 1},
		{Code: giveBack, K: unix.SECCOMP_RET_ALLOW},
		{Code: giveBack, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&filter)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return errno
	}
	return nil
}

// TestForbiddenCMA: if one rank may not use it, all do without, or all fail
// with the reason when it was demanded.
func TestForbiddenCMA(t *testing.T) {
	forbid, first, reason := "yes", "rank 1", "operation not permitted"
	if err := cmaError(); err != nil { // nobody has it, so it need not be forbidden
		forbid, first, reason = "", "rank 0", err.Error()
	}
	t.Run("auto", func(t *testing.T) {
		job := processJob(t, 3, "open", map[string]string{"forbid": forbid, "cma": cmaAuto, "reach": "0"})
		w, err := openWire(context.Background(), job, nil, minRing, cmaAuto, "auto")
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		cma := w.inForce()["cma"]
		if w.reach != reachNone || !strings.Contains(cma, "process_vm_readv: "+reason) {
			t.Errorf("cma in force is %q", cma)
		}
		if m := w.Route(1, 1<<20, protocol.Transfer{}).Method; m != protocol.Pipeline {
			t.Errorf("method %v is suggested although memory cannot be reached", m)
		}
		if _, err := w.Register(make([]byte, 10)); err == nil {
			t.Error("ordinary memory can be registered")
		}
		b, err := w.Alloc(10)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Register(b); err != nil {
			t.Errorf("memory from Alloc: %v", err)
		}
	})
	t.Run("on", func(t *testing.T) {
		job := processJob(t, 3, "open", map[string]string{"forbid": forbid, "cma": cmaOn, "fails": "yes"})
		_, err := openWire(context.Background(), job, nil, minRing, cmaOn, "auto")
		var unavailable *device.UnavailableError
		if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), first+": process_vm_readv") {
			t.Errorf("open: %v", err)
		}
	})
	t.Run("off", func(t *testing.T) {
		job := processJob(t, 2, "open", map[string]string{"cma": cmaOff, "reach": "0"})
		w, err := openWire(context.Background(), job, nil, minRing, cmaOff, "auto")
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if w.reach != reachNone {
			t.Error("cma=off does not switch it off")
		}
	})
}
