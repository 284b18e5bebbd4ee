package tcp

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
)

var _ protocol.Blocker = (*wire)(nil)

// shortDoze is the longest sleep of Block where no event of a socket ends the wait.
const shortDoze = 5 * time.Millisecond

// Block implements protocol.Blocker by one ppoll of all sockets. Where this rank waits for room, or where
// goroutines read, it sleeps for a short time.
func (w *wire) Block(d time.Duration) {
	if w.set.engineName != "poll" || w.lacking || len(w.dirty)+len(w.severed)+len(w.torn)+w.ended.Len() > 0 {
		w.lacking = false
		doze(min(d, shortDoze))
		return
	}
	fds := w.block[:0]
	for _, p := range w.live {
		if l, ok := p.in.link.(*pollLink); ok && !p.closed && !p.left {
			fds = append(fds, unix.PollFd{Fd: int32(l.fd), Events: unix.POLLIN})
		}
	}
	if w.later != nil {
		fds = append(fds, unix.PollFd{Fd: int32(w.later.bell), Events: unix.POLLIN}) // no event if it is negative
	}
	w.block = fds
	timeout := unix.NsecToTimespec(int64(d))
	unix.Ppoll(fds, &timeout, nil) // a signal may end it early
}

// doze sleeps in the kernel, because the goroutine of a rank may be locked to its thread (see the waiting
// of package protocol).
func doze(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil)
}
