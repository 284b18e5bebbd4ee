package smem

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/sharedmem"
)

// transferError explains a failed sharedmem.Copy.
func transferError(rank, pid int, err error) error {
	switch err {
	case unix.ESRCH:
		return &device.PeerError{Rank: rank, Cause: fmt.Sprintf("process %d has ended", pid)}
	case unix.EFAULT:
		return &device.PeerError{Rank: rank, Cause: fmt.Sprintf("the memory that it registered is gone from process %d", pid)}
	}
	return fmt.Errorf("transport smem: copying memory of rank %d (process %d): %w", rank, pid, err)
}

// admitSiblings allows other ranks of the launcher to access this process if Yama restricts access
// to ancestors (ptrace_scope 1, the default of Ubuntu). Without Yama it has no effect. It has not
// been tested on a kernel with Yama.
func admitSiblings() {
	unix.Prctl(unix.PR_SET_PTRACER, uintptr(os.Getppid()), 0, 0, 0)
}

// Cross memory attach may be forbidden by Yama, by a seccomp filter, by user namespaces or by the
// absence of the call, which differ in their errors and not in what follows: all messages between
// the ranks of the group take another path, because a transfer needs both sides.
//
// probeCMA tries both calls on the segment of a peer, which is mapped at address there in the peer.
func probeCMA(p *peer) error {
	var word [8]byte
	if err := sharedmem.Copy(p.endpoint.PID, word[:], uintptr(p.endpoint.Address)+wordNonce, false); err != nil {
		return fmt.Errorf("process_vm_readv: %w", err)
	}
	if *(*uint64)(unsafe.Pointer(&word)) != p.endpoint.Nonce {
		return fmt.Errorf("process_vm_readv reads other memory than process %d announced", p.endpoint.PID)
	}
	if err := sharedmem.Copy(p.endpoint.PID, word[:], uintptr(p.endpoint.Address)+wordScratch, true); err != nil {
		return fmt.Errorf("process_vm_writev: %w", err)
	}
	return nil
}

// memoryAt is n bytes of this address space that another rank has registered.
func memoryAt(addr uintptr, n int) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), n)
}
