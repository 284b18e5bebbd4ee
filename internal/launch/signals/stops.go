package signals

import (
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Stops receives the requests of a terminal to stop (SIGTSTP, Ctrl-Z). A program whose
// processes have their own groups, which a terminal does not reach, stops them when C
// receives, then itself by Stop, and continues them after that.
type Stops struct {
	C <-chan os.Signal

	c     chan os.Signal
	mu    sync.Mutex
	since time.Time     // when the stop under way began, zero if there is none
	total time.Duration // of the stops that are over
}

// receivers counts the Stops that receive. Without any, SIGTSTP has its default action: the Go
// runtime, once it has a handler, would discard it.
var receivers struct {
	sync.Mutex
	n       int
	handler kernelAction // of the Go runtime, if it was replaced
}

// NotifyStops begins to receive SIGTSTP, unless this process ignores it.
func NotifyStops() *Stops {
	s := &Stops{c: make(chan os.Signal, 1)}
	s.C = s.c
	receivers.Lock()
	defer receivers.Unlock()
	if signal.Ignored(syscall.SIGTSTP) {
		return s
	}
	signal.Notify(s.c, syscall.SIGTSTP)
	if receivers.n++; receivers.n == 1 && receivers.handler != (kernelAction{}) {
		sigaction(&receivers.handler, nil)
	}
	return s
}

// End ends receiving.
func (s *Stops) End() {
	receivers.Lock()
	defer receivers.Unlock()
	if signal.Ignored(syscall.SIGTSTP) {
		return
	}
	signal.Stop(s.c)
	if receivers.n--; receivers.n == 0 {
		sigaction(new(kernelAction), &receivers.handler)
	}
	select {
	case <-s.c: // nobody has handled it
		unix.Kill(os.Getpid(), unix.SIGTSTP)
	default:
	}
}

// Stop stops this process and returns, after it was continued, how long it was stopped. The kernel
// does not stop a process of an orphaned process group, which no shell could continue.
func (s *Stops) Stop() time.Duration {
	before := s.Total()
	s.mark(time.Now())
	stopSelf()
	s.mark(time.Time{})
	select {
	case <-s.c: // asked again before it had stopped
	default:
	}
	return s.Total() - before
}

// mark records the begin of a stop, or its end if since is zero.
func (s *Stops) mark(since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since.IsZero() {
		s.total += time.Since(s.since)
	}
	s.since = since
}

// Total returns the time for which this process was stopped so far.
func (s *Stops) Total() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		return s.total
	}
	return s.total + time.Since(s.since)
}

// Wait waits until done is closed, for at most d, not counting time in which this process is
// stopped.
func (s *Stops) Wait(done <-chan struct{}, d time.Duration) {
	for d > 0 {
		before := s.Total()
		select {
		case <-done:
			return
		case <-time.After(d):
			d = s.Total() - before
		}
	}
}

// kernelAction is the kernel's struct sigaction: handler, flags, restorer, mask.
type kernelAction [4]uintptr

// stopSelf applies the default action of SIGTSTP once. The Go runtime keeps its handler installed
// even if no channel receives the signal, so this replaces the handler by system call. The signal
// goes to this thread, so that the process has stopped and continued when stopSelf returns.
func stopSelf() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var byDefault, handler kernelAction
	if sigaction(&byDefault, &handler) != 0 {
		return
	}
	unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGTSTP)
	sigaction(&handler, nil)
}

// sigaction changes what SIGTSTP does.
func sigaction(action, old *kernelAction) syscall.Errno {
	const maskSize = 8 // bytes
	_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGTSTP),
		uintptr(unsafe.Pointer(action)), uintptr(unsafe.Pointer(old)), maskSize, 0, 0)
	return errno
}
