package smem

import (
	"fmt"
	"os"
	"unsafe"

	"gobench/internal/sharedmem"
)

// createShared makes size bytes of zeroed shared memory behind a memfd, all reserved at once, and
// returns the file descriptor with the mapping.
func createShared(name string, size int) (fd int, mem []byte, err error) {
	if err := checkRoom(size); err != nil {
		return -1, nil, err
	}
	return sharedmem.Create(name, size, true)
}

// openShared maps memory that process pid holds as descriptor fd.
func openShared(pid, fd int) ([]byte, error) {
	path := fmt.Sprintf("/proc/%d/fd/%d", pid, fd)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	mem, err := sharedmem.Map(int(file.Fd()))
	if err != nil {
		return nil, fmt.Errorf("mapping %s: %w", path, err)
	}
	return mem, nil
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

func address(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }
