package launch

import (
	"os"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"gobench/launch/exchange"
	"gobench/launch/host"
	"gobench/launch/signals"
)

// crew holds the ranks that this process has forked for a job, and the hub of their exchanges. No
// other code signals or reaps them, so that no signal goes to a process id that was reused.
type crew struct {
	hub     *exchange.Hub
	threads starter
	null    *os.File
	all     []*process
	ended   chan<- Status
	kills   host.MemoryKills // before the ranks were started

	mu    sync.Mutex
	alive map[int]*process // by rank
}

// startCrew forks the ranks of seats and sends their statuses to ended, which must have room for
// all of them. Rank 0 gets stdio; the standard input of the others is empty. After a *RankError
// some ranks may be running.
func startCrew(what executable, seats []seat, stdio [3]*os.File, m *exchange.Meeting, stops *signals.Stops, ended chan<- Status) (*crew, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	keepForeignSocket()
	c := &crew{hub: exchange.NewHub(m, stops), null: null, ended: ended, kills: host.CountMemoryKills(), alive: make(map[int]*process, len(seats))}
	if stdio[0] == nil {
		stdio[0] = null
	}
	c.all, err = c.threads.start(what, seats, stdio, null)
	for _, p := range c.all {
		c.alive[p.rank] = p
	}
	for _, p := range c.all {
		c.hub.Serve(p.rank, p.conn)
		go func() {
			p.await()
			c.reap(p)
		}()
	}
	return c, err
}

// reap reaps a process, returns its status, and kills the rest of its process group.
func (c *crew) reap(p *process) {
	c.mu.Lock()
	unix.Kill(-p.pid, unix.SIGKILL)
	delete(c.alive, p.rank)
	status := p.reap()
	c.mu.Unlock()
	if status.Signal == unix.SIGKILL {
		status.Why = host.CountMemoryKills().Since(c.kills)
	}
	status.Told = c.hub.Told(p.rank)
	c.ended <- status
}

// signal implements group.
func (c *crew) signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.alive {
		unix.Kill(-p.pid, sig)
	}
}

// settle implements group: signal is a system call.
func (c *crew) settle() {}

// abandon implements group: the kernel ends what gets SIGKILL.
func (c *crew) abandon() {}

// end is called when no rank lives any more.
func (c *crew) end() {
	c.hub.End()
	c.threads.end()
	c.null.Close()
}

// keepForeignSocket sets close-on-exec on the socket of a surrounding PMI launcher, so that ranks
// that are forked here do not inherit it.
func keepForeignSocket() {
	if fd, err := strconv.Atoi(os.Getenv("PMI_FD")); err == nil && fd > 2 {
		unix.CloseOnExec(fd)
	}
}
