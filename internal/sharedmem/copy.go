package sharedmem

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Copy copies between local memory and the memory of process pid at remote, in one copy and without
// that process (cross memory attach): into local, or out of it with write. An error is an errno:
// ESRCH if there is no such process, EPERM if it may not be reached, EFAULT if it has no memory
// there.
func Copy(pid int, local []byte, remote uintptr, write bool) error {
	call := uintptr(unix.SYS_PROCESS_VM_READV)
	if write {
		call = unix.SYS_PROCESS_VM_WRITEV
	}
	for len(local) != 0 {
		here := unix.Iovec{Base: unsafe.SliceData(local), Len: uint64(len(local))}
		there := remoteIovec{remote, uint64(len(local))}
		// Raw: the scheduler of Go must not take the processor away from a rank
		// that is locked to its thread.
		n, _, errno := unix.RawSyscall6(call, uintptr(pid),
			uintptr(unsafe.Pointer(&here)), 1, uintptr(unsafe.Pointer(&there)), 1, 0)
		if errno != 0 {
			return errno
		}
		if n == 0 {
			return unix.EFAULT
		}
		local = local[n:]
		remote += n
	}
	return nil
}

// remoteIovec is unix.Iovec with an address of another process in place of
// the pointer.
type remoteIovec struct {
	base   uintptr
	length uint64
}

// Attaches reports whether the kernel has the calls of Copy, tried on this process. Whether another
// one may be reached depends on that one, too.
func Attaches() bool {
	there := new([1]byte) // on the heap, which does not move
	var here [1]byte
	return Copy(os.Getpid(), here[:], uintptr(unsafe.Pointer(there)), false) == nil
}
