package smem

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// createShared makes size bytes of zeroed shared memory behind a memfd, and
// returns the file descriptor with the mapping. A memfd has no name, so nothing can stay
// in /dev/shm, whose size does not matter either. The memory is reserved at
// once: a lack of it is an error here and not a SIGBUS later.
func createShared(name string, size int) (fd int, mem []byte, err error) {
	if err := checkRoom(size); err != nil {
		return -1, nil, err
	}
	fd, err = unix.MemfdCreate("gobench-"+name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, nil, fmt.Errorf("memfd_create: %w", err)
	}
	for {
		err = unix.Fallocate(fd, 0, 0, int64(size))
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		unix.Close(fd)
		return -1, nil, fmt.Errorf("reserving %d bytes of shared memory: %w", size, err)
	}
	// Sealed, so that no peer can take pages away from under the others.
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		unix.Close(fd)
		return -1, nil, fmt.Errorf("sealing shared memory: %w", err)
	}
	mem, err = unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		unix.Close(fd)
		return -1, nil, fmt.Errorf("mapping %d bytes of shared memory: %w", size, err)
	}
	return fd, mem, nil
}

const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// openShared maps memory that process pid holds as descriptor fd.
func openShared(pid, fd int) ([]byte, error) {
	path := fmt.Sprintf("/proc/%d/fd/%d", pid, fd)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if has, err := unix.FcntlInt(file.Fd(), unix.F_GET_SEALS, 0); err != nil || has&unix.F_SEAL_SHRINK == 0 {
		return nil, fmt.Errorf("%s is no sealed memory", path)
	}
	if st.Size() < pageSize {
		return nil, fmt.Errorf("%s holds %d bytes, less than a page", path, st.Size())
	}
	mem, err := unix.Mmap(int(file.Fd()), 0, int(st.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
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
