package record

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// appendFile appends rows to a file whole or not at all. Several processes
// may append to one file: each row is written under an advisory lock (flock),
// so that taking back a torn row takes nothing of another's.
type appendFile struct {
	f       *os.File
	path    string
	regular bool
	// write stands for f.Write; tests put a full disk here.
	write func([]byte) (int, error)
}

func (a *appendFile) append(row []byte) error {
	write := a.f.Write
	if a.write != nil {
		write = a.write
	}
	if !a.regular {
		n, err := write(row)
		return a.result(row, n, err, n > 0)
	}
	var torn bool
	var n int
	err := a.locked(func(size int64) error {
		var err error
		n, err = write(row)
		if n > 0 && n < len(row) {
			torn = a.f.Truncate(size) != nil
		}
		return err
	})
	return a.result(row, n, err, torn)
}

func (a *appendFile) result(row []byte, n int, err error, torn bool) error {
	if err == nil && n < len(row) {
		err = io.ErrShortWrite
	}
	if err == nil {
		return nil
	}
	if p, ok := errors.AsType[*os.PathError](err); ok {
		err = p.Err // WriteError names the path itself
	}
	return &WriteError{Path: a.path, Err: err, Torn: torn}
}

// locked calls do with the size of the file while no other gobench writes to
// it. File systems without locks are used without.
func (a *appendFile) locked(do func(size int64) error) error {
	fd := int(a.f.Fd())
	for {
		err := unix.Flock(fd, unix.LOCK_EX)
		if err == nil {
			defer unix.Flock(fd, unix.LOCK_UN)
		}
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	info, err := a.f.Stat()
	if err != nil {
		return err
	}
	return do(info.Size())
}

// close brings the file to the disk. Devices and pipes cannot be synchronised,
// which is no error.
func (a *appendFile) close() error {
	err := a.f.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil
	}
	if err = errors.Join(err, a.f.Close()); err != nil {
		return &WriteError{Path: a.path, Err: err}
	}
	return nil
}
