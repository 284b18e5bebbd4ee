// Package watch waits for the end of the ranks of a job, and decides when to signal them.
package watch

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"gobench/internal/launch/exchange"
	"gobench/internal/launch/signals"
	"gobench/launch/outcome"
)

// A Job has the ranks of a Watch.
type Job struct {
	Ranks         int
	Linger, Grace time.Duration // see launch.Spec
	Meeting       *exchange.Meeting
	Stops         *signals.Stops
	Groups        []Group
	Living        int // ranks that were started
	Ended         <-chan outcome.Status
	// Ranks that could not be started: the error by then, nil if there is none, and later ones, nil
	// if there will be none.
	Failure error
	Failed  <-chan error
}

// A Watch waits for the end of the ranks of a job, and decides when to signal them.
type Watch struct {
	Job
	stage       stage
	timer       *time.Timer
	deadline    time.Time // of the timer, while it runs
	statuses    []outcome.Status
	first       int
	interrupt   os.Signal // the first that was forwarded
	interrupted time.Time // when it was
	before      int       // the rank that had failed before it; -1 if none had
	cancelled   bool
}

// A Group signals the ranks of a job on one host. Their statuses are sent to the Watch.
type Group interface {
	// Signal sends a signal to the process groups of all ranks that have not ended.
	Signal(syscall.Signal)
	// Settle returns when the signals have left this process, which may stop then.
	Settle()
	// Abandon reports the ranks that have not ended as lost, if their host does not answer.
	Abandon()
}

// stage is the latest step of ending the ranks.
type stage int

const (
	running     stage = iota
	lingering         // they may notice by themselves
	terminating       // SIGTERM is sent
	killing           // SIGKILL is sent; after a signal, hosts that do not answer are abandoned next
)

// New returns the Watch of a job that was started.
func New(job Job) *Watch {
	w := &Watch{Job: job, timer: time.NewTimer(time.Hour), statuses: make([]outcome.Status, job.Ranks), first: -1, before: -1}
	w.timer.Stop()
	return w
}

// Run returns when all processes have ended. Its error is the first of ranks that could not be
// started, without a result, or the cause of ctx.
func (w *Watch) Run(ctx context.Context, ends *signals.Ends) (*outcome.Result, error) {
	defer w.timer.Stop()
	if w.Failure != nil {
		w.kill()
	}
	done := ctx.Done()
	for w.Living > 0 {
		select {
		case status := <-w.Ended:
			w.record(status)
		case err := <-w.Failed:
			w.Failure = cmp.Or(w.Failure, err)
			w.kill()
		case sig := <-ends.C:
			w.forward(sig)
		case <-w.Stops.C:
			w.pause()
		case <-done:
			done = nil
			w.cancelled = true
			w.terminate()
		case <-w.timer.C:
			switch w.stage {
			case lingering:
				w.terminate()
			case terminating:
				w.kill()
			default:
				for _, g := range w.Groups {
					g.Abandon()
				}
			}
		}
	}
	switch {
	case w.Failure != nil:
		return nil, w.Failure
	case w.cancelled:
		return w.result(), Stopped(ctx)
	}
	return w.result(), nil
}

// record stores the status of a rank that has ended. Statuses need not come in the order of the
// ends: a rank that has seen the end of another may be reaped before it. The first failure is
// therefore that of a rank that was taken away, if it comes while the ranks may notice by
// themselves.
func (w *Watch) record(status outcome.Status) {
	w.Living--
	status.Stopped = w.stage >= terminating
	w.statuses[status.Rank] = status
	w.Meeting.Leave(status.Rank, status.String())
	if status.Failed() && (w.first < 0 || w.stage == lingering && takenAway(status) && !w.statuses[w.first].Taken()) {
		w.first = status.Rank
		if w.stage == running {
			w.Meeting.Fail(status.Rank, status.String())
			w.linger()
		}
	}
}

// takenAway reports whether the loss of its host or a signal that is no answer to the failure of
// another rank ended a rank. Libraries abort after such a failure (SIGABRT), and writing to what it
// has closed ends a process, too (SIGPIPE).
func takenAway(s outcome.Status) bool {
	return s.Lost != "" || slices.Contains([]syscall.Signal{syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGILL}, s.Signal)
}

func (w *Watch) forward(sig os.Signal) {
	if w.interrupt != nil {
		if sig != w.interrupt || time.Since(w.interrupted) >= signals.RepeatTime {
			w.kill() // a second request ends the ranks immediately
		}
		return
	}
	w.interrupt, w.interrupted, w.before = sig, time.Now(), w.first
	w.signal(sig.(syscall.Signal))
	if w.stage < terminating {
		w.stage = terminating
		w.allow(w.Grace)
	} else if w.stage == killing {
		w.allow(signals.HostsTimeout)
	}
}

func (w *Watch) linger() {
	w.stage = lingering
	w.allow(w.Linger)
}

// allow sets the timer for the next stage.
func (w *Watch) allow(d time.Duration) {
	w.deadline = time.Now().Add(d)
	w.timer.Reset(d)
}

// pause stops the ranks, then this process, and continues them with it. The time of the stop does
// not count towards time-outs.
func (w *Watch) pause() {
	w.signal(syscall.SIGSTOP)
	for _, g := range w.Groups {
		g.Settle()
	}
	d := w.Stops.Stop()
	w.signal(syscall.SIGCONT)
	w.extend(d)
}

// extend moves the deadline of the timer.
func (w *Watch) extend(d time.Duration) {
	if w.stage == lingering || w.stage == terminating {
		w.allow(max(0, time.Until(w.deadline)+d))
	}
}

func (w *Watch) terminate() {
	if w.stage < terminating {
		w.stage = terminating
		w.signal(syscall.SIGTERM)
		w.allow(w.Grace)
	}
}

func (w *Watch) kill() {
	w.stage = killing
	w.signal(syscall.SIGKILL)
	w.timer.Stop() // of an earlier stage
	if w.interrupt != nil {
		w.allow(max(signals.HostsTimeout-time.Since(w.interrupted), signals.HostsTimeout-signals.JobTimeout))
	}
}

func (w *Watch) signal(sig syscall.Signal) {
	for _, g := range w.Groups {
		g.Signal(sig)
	}
}

func (w *Watch) result() *outcome.Result {
	r := &outcome.Result{First: w.first, Ranks: w.statuses}
	if w.before < 0 {
		r.Interrupted = w.interrupt
	}
	switch {
	case w.first >= 0:
		if r.ExitCode = w.statuses[w.first].Code; w.statuses[w.first].Taken() {
			r.ExitCode = 1
		}
	case w.interrupt != nil:
		r.ExitCode = 1
	}
	return r
}

// Stopped returns the error of a job that ctx has ended.
func Stopped(ctx context.Context) error {
	return fmt.Errorf("the job was stopped: %w", context.Cause(ctx))
}
