package host

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// NoProc adds the remedy to the error of a file of /proc that cannot be found.
func NoProc(err error) error {
	if _, e := os.Stat("/proc/self/exe"); e != nil && errors.Is(err, syscall.ENOENT) {
		return fmt.Errorf("%w: /proc is not mounted, or is that of another PID namespace (mount -t proc proc /proc)", err)
	}
	return err
}
