package host

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

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

// ParseCores reads a list of cores as the kernel and taskset write it:
// "0-3,8,10". The order is kept. An empty string is an empty list.
func ParseCores(s string) ([]int, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil, nil
	}
	var cores []int
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		lo, err := strconv.ParseUint(from, 10, 16)
		hi := lo
		if err == nil && isRange {
			hi, err = strconv.ParseUint(to, 10, 16)
		}
		if err != nil || hi < lo {
			return nil, fmt.Errorf("%q is not a list of cores such as 2,3 or 0-3", s)
		}
		for c := lo; c <= hi; c++ {
			cores = append(cores, int(c))
		}
	}
	return cores, nil
}

// ListCores writes cores as ParseCores reads them, in their order.
func ListCores(cores []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(cores), " ", ","), "[]")
}

// FormatCores writes cores as ParseCores reads them, sorted, ranges joined.
func FormatCores(cores []int) string {
	if len(cores) == 0 {
		return "none"
	}
	list := slices.Compact(slices.Sorted(slices.Values(cores)))
	var b strings.Builder
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(list[i]))
		if j > i {
			fmt.Fprintf(&b, "-%d", list[j])
		}
		i = j + 1
	}
	return b.String()
}
