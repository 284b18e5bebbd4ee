// Package team runs a function on the threads of a rank, which spin between calls.
package team

import (
	"runtime"
	"sync/atomic"
)

// Team is the pool of threads of one rank: the main goroutine, which is thread 0, and workers.
// A worker without a job spins for a while and then parks.
type Team struct {
	threads int
	workers []worker
	job     func(thread int)
	left    atomic.Int32 // workers that are still busy
	spins   int
}

// worker is a thread other than the first. Each has its own cache line. Each side stores for the
// other and then loads what the other stores, both in one order for all threads:
//
//	start   stores job and left, raises round, and wakes the worker if parked is set
//	serve   sets parked, and sleeps unless round was raised
//
// So a worker that sleeps has no job, or a token in wake, which has room for one: a token that was
// not needed makes the worker look once more. Invariants: round is the number of jobs that the
// worker has done, or one more; job changes only while left is 0.
type worker struct {
	round  atomic.Uint32 // jobs given to it
	parked atomic.Bool
	wake   chan struct{}
	_      [64]byte
}

// Number of polls before a thread parks or yields: about 20 us, or 2 ms on its own core.
// Waking a parked thread takes 50 us. With fewer polls, threads that wait for it would park, too,
// and in the end every job would wake all threads.
const (
	spinsShared = 20000
	spinsPinned = 2000000
)

// New starts the threads. pin, if not nil, is called by each thread but the first, locked to an
// OS thread, to set its core. New returns the first error of pin. Close ends the threads.
func New(threads int, pin func(thread int) error) (*Team, error) {
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

// Alone returns a team of one thread, the goroutine that calls Run.
func Alone() *Team { return &Team{threads: 1} }

// Threads returns the number of threads.
func (t *Team) Threads() int { return t.threads }

// Run calls f(thread) on all threads and returns when all calls have returned. f must not call Run
// of the same team.
// Run does not allocate; callers keep f in a variable, because a method value allocates.
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
