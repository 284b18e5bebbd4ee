package record

import (
	"errors"
	"io"
	"os"

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

// errRemoved is the cause of a WriteError if nobody can find the rows by the path.
var errRemoved = errors.New("the file was removed or renamed meanwhile")

// close syncs a regular file to the disk, closes it and releases the lock. It removes a file that
// it created and that got no rows: a command that failed before its first row leaves none for
// reports. It returns an error if the path is not that of the file any more.
func (a *appendFile) close() error {
	var err, removed error
	if now, failed := os.Stat(a.path); a.regular && (failed != nil || !os.SameFile(now, a.info)) {
		removed = errRemoved
	}
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
	return nil
}
