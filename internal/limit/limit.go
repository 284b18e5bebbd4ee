// Package limit names the limits of the system that errors are about.
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

// Explain adds to an error of the system which limit has been reached, and the command that shows
// it. Other errors are returned as they are. It is for the start of processes and for memory: of
// files, ENOSPC has another cause.
func Explain(err error) error {
	for _, l := range limits {
		if errors.Is(err, l.errno) {
			return fmt.Errorf("%w: %s", err, l.what)
		}
	}
	return err
}
