package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"gobench/internal/remedy"
)

// A BusyError reports that another process writes to a result file.
type BusyError struct {
	Path string
	PID  int // of that process; 0 = unknown, for a process of another user or host
}

func (e *BusyError) Error() string {
	who := "another process"
	if e.PID != 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("%s is being written by %s: wait for its end, or name another file with %v", e.Path, who, remedy.Named("output"))
}

// permissionVariable names the environment variable by which the process that locks a result file
// allows the processes it starts to write to it. Its value is "PID:DEVICE:INODE".
const permissionVariable = "GOBENCH_RECORDS_HELD"

// lock locks the file until it is closed or the process ends. It returns a *BusyError if another
// process holds the lock, unless that process gave permission. The lock belongs to the open file
// (F_OFD_SETLK), so reading and closing the file elsewhere in this process does not release it.
// Earlier releases lock each row with flock, which this lock does not block, so a sweep that holds
// it can launch them. On a file system without locks, files are not locked.
func (a *appendFile) lock() error {
	err := unix.FcntlFlock(a.f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
	a.holds = err == nil
	if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EACCES) {
		return nil
	}
	holder := holderOf(a.info)
	if pid, id, given := strings.Cut(os.Getenv(permissionVariable), ":"); given && id == fileID(a.info) && (holder == 0 || strconv.Itoa(holder) == pid) {
		return nil
	}
	return &BusyError{Path: a.path, PID: holder}
}

// Permission returns the environment variable, NAME=VALUE, by which the holder of the lock allows
// processes that it starts to write to the file, one at a time. It returns nil for a stream, a pipe
// or a device, which have no lock, and in a process that writes by such a permission itself: the
// processes that it starts inherit it.
func (w *Writer) Permission() []string {
	if w.file == nil || !w.file.regular || !w.file.holds {
		return nil
	}
	return []string{fmt.Sprintf("%s=%d:%s", permissionVariable, os.Getpid(), fileID(w.file.info))}
}

// fileID returns an identifier of a file on this machine: "DEVICE:INODE".
func fileID(info os.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "?"
	}
	return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
}

// holderOf returns the process that holds the lock of a file, 0 if it is not visible.
func holderOf(file os.FileInfo) int {
	open, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, name := range open {
		if info, err := os.Stat(name); err != nil || !os.SameFile(info, file) {
			continue
		}
		process, fd := filepath.Dir(filepath.Dir(name)), filepath.Base(name)
		facts, err := os.ReadFile(filepath.Join(process, "fdinfo", fd))
		if err != nil || !bytes.Contains(facts, []byte("OFDLCK")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(process)); err == nil {
			return pid
		}
	}
	return 0
}
