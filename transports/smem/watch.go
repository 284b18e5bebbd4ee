package smem

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// A watch detects the end of processes. A process that was killed leaves its segment as it was, in
// any state that the release stores of a ring allow: each packet is there or not, and no lock is
// held, so the end of the process is all that must be detected. A PID may be reused, a pidfd and a
// start time may not. A zombie has ended, because its memory cannot be reached any more. It works
// by a pidfd each, which becomes readable then, or by /proc/PID/stat if the kernel has no pidfds.
// Its slices are indexed by rank.
type watch struct {
	pidfds []int32 // -1 where there is none
	stats  []stat
	looked []time.Time // last, by confirm
	polled []unix.PollFd
	asked  []int // the ranks of polled
	buffer [512]byte
}

// stat identifies one watched process. The zero stat watches none.
type stat struct {
	path  string // of its stat file, where there is no pidfd
	start string // when it started, in ticks
	ended bool
}

// newWatch watches no rank yet.
func newWatch(size int) watch {
	return watch{
		pidfds: slices.Repeat([]int32{-1}, size), stats: make([]stat, size), looked: make([]time.Time, size),
		polled: make([]unix.PollFd, 0, size), asked: make([]int, 0, size),
	}
}

// add watches the process of a rank, which is alive.
func (w *watch) add(rank, pid int) error {
	if fd, err := unix.PidfdOpen(pid, 0); err == nil {
		w.pidfds[rank] = int32(fd)
		return nil
	}
	return w.addStat(rank, pid)
}

// addStat watches by /proc/PID/stat, where the start time tells a process from a later one with its
// PID.
func (w *watch) addStat(rank, pid int) error {
	s := stat{path: fmt.Sprintf("/proc/%d/stat", pid)}
	var ended bool
	if s.start, ended = w.startTime(s.path); ended {
		return fmt.Errorf("process %d has ended", pid)
	}
	w.stats[rank] = s
	return nil
}

// trusted is the maximum age of the last check before memory of a process is accessed by its PID. A
// PID may be reused, but not within so short a time.
const trusted = 20 * time.Millisecond

// confirm checks the process of a rank unless the last check is younger than trusted.
func (w *watch) confirm(rank int, now time.Time) {
	if now.Sub(w.looked[rank]) >= trusted {
		w.looked[rank] = now
		w.look(rank)
	}
}

// ended reports whether the process of a rank had ended at the last check.
func (w *watch) ended(rank int) bool { return w.stats[rank].ended }

// A rank that waits looks at some processes per Idle, and at the one whose memory it is about to
// access by its PID (confirm). The pidfds are in one poll, so the cost hardly grows with their
// number.
//
// look checks whether the processes of these ranks have ended, by one system call where they have
// pidfds.
func (w *watch) look(ranks ...int) {
	w.polled, w.asked = w.polled[:0], w.asked[:0]
	for _, rank := range ranks {
		s := &w.stats[rank]
		switch fd := w.pidfds[rank]; {
		case fd >= 0:
			w.polled, w.asked = append(w.polled, unix.PollFd{Fd: fd, Events: unix.POLLIN}), append(w.asked, rank)
		case s.path != "" && !s.ended:
			start, ended := w.startTime(s.path)
			s.ended = ended || start != s.start
		}
	}
	if len(w.polled) == 0 {
		return
	}
	if n, err := unix.Poll(w.polled, 0); err != nil || n == 0 {
		return
	}
	for i, rank := range w.asked {
		if w.polled[i].Revents != 0 {
			w.stats[rank].ended = true
			w.forget(rank)
		}
	}
}

// forget stops watching a rank.
func (w *watch) forget(rank int) {
	if fd := w.pidfds[rank]; fd >= 0 {
		unix.Close(int(fd))
		w.pidfds[rank] = -1
	}
}

// close stops watching all ranks.
func (w *watch) close() {
	for rank := range w.pidfds {
		w.forget(rank)
	}
}

// startTime reads when a process started. A zombie has ended.
func (w *watch) startTime(path string) (start string, ended bool) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", true
	}
	n, err := unix.Read(fd, w.buffer[:])
	unix.Close(fd)
	if err != nil || n <= 0 {
		return "", true
	}
	return parseStat(w.buffer[:n])
}

// parseStat finds state and start time, fields 3 and 22 of proc(5). The second
// field is the program's name in brackets, which may itself hold brackets and
// blanks.
func parseStat(text []byte) (start string, ended bool) {
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return "", true
	}
	state := fields[0][0]
	return string(fields[19]), state == 'Z' || state == 'X'
}
