package launch

import (
	"context"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watch follows the processes of a job to their end. It alone signals and reaps
// them, so that it never signals a process id that is free again.
type watch struct {
	spec      Spec
	meeting   *meeting
	alive     map[int]*process // by rank
	ended     chan *process    // has ended, but is not reaped
	stage     stage
	stops     *Stops
	timer     *time.Timer
	deadline  time.Time // of the timer, while it runs
	statuses  []Status
	first     int
	interrupt os.Signal
	cancelled bool
}

// stage says how urgently the ranks were asked to end.
type stage int

const (
	running     stage = iota
	lingering         // they may notice by themselves
	terminating       // SIGTERM is sent
	killing           // SIGKILL is sent
)

func newWatch(spec Spec, m *meeting, stops *Stops, processes []*process) *watch {
	w := &watch{
		spec:     spec,
		meeting:  m,
		stops:    stops,
		alive:    make(map[int]*process, len(processes)),
		ended:    make(chan *process, len(processes)),
		timer:    time.NewTimer(time.Hour),
		statuses: make([]Status, spec.Ranks),
		first:    -1,
	}
	w.timer.Stop()
	for _, p := range processes {
		w.alive[p.rank] = p
		go func() {
			await(p.pid)
			w.ended <- p
		}()
	}
	return w
}

// await blocks until the process has ended, and leaves it to be reaped: until
// then its id, and that of its group, belong to nobody else.
func await(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// run returns when all processes have ended.
func (w *watch) run(ctx context.Context, s signals) {
	defer w.timer.Stop()
	done := ctx.Done()
	for len(w.alive) > 0 {
		select {
		case p := <-w.ended:
			w.reap(p)
		case sig := <-s.c:
			w.forward(sig)
		case <-w.stops.C:
			w.pause()
		case <-done:
			done = nil
			w.cancelled = true
			w.terminate()
		case <-w.timer.C:
			if w.stage == lingering {
				w.terminate()
			} else {
				w.kill()
			}
		}
	}
}

// reap takes the status of a process that has ended, and ends what it left in its
// group.
func (w *watch) reap(p *process) {
	unix.Kill(-p.pid, unix.SIGKILL)
	delete(w.alive, p.rank)
	status := wait(p)
	status.Stopped = w.stage >= terminating
	w.statuses[p.rank] = status
	w.meeting.leave(p.rank, status.String())
	if status.Failed() && w.first < 0 {
		w.first = p.rank
		if w.stage == running {
			w.meeting.fail(p.rank, status.String())
			w.linger()
		}
	}
}

func wait(p *process) Status {
	var ws syscall.WaitStatus
	for {
		_, err := syscall.Wait4(p.pid, &ws, 0, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			// Somebody else in this program has reaped it: nobody knows how it
			// ended.
			return Status{Rank: p.rank, PID: p.pid, Code: 1}
		case ws.Signaled():
			return Status{Rank: p.rank, PID: p.pid, Code: -1, Signal: ws.Signal()}
		}
		return Status{Rank: p.rank, PID: p.pid, Code: ws.ExitStatus()}
	}
}

func (w *watch) forward(sig os.Signal) {
	if w.interrupt != nil {
		w.kill() // whoever asks twice does not want to wait
		return
	}
	w.interrupt = sig
	w.signal(sig.(syscall.Signal))
	if w.stage == running {
		w.linger()
	}
}

func (w *watch) linger() {
	w.stage = lingering
	w.allow(w.spec.Linger)
}

// allow gives the ranks so much time before more is done about them.
func (w *watch) allow(d time.Duration) {
	w.deadline = time.Now().Add(d)
	w.timer.Reset(d)
}

// pause stops the ranks, then this process, and continues them with it. The ranks are given the
// time back in which nobody ran.
func (w *watch) pause() {
	w.signal(syscall.SIGSTOP)
	d := w.stops.Stop()
	w.signal(syscall.SIGCONT)
	w.extend(d)
}

// extend puts off what the timer would do.
func (w *watch) extend(d time.Duration) {
	if w.stage == lingering || w.stage == terminating {
		w.allow(max(0, time.Until(w.deadline)+d))
	}
}

func (w *watch) terminate() {
	if w.stage < terminating {
		w.stage = terminating
		w.signal(syscall.SIGTERM)
		w.allow(w.spec.Grace)
	}
}

func (w *watch) kill() {
	w.stage = killing
	w.signal(syscall.SIGKILL)
}

// signal reaches the ranks and what they have forked.
func (w *watch) signal(sig syscall.Signal) {
	for _, p := range w.alive {
		unix.Kill(-p.pid, sig)
	}
}

func (w *watch) result() *Result {
	r := &Result{First: w.first, Interrupted: w.interrupt, Ranks: w.statuses}
	switch {
	case w.first >= 0:
		r.ExitCode = w.statuses[w.first].jobCode()
	case w.interrupt != nil:
		r.ExitCode = 1
	}
	return r
}
