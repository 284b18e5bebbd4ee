package launch

import (
	"cmp"
	"context"
	"os"
	"slices"
	"syscall"
	"time"

	"gobench/internal/launch/exchange"
	"gobench/internal/launch/fork"
	"gobench/internal/launch/signals"
)

// A Watch waits for the end of the ranks of a job, and decides when to signal them.
type Watch struct {
	spec        Spec
	meeting     *exchange.Meeting
	groups      []Group
	living      int
	ended       <-chan fork.Status
	failed      <-chan error // ranks that could not be started; nil if all have been
	failure     error        // the first of them
	stage       stage
	stops       *signals.Stops
	timer       *time.Timer
	deadline    time.Time // of the timer, while it runs
	statuses    []fork.Status
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

// NewWatch returns the Watch of the given number of running ranks, of which others could not be
// started if failed, which may be nil, receives.
func NewWatch(spec Spec, m *exchange.Meeting, stops *signals.Stops, groups []Group, living int, ended <-chan fork.Status, failed <-chan error) *Watch {
	w := &Watch{
		spec:     spec,
		meeting:  m,
		stops:    stops,
		groups:   groups,
		living:   living,
		ended:    ended,
		failed:   failed,
		timer:    time.NewTimer(time.Hour),
		statuses: make([]fork.Status, spec.Ranks),
		first:    -1,
		before:   -1,
	}
	w.timer.Stop()
	return w
}

// Run returns when all processes have ended. Its error is the first of ranks that could not be
// started, without a Result, or the cause of ctx.
func (w *Watch) Run(ctx context.Context, ends *signals.Ends) (*Result, error) {
	defer w.timer.Stop()
	done := ctx.Done()
	for w.living > 0 {
		select {
		case status := <-w.ended:
			w.record(status)
		case err := <-w.failed:
			w.failure = cmp.Or(w.failure, err)
			w.kill()
		case sig := <-ends.C:
			w.forward(sig)
		case <-w.stops.C:
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
				for _, g := range w.groups {
					g.Abandon()
				}
			}
		}
	}
	switch {
	case w.failure != nil:
		return nil, w.failure
	case w.cancelled:
		return w.result(), stopped(ctx)
	}
	return w.result(), nil
}

// record stores the status of a rank that has ended. Statuses need not come in the order of the
// ends: a rank that has seen the end of another may be reaped before it. The first failure is
// therefore that of a rank that was taken away, if it comes while the ranks may notice by
// themselves.
func (w *Watch) record(status fork.Status) {
	w.living--
	status.Stopped = w.stage >= terminating
	w.statuses[status.Rank] = status
	w.meeting.Leave(status.Rank, status.String())
	if status.Failed() && (w.first < 0 || w.stage == lingering && takenAway(status) && !w.statuses[w.first].Taken()) {
		w.first = status.Rank
		if w.stage == running {
			w.meeting.Fail(status.Rank, status.String())
			w.linger()
		}
	}
}

// takenAway reports whether the loss of its host or a signal that is no answer to the failure of
// another rank ended a rank. Libraries abort after such a failure (SIGABRT), and writing to what it
// has closed ends a process, too (SIGPIPE).
func takenAway(s fork.Status) bool {
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
		w.allow(w.spec.Grace)
	}
}

func (w *Watch) linger() {
	w.stage = lingering
	w.allow(w.spec.Linger)
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
	for _, g := range w.groups {
		g.Settle()
	}
	d := w.stops.Stop()
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
		w.allow(w.spec.Grace)
	}
}

func (w *Watch) kill() {
	w.stage = killing
	w.signal(syscall.SIGKILL)
	if w.interrupt != nil {
		w.allow(signals.HostsTimeout - signals.JobTimeout)
	}
}

func (w *Watch) signal(sig syscall.Signal) {
	for _, g := range w.groups {
		g.Signal(sig)
	}
}

func (w *Watch) result() *Result {
	r := &Result{First: w.first, Ranks: w.statuses}
	if w.before < 0 {
		r.Interrupted = w.interrupt
	}
	switch {
	case w.first >= 0:
		r.ExitCode = jobCode(w.statuses[w.first])
	case w.interrupt != nil:
		r.ExitCode = 1
	}
	return r
}
