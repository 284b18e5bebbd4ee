package smem

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"gobench/internal/limit"
	"gobench/internal/sharedmem"
)

// createShared makes size bytes of zeroed shared memory behind a memfd, all reserved in advance,
// and returns the file descriptor with the mapping.
func createShared(name string, size int) (fd int, mem []byte, err error) {
	if err := checkRoom(size); err != nil {
		return -1, nil, err
	}
	if fd, mem, err = sharedmem.Create(name, size, true); err != nil {
		return -1, nil, limit.Explain(err)
	}
	return fd, mem, nil
}

// openShared maps memory that process pid holds as descriptor fd.
func openShared(pid, fd int) ([]byte, error) {
	own, err := openDescriptor(pid, fd)
	if err != nil {
		return nil, err
	}
	defer unix.Close(own)
	mem, err := sharedmem.Map(own)
	if err != nil {
		return nil, fmt.Errorf("mapping descriptor %d of process %d: %w", fd, pid, limit.Explain(err))
	}
	return mem, nil
}

// openDescriptor opens the file that process pid holds as descriptor fd.
func openDescriptor(pid, fd int) (int, error) {
	path := fmt.Sprintf("/proc/%d/fd/%d", pid, fd)
	own, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return own, nil
}

// heapMemory returns size zeroed bytes of ordinary memory that start at a
// page, for ranks that share one address space.
func heapMemory(size int) ([]byte, error) {
	if err := checkRoom(size); err != nil {
		return nil, err
	}
	raw := make([]byte, size+pageSize-1)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(raw)))) & (pageSize - 1)
	return raw[skip : skip+size : skip+size], nil
}

// address returns where a buffer begins, also one of no bytes.
func address(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }
