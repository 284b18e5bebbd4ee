package fork

import (
	"cmp"
	"os"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"gobench/internal/launch/exchange"
	"gobench/internal/launch/host"
	"gobench/internal/launch/signals"
	"gobench/launch/outcome"
)

// Ranks holds the ranks that this process has forked for a job, and the hub of their exchanges. No
// other code signals or reaps them, so that no signal goes to a process id that was reused.
type Ranks struct {
	hub     *exchange.Hub
	threads starter
	null    *os.File
	all     []*process
	ended   chan<- outcome.Status
	kills   host.MemoryKills // before the ranks were started

	mu    sync.Mutex
	alive map[int]*process // by rank
}

// Start forks the ranks of seats and sends their statuses to ended, which must have room for
// all of them. Rank 0 gets stdio; the standard input of the others is empty. After an
// error some ranks may be running.
func Start(what Executable, seats []Seat, stdio [3]*os.File, m *exchange.Meeting, stops *signals.Stops, ended chan<- outcome.Status) (*Ranks, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	keepForeignSocket()
	r := &Ranks{hub: exchange.NewHub(m, stops), null: null, ended: ended, kills: host.CountMemoryKills(), alive: make(map[int]*process, len(seats))}
	stdio[0] = cmp.Or(stdio[0], null)
	r.all, err = r.threads.start(what, seats, stdio, null)
	for _, p := range r.all {
		r.alive[p.rank] = p
	}
	for _, p := range r.all {
		r.hub.Serve(p.rank, p.conn)
		go func() {
			p.await()
			r.reap(p)
		}()
	}
	return r, err
}

// Count returns the number of ranks that were started.
func (r *Ranks) Count() int { return len(r.all) }

// reap reaps a process, returns its status, and kills the rest of its process group.
func (r *Ranks) reap(p *process) {
	r.mu.Lock()
	unix.Kill(-p.pid, unix.SIGKILL)
	delete(r.alive, p.rank)
	status := p.reap()
	r.mu.Unlock()
	if status.Signal == unix.SIGKILL {
		status.Why = host.CountMemoryKills().Since(r.kills)
	}
	status.Told = r.hub.Told(p.rank)
	r.ended <- status
}

// Signal implements watch.Group.
func (r *Ranks) Signal(sig syscall.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.alive {
		unix.Kill(-p.pid, sig)
	}
}

// Settle implements watch.Group: signal is a system call.
func (r *Ranks) Settle() {}

// Abandon implements watch.Group: the kernel ends what gets SIGKILL.
func (r *Ranks) Abandon() {}

// End is called when no rank lives any more.
func (r *Ranks) End() {
	r.hub.End()
	r.threads.end()
	r.null.Close()
}

// keepForeignSocket sets close-on-exec on the socket of a surrounding PMI launcher, so that ranks
// that are forked here do not inherit it.
func keepForeignSocket() {
	if fd, err := strconv.Atoi(os.Getenv("PMI_FD")); err == nil && fd > 2 {
		unix.CloseOnExec(fd)
	}
}
