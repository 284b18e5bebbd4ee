package application

import (
	"runtime"
	"sync/atomic"
)

// Team is the threads of one rank: the main goroutine, which is thread 0, and
// workers. Threads wait for work actively for a while and are parked then.
type Team struct {
	threads int
	workers []worker
	job     func(thread int)
	left    atomic.Int32 // workers that are still busy
	spins   int
}

// worker is one thread but the first. Each has a cache line of its own.
type worker struct {
	round  atomic.Uint32 // jobs given to it
	parked atomic.Bool
	wake   chan struct{}
	_      [64]byte
}

// How often a thread looks before it gives its processor away: some 20 us, or 2 ms
// where it has a core of its own. Waking a thread takes 50 us: meanwhile those that
// wait for it would be parked as well, and in the end every job wakes all.
const (
	spinsShared = 20000
	spinsPinned = 2000000
)

// NewTeam starts the threads. pin, if not nil, is called by each thread but the
// first, locked to a thread of the system, to put itself on its core. The error is
// the first of pin. Close ends the threads.
func NewTeam(threads int, pin func(thread int) error) (*Team, error) {
	t := &Team{threads: max(1, threads), spins: spinsShared}
	if pin != nil {
		t.spins = spinsPinned
	}
	t.workers = make([]worker, t.threads-1)
	pinned := make(chan error, t.threads)
	for i := range t.workers {
		w := &t.workers[i]
		w.wake = make(chan struct{}, 1)
		go func() {
			if pin != nil {
				runtime.LockOSThread()
				pinned <- pin(i + 1)
			}
			t.serve(w, i+1)
		}()
	}
	var first error
	if pin != nil {
		for range t.workers {
			if err := <-pinned; first == nil {
				first = err
			}
		}
	}
	if first != nil {
		t.Close()
		return nil, first
	}
	return t, nil
}

// Threads returns their number.
func (t *Team) Threads() int { return t.threads }

// Run has all threads call f with their number, and returns when all have
// returned. f must not call Run. It allocates nothing; callers keep f in a variable
// so that making it does not either.
func (t *Team) Run(f func(thread int)) {
	if t.threads == 1 {
		f(0)
		return
	}
	t.start(f)
	f(0)
	for n := 0; t.left.Load() > 0; n++ {
		if n >= t.spins {
			runtime.Gosched()
		}
	}
	t.job = nil
}

func (t *Team) start(f func(int)) {
	t.job = f
	t.left.Store(int32(len(t.workers)))
	for i := range t.workers {
		w := &t.workers[i]
		w.round.Add(1)
		if w.parked.Load() {
			select {
			case w.wake <- struct{}{}:
			default: // it has been woken already
			}
		}
	}
}

// Close ends the threads.
func (t *Team) Close() {
	if t.threads > 1 {
		t.start(nil)
	}
}

func (t *Team) serve(w *worker, thread int) {
	var done uint32
	for {
		for n := 0; w.round.Load() == done; n++ {
			if n < t.spins {
				continue
			}
			w.parked.Store(true)
			if w.round.Load() == done {
				<-w.wake
			}
			w.parked.Store(false)
			n = 0
		}
		done++
		f := t.job
		if f == nil {
			return
		}
		f(thread)
		t.left.Add(-1)
	}
}

// Part returns thread's share [lo, hi) of n things, for thread of threads: the
// first ones get one more where n does not divide.
func Part(n, thread, threads int) (lo, hi int) {
	each, more := n/threads, n%threads
	lo = thread*each + min(thread, more)
	hi = lo + each
	if thread < more {
		hi++
	}
	return lo, hi
}
