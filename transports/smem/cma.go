package smem

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
)

// crossMemory copies between local memory and the memory of process pid at
// remote, in one copy and without that process (cross memory attach).
func crossMemory(pid int, local []byte, remote uintptr, write bool) error {
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

// transferError explains a failed crossMemory.
func transferError(rank, pid int, err error) error {
	switch err {
	case unix.ESRCH:
		return &device.PeerError{Rank: rank, Cause: fmt.Sprintf("process %d has ended", pid)}
	case unix.EFAULT:
		return &device.PeerError{Rank: rank, Cause: fmt.Sprintf("the memory that it registered is gone from process %d", pid)}
	}
	return fmt.Errorf("transport smem: copying memory of rank %d (process %d): %w", rank, pid, err)
}

// admitSiblings lets what the launcher has started reach this process where
// Yama otherwise allows it to ancestors only (ptrace_scope 1, the default of
// Ubuntu). Elsewhere it changes nothing. It has not been tried on a kernel with Yama.
func admitSiblings() {
	unix.Prctl(unix.PR_SET_PTRACER, uintptr(os.Getppid()), 0, 0, 0)
}

// probeCMA tries both calls on the segment of a real peer, whose owner has it
// at address there.
func probeCMA(p *peer) error {
	var word [8]byte
	if err := crossMemory(p.endpoint.PID, word[:], uintptr(p.endpoint.Address)+wordNonce, false); err != nil {
		return fmt.Errorf("process_vm_readv: %w", err)
	}
	if *(*uint64)(unsafe.Pointer(&word)) != p.endpoint.Nonce {
		return fmt.Errorf("process_vm_readv reads other memory than process %d announced", p.endpoint.PID)
	}
	if err := crossMemory(p.endpoint.PID, word[:], uintptr(p.endpoint.Address)+wordScratch, true); err != nil {
		return fmt.Errorf("process_vm_writev: %w", err)
	}
	return nil
}

// memoryAt is n bytes of this address space that another rank has registered.
func memoryAt(addr uintptr, n int) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), n)
}
