package host

import (
	"fmt"
	"math"
	"os"
	"path"
)

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
