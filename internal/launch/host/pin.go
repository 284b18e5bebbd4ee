package host

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A CoreError reports a core that this process cannot use.
type CoreError struct {
	Core    int
	Allowed []int
}

func (e *CoreError) Error() string {
	return fmt.Sprintf("core %d cannot be used by this process; allowed here: %s", e.Core, FormatCores(e.Allowed))
}

// Pin binds the calling thread to one core. The caller has locked its goroutine
// to the thread (runtime.LockOSThread); other threads are not touched. It returns
// a *CoreError for a core that is not allowed.
func Pin(core int) error {
	var set unix.CPUSet
	if core >= 0 {
		set.Set(core)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		if allowed, e := AllowedCores(); e == nil {
			return &CoreError{core, allowed}
		}
		return fmt.Errorf("pinning to core %d: %w", core, err)
	}
	return nil
}

// AllowedCores lists the cores on which this process may run, in ascending order: the inherited
// affinity mask, within the cpuset of its cgroup. It is the union over all threads, of which those
// of the Go runtime are never pinned, so pinned threads do not reduce the result.
func AllowedCores() ([]int, error) {
	var all unix.CPUSet
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			continue
		}
		var set unix.CPUSet
		if unix.SchedGetaffinity(tid, &set) != nil {
			continue // the thread has ended meanwhile
		}
		for i := range all {
			all[i] |= set[i]
		}
	}
	if all.Count() == 0 { // /proc is not mounted, or shows another PID namespace
		if err := unix.SchedGetaffinity(os.Getpid(), &all); err != nil {
			return nil, fmt.Errorf("reading the cores allowed to this process: %w", err)
		}
	}
	return members(&all), nil
}

func members(set *unix.CPUSet) []int {
	var cores []int
	for i := range len(set) * strconv.IntSize {
		if set.IsSet(i) {
			cores = append(cores, i)
		}
	}
	return cores
}
