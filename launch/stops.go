package launch

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
// processes have groups of their own, which a terminal does not reach, stops them when C
// receives, then itself by Stop, and continues them after that.
type Stops struct {
	C <-chan os.Signal

	c     chan os.Signal
	mu    sync.Mutex
	since time.Time     // when the stop under way began, zero if there is none
	total time.Duration // of the stops that are over
}

// NotifyStops begins to receive, unless this process was told to ignore SIGTSTP. From the
// first call on the runtime of Go discards the signal wherever nobody receives it.
func NotifyStops() *Stops {
	s := &Stops{c: make(chan os.Signal, 1)}
	s.C = s.c
	if !signal.Ignored(syscall.SIGTSTP) {
		signal.Notify(s.c, syscall.SIGTSTP)
	}
	return s
}

// End ends receiving.
func (s *Stops) End() { signal.Stop(s.c) }

// Stop stops this process and returns, once it has been continued, how long it was stopped. The
// kernel decides: a process that nobody could continue, because no shell waits for its group,
// goes on at once.
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

// mark notes the begin of a stop, or its end where since is zero.
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

// wait waits until done, and for d at most, in which time that this process is stopped does
// not count.
func (s *Stops) wait(done <-chan struct{}, d time.Duration) {
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

// stopSelf lets SIGTSTP have its default effect once. The runtime keeps its handler installed even
// where nobody receives the signal, so it is replaced below it. The signal goes to this
// thread, so that the process has stopped and gone on when this returns.
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
