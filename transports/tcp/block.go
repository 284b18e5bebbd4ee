package tcp

import (
	"time"

	"golang.org/x/sys/unix"

	"gobench/device/protocol"
)

// roomDoze is the longest wait while a socket has no room for what is kept to be written to it.
const roomDoze = 100 * time.Microsecond

// Sleep implements protocol.Sleeper.
func (w *wire) Sleep() protocol.Sleep {
	if w.set.engineName != "poll" {
		return protocol.Sleep{}
	}
	return protocol.Sleep{Arm: w.arm, Disarm: func() {}}
}

// arm is protocol.Sleep.Arm, by the sockets of all peers.
func (w *wire) arm(fds []unix.PollFd) ([]unix.PollFd, time.Duration) {
	if len(w.severed)+len(w.torn)+len(w.landing)+w.ended.Len() > 0 {
		return fds, 0
	}
	if w.ready != nil && w.ready.arm() {
		fds = append(fds, unix.PollFd{Fd: int32(w.ready.epoll), Events: unix.POLLIN})
	} else {
		for _, p := range w.live {
			if l, ok := p.in.link.(*pollLink); ok && !p.closed && !p.left {
				fds = append(fds, unix.PollFd{Fd: int32(l.fd), Events: unix.POLLIN})
			}
		}
	}
	if w.later != nil {
		fds = append(fds, unix.PollFd{Fd: int32(w.later.Bell()), Events: unix.POLLIN}) // no event if it is negative
	}
	if len(w.dirty) > 0 {
		return fds, roomDoze
	}
	return fds, -1
}
