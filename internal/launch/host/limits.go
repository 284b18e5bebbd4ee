package host

import (
	"fmt"
	"iter"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// Limits bound the resources of this process on this host.
type Limits struct {
	Cores  string   `json:"cores,omitempty"`    // on which it may run, such as 0-3
	CPU    *float64 `json:"cpu,omitempty"`      // its cgroup's quota, in cores
	Memory *int64   `json:"memory_B,omitempty"` // its cgroup's
	// PtraceScope is Yama's setting. From 1 on, a process may only read the memory of its
	// descendants, unless the other process allows it (prctl PR_SET_PTRACER).
	PtraceScope *int64 `json:"ptrace_scope,omitempty"`
	Locked      *int64 `json:"memlock_B,omitempty"` // memory that may be locked or registered; absent: unlimited
}

func readLimits(t tree) Limits {
	l := Limits{PtraceScope: t.number("proc/sys/kernel/yama/ptrace_scope")}
	for line := range strings.Lines(t.text("proc/self/limits")) {
		if rest, ok := strings.CutPrefix(line, "Max locked memory"); ok {
			if words := strings.Fields(rest); len(words) > 0 {
				l.Locked = limit(words[0])
			}
		}
	}
	for controllers, dir := range t.cgroups() {
		l.tighten(t, controllers, dir)
	}
	return l
}

// cgroups yields the control groups of this process and those above them: the controllers, "" for
// version 2, and the path.
func (t tree) cgroups() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for line := range strings.Lines(t.text("proc/self/cgroup")) {
			parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // id:controllers:path
			if len(parts) < 3 {
				continue
			}
			for dir := range ancestors(parts[2]) {
				if !yield(parts[1], dir) {
					return
				}
			}
		}
	}
}

// tighten applies the limits of one cgroup.
func (l *Limits) tighten(t tree, controllers, dir string) {
	switch controllers {
	case "":
		root := path.Join("sys/fs/cgroup", dir)
		quota, period, _ := strings.Cut(t.text(root+"/cpu.max"), " ")
		l.CPU = lower(l.CPU, ratio(limit(quota), limit(period)))
		l.Memory = lower(l.Memory, limit(t.text(root+"/memory.max")))
	case "memory":
		l.Memory = lower(l.Memory, limit(t.text(path.Join("sys/fs/cgroup/memory", dir, "memory.limit_in_bytes"))))
	case "cpu", "cpu,cpuacct", "cpuacct,cpu":
		root := path.Join("sys/fs/cgroup", controllers, dir)
		l.CPU = lower(l.CPU, ratio(limit(t.text(root+"/cpu.cfs_quota_us")), limit(t.text(root+"/cpu.cfs_period_us"))))
	}
}

// Throttled returns how long quotas of CPU time have stopped the cgroups of this process and those
// above, the sum over all of them and over the processors on which they were stopped; 0 without a
// quota. It grows before a stopped thread goes on.
func Throttled() time.Duration { return throttled(tree{os.DirFS("/")}) }

func throttled(t tree) (sum time.Duration) {
	for controllers, dir := range t.cgroups() {
		stat := t.text(path.Join("sys/fs/cgroup", controllers, dir, "cpu.stat"))
		sum += time.Duration(count(stat, "throttled_usec"))*time.Microsecond + time.Duration(count(stat, "throttled_time")) // of version 2 and 1
	}
	return sum
}

// ancestors yields a path and all paths above it, up to the root "/".
func ancestors(dir string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for dir = path.Clean("/" + dir); yield(dir) && dir != "/"; dir = path.Dir(dir) {
		}
	}
}

// limit reads a number of the kernel; nil if it means no limit: "max",
// "unlimited", -1, and numbers near 2^63.
func limit(s string) *int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/2 {
		return nil
	}
	return &n
}

func ratio(a, b *int64) *float64 {
	if a == nil || b == nil || *b == 0 {
		return nil
	}
	r := float64(*a) / float64(*b)
	return &r
}

func lower[T int64 | float64](a, b *T) *T {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// Room is the number of further processes and threads that the control groups of this process
// allow.
type Room struct {
	Free, Limit int64
	Group       string // whose limit it is, such as /user.slice
}

// ProcessRoom returns the least Room of the control groups of this process, false if none has a
// limit. Each of them counts the processes and threads in it and below.
func ProcessRoom() (Room, bool) { return processRoom(tree{os.DirFS("/")}) }

// CheckThreads returns an error if this process may not start the threads that its commands need
// beside those that it has: the Go runtime would end it with a stack trace.
func CheckThreads() error {
	if room, limited := ProcessRoom(); limited {
		return room.check()
	}
	return nil
}

func (r Room) check() error {
	const needed = 10
	if r.Free < needed {
		return fmt.Errorf("this process needs up to %d more threads, and the control group %s may have %d more processes and threads: raise its limit, which is %d (pids.max)", needed, r.Group, r.Free, r.Limit)
	}
	return nil
}

func processRoom(t tree) (tightest Room, limited bool) {
	tightest.Free = math.MaxInt64
	for controllers, dir := range t.cgroups() {
		root := "sys/fs/cgroup"
		switch controllers {
		case "":
		case "pids":
			root += "/pids"
		default:
			continue
		}
		group := path.Join(root, dir)
		upper, now := limit(t.text(group+"/pids.max")), t.number(group+"/pids.current")
		if upper != nil && now != nil && *upper-*now < tightest.Free {
			tightest, limited = Room{*upper - *now, *upper, dir}, true
		}
	}
	return tightest, limited
}
