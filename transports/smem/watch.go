package smem

import (
	"bytes"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// watch detects the end of processes: by a pidfd each, which becomes readable then, or by /proc/PID/stat
// if the kernel has no pidfds.
type watch struct {
	polled []unix.PollFd // by rank; fd -1 where there is none
	stats  []stat        // by rank
	files  int           // how many ranks are watched by their stat
	turn   int           // the rank whose stat is read next
	looked time.Time     // by confirm, last
	buffer [512]byte
}

// stat identifies one watched process. The zero stat watches none.
type stat struct {
	path  string // of its stat file, where there is no pidfd
	start string // when it started, in ticks
	ended bool
}

const statsPerLook = 8 // files read in one look

func newWatch(size int) watch {
	w := watch{polled: make([]unix.PollFd, size), stats: make([]stat, size)}
	for i := range w.polled {
		w.polled[i] = unix.PollFd{Fd: -1, Events: unix.POLLIN}
	}
	return w
}

// add watches the process of a rank, which is alive.
func (w *watch) add(rank, pid int) error {
	if fd, err := unix.PidfdOpen(pid, 0); err == nil {
		w.polled[rank].Fd = int32(fd)
		return nil
	}
	return w.addStat(rank, pid)
}

func (w *watch) addStat(rank, pid int) error {
	s := stat{path: fmt.Sprintf("/proc/%d/stat", pid)}
	var ended bool
	if s.start, ended = w.startTime(s.path); ended {
		return fmt.Errorf("process %d has ended", pid)
	}
	w.stats[rank] = s
	w.files++
	return nil
}

// trusted is the maximum age of the last check before memory of a process is accessed by its PID. A PID
// may be reused, but not within so short a time.
const trusted = 20 * time.Millisecond

// confirm checks the process of a rank unless the last check is younger than trusted.
func (w *watch) confirm(rank int, now time.Time) {
	if now.Sub(w.looked) < trusted {
		return
	}
	w.look()
	w.looked = now
	if w.stats[rank].path != "" {
		w.reread(rank)
		w.looked = time.Time{} // the others have yet to be read
	}
}

// ended reports whether the process of a rank had ended at the last check.
func (w *watch) ended(rank int) bool { return w.stats[rank].ended }

// look checks which processes have ended.
func (w *watch) look() {
	if n, err := unix.Poll(w.polled, 0); err == nil && n > 0 {
		for rank := range w.polled {
			if w.polled[rank].Revents != 0 {
				w.stats[rank].ended = true
				w.forget(rank)
			}
		}
	}
	if w.files == 0 {
		return
	}
	for range min(statsPerLook, len(w.stats)) {
		w.turn = (w.turn + 1) % len(w.stats)
		w.reread(w.turn)
	}
}

// reread checks a process that is watched by its stat file.
func (w *watch) reread(rank int) {
	if s := &w.stats[rank]; s.path != "" && !s.ended {
		start, ended := w.startTime(s.path)
		s.ended = ended || start != s.start
	}
}

// forget stops watching a rank.
func (w *watch) forget(rank int) {
	if fd := w.polled[rank].Fd; fd >= 0 {
		unix.Close(int(fd))
		w.polled[rank].Fd = -1
	}
}

func (w *watch) close() {
	for rank := range w.polled {
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
