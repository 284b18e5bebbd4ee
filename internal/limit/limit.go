// Package limit adds the reached limit of the system to an error.
package limit

import (
	"errors"
	"fmt"
	"syscall"
)

var limits = []struct {
	errno syscall.Errno
	what  string
}{
	{syscall.EAGAIN, "no more processes are allowed (ulimit -u, the pids limit of the cgroup, sysctl kernel.pid_max)"},
	{syscall.EMFILE, "no more file descriptors are allowed in this process (ulimit -Hn)"},
	{syscall.ENFILE, "no more open files are allowed on this machine (sysctl fs.file-max)"},
	{syscall.ENOMEM, "memory is used up, or the limit of this process is reached (ulimit -v)"},
	{syscall.ENOSPC, "memory is used up"},
	{syscall.EFBIG, "no larger files are allowed (ulimit -f)"},
}

// Explain wraps an error of the system with the limit that has been reached and the command that
// shows it. It returns other errors unchanged. It is meant for the start of processes and for
// memory; for files, ENOSPC has another cause.
func Explain(err error) error {
	for _, l := range limits {
		if errors.Is(err, l.errno) {
			return fmt.Errorf("%w: %s", err, l.what)
		}
	}
	return err
}
