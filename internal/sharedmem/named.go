package sharedmem

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Directory is a file system in memory, for named memory. Containers of one host share it more
// often than the right to open each other's descriptors.
const Directory = "/dev/shm"

// CreateNamed makes size bytes of zeroed shared memory behind a file in Directory that this user
// alone can open, and returns its path, the descriptor and the mapping. The caller removes the
// file as soon as the others have opened it. Its size is not sealed.
func CreateNamed(name string, size int) (path string, fd int, mem []byte, err error) {
	var random [16]byte
	rand.Read(random[:]) // never fails
	path = fmt.Sprintf("%s/gobench-%s-%s", Directory, name, hex.EncodeToString(random[:]))
	if fd, err = unix.Open(path, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600); err != nil {
		return "", -1, nil, &os.PathError{Op: "create", Path: path, Err: err}
	}
	if err = unix.Ftruncate(fd, int64(size)); err == nil {
		mem, err = unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		unix.Close(fd)
		unix.Unlink(path)
		return "", -1, nil, fmt.Errorf("%d bytes of shared memory in %s: %w", size, Directory, err)
	}
	return path, fd, mem, nil
}

// OpenNamed opens and maps what CreateNamed of another process of this user has made. The caller
// owns the descriptor.
func OpenNamed(path string) (fd int, mem []byte, err error) {
	if fd, err = unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0); err != nil {
		return -1, nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	var st unix.Stat_t
	switch err = unix.Fstat(fd, &st); {
	case err != nil:
	case int(st.Uid) != os.Geteuid():
		err = fmt.Errorf("%s belongs to another user", path)
	case st.Size < PageSize:
		err = fmt.Errorf("%s holds %d bytes, less than a page", path, st.Size)
	default:
		mem, err = unix.Mmap(fd, 0, int(st.Size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		unix.Close(fd)
		return -1, nil, err
	}
	return fd, mem, nil
}
