// Package sharedmem makes memory that several processes map, and copies memory of other processes.
package sharedmem

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// PageSize is the size of a page in bytes, the least size of shared memory.
const PageSize = 4096

// seals fix the size. If a process removed pages, the others would die of SIGBUS.
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// Create makes size bytes of zeroed shared memory behind a memfd, whose size is sealed, and returns
// the file descriptor with the mapping. A memfd has no name, so it leaves no file in /dev/shm and
// does not depend on the size of that file system. With reserve, all pages are allocated
// immediately: a lack of memory is an error here, and does not kill a process later.
func Create(name string, size int, reserve bool) (fd int, mem []byte, err error) {
	fd, err = unix.MemfdCreate("gobench-"+name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, nil, fmt.Errorf("memfd_create: %w", err)
	}
	if reserve {
		err = Reserve(fd, 0, size)
	} else if err = unix.Ftruncate(fd, int64(size)); err != nil {
		err = fmt.Errorf("giving shared memory %d bytes: %w", size, err)
	}
	if err != nil {
		unix.Close(fd)
		return -1, nil, err
	}
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

// Reserve allocates size bytes of the memory behind fd from offset on, on the NUMA node of the
// caller.
func Reserve(fd, offset, size int) error {
	for {
		switch err := unix.Fallocate(fd, 0, int64(offset), int64(size)); err {
		case nil:
			return nil
		case unix.EINTR:
		default:
			return fmt.Errorf("reserving %d bytes of shared memory: %w", size, err)
		}
	}
}

// ErrUnsealed is returned by Map for a file whose size may change while it is mapped.
var ErrUnsealed = errors.New("its size is not sealed")

// Map maps all of the memory behind fd, which another process has created. It refuses a file that
// can shrink. The caller still owns fd and unmaps the memory.
func Map(fd int) ([]byte, error) {
	if has, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0); err != nil || has&unix.F_SEAL_SHRINK == 0 {
		return nil, ErrUnsealed
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if st.Size < PageSize {
		return nil, fmt.Errorf("it holds %d bytes, less than a page", st.Size)
	}
	mem, err := unix.Mmap(fd, 0, int(st.Size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes of shared memory: %w", st.Size, err)
	}
	return mem, nil
}
