package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// appendFile appends rows to a file. It removes a row of a regular file that was not written in
// full. Such a file has one writer at a time (see lock), so the truncation does not remove rows of
// other processes. Pipes and devices are only written to.
type appendFile struct {
	f       *os.File
	path    string
	info    os.FileInfo // when it was opened
	regular bool
	holds   bool // holds the lock
	created bool // the file did not exist before
	// write replaces f.Write in tests that simulate a full disk.
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
	info, err := a.f.Stat()
	if err == nil && a.gone() {
		err = errRemoved
	}
	if err != nil {
		return a.result(row, 0, err, false)
	}
	n, err := write(row)
	torn := n > 0 && n < len(row) && a.f.Truncate(info.Size()) != nil
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

// gone reports whether the file has been unlinked.
func (a *appendFile) gone() bool {
	var s unix.Stat_t
	return unix.Fstat(int(a.f.Fd()), &s) == nil && s.Nlink == 0
}

// moved returns an error if the path is not that of a regular file any more: a *RenamedError if the
// file has another one.
func (a *appendFile) moved() error {
	if now, err := os.Stat(a.path); !a.regular || err == nil && os.SameFile(now, a.info) {
		return nil
	}
	to, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", a.f.Fd()))
	if a.gone() || err != nil || strings.HasPrefix(filepath.Base(to), ".nfs") { // what NFS removes when it is closed
		return &WriteError{Path: a.path, Err: errRemoved}
	}
	return &RenamedError{a.path, to}
}

// close syncs a regular file to the disk, closes it and releases the lock. It removes a file that
// it created and that got no rows: a command that failed before its first row leaves none for
// reports.
func (a *appendFile) close() error {
	var err, removed error
	moved := a.moved()
	if a.created && a.holds {
		if now, failed := os.Lstat(a.path); failed == nil && now.Size() == 0 && os.SameFile(now, a.info) {
			removed = os.Remove(a.path) // under the lock: Open checks the link count after it has taken the lock
		}
	}
	if a.regular {
		err = a.f.Sync()
	}
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil // the file system does not support it
	}
	if err = errors.Join(err, removed, a.f.Close()); err != nil {
		return &WriteError{Path: a.path, Err: err}
	}
	return moved
}
