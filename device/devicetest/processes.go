package devicetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	// noticed bounds the time in which a survivor must report a dead peer and close its device,
	// without that in which processes of this machine waited for a processor.
	noticed = 2 * time.Second
	// maxMissed bounds the latter: on a machine with more ranks than cores, some process always
	// waits.
	maxMissed = 10 * time.Second
)

// missed returns the time for which some process of this machine has waited for a processor, 0
// where the kernel does not tell (file cpu of Documentation/accounting/psi.rst).
func missed() time.Duration {
	var us int64
	if text, err := os.ReadFile("/proc/pressure/cpu"); err == nil {
		_, total, _ := strings.Cut(string(text), "total=")
		fmt.Sscan(total, &us)
	}
	return time.Duration(us) * time.Microsecond
}

var errStillThere = errors.New("a process of the job was still there")

// forked is a rank as the test sees it.
type forked struct {
	link *link
	process
}

// process is the process of a rank, on this machine or elsewhere.
type process interface {
	kill()     // does nothing where it has ended
	wait() end // called once, after the link has ended
}

// end is the end of a process.
type end struct {
	status syscall.WaitStatus
	err    error // the status is not known
}

func (e end) String() string {
	switch {
	case e.err != nil:
		return e.err.Error()
	case e.status.Signaled():
		return "signal: " + e.status.Signal().String()
	}
	return fmt.Sprintf("exit code %d", e.status.ExitStatus())
}

// command is a process of this machine.
type command struct{ *exec.Cmd }

func (c command) kill() { c.Process.Kill() }
func (c command) wait() end {
	c.Wait()
	return end{status: c.ProcessState.Sys().(syscall.WaitStatus)}
}

// A report is the outcome of a rank, or the end of its process.
type report struct {
	rank   int
	result *string // the rank's outcome
	ended  end     // of its process, where there is no result
	at     moment  // when it was received
}

// A moment is a time, and what had been missed until then.
type moment struct {
	time.Time
	missed time.Duration
}

func now() moment { return moment{time.Now(), missed()} }

// since returns the time from a death to m in which processors were free.
func (m moment) since(death moment) time.Duration {
	return m.Sub(death.Time) - min(m.missed-death.missed, maxMissed)
}

// runProcesses runs a rule with ranks as copies of this test binary, or with several ranks in each
// copy. Whatever happens, all of them have ended when it returns.
func runProcesses(s Subject, u rule, n int, seed uint64) error {
	c, err := startProcesses(s, u, n, seed)
	if err != nil {
		return err
	}
	return c.end(u)
}

// A processGroup holds the processes of one job.
type processGroup struct {
	s     Subject
	hub   *hub
	ranks []*forked
	heard chan report
	group int           // their process group, where they are on this machine
	gone  chan struct{} // closed to let the thread go that has forked them
}

// startProcesses starts the ranks of a job with their first rule.
func startProcesses(s Subject, u rule, n int, seed uint64) (*processGroup, error) {
	n = s.processes(n)
	c := &processGroup{s: s, hub: newHub(s.hosts(n)), heard: make(chan report, 4*n), gone: make(chan struct{})}
	started := make(chan error)
	go func() { // a rank dies with the thread that forked it
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		started <- c.start(u, n, seed)
		<-c.gone
	}()
	err := <-started
	if err != nil {
		c.release()
	}
	return c, err
}

func (c *processGroup) start(u rule, n int, seed uint64) error {
	s := c.s
	for i := range n {
		f, err := startRank(s, orders{Driver: s.Driver.Name(), Options: s.Options, Rule: u.name, Rank: i, Size: n, LocalSize: s.localSize(i, n), Seed: seed,
			Hosts: s.hosts(n), Threads: s.Threads, Limit: u.limit(s), Timeout: s.timeout()}, c.group)
		if err != nil {
			return fmt.Errorf("start of rank %d: %w", i, err)
		}
		c.ranks = append(c.ranks, f)
		if p, ok := f.process.(command); ok && c.group == 0 {
			c.group = p.Process.Pid
		}
		go f.listen(c.hub, i, c.heard, rand.New(rand.NewPCG(seed, uint64(i))))
	}
	return nil
}

// end waits for the outcomes on a rule and the ends of all ranks.
func (c *processGroup) end(u rule) error {
	defer c.release()
	err := c.gather(u, true)
	// All ranks have been waited for, so the group is empty unless a rank has
	// left a process of its own.
	if c.group != 0 && syscall.Kill(-c.group, syscall.SIGKILL) == nil {
		err = errors.Join(err, errStillThere)
	}
	return err
}

func (c *processGroup) release() {
	for _, f := range c.ranks {
		f.kill()
	}
	c.hub.abandon()
	close(c.gone)
}

// gather waits for every rank's outcome, and for its end where this is its last one or another rank
// has failed.
func (c *processGroup) gather(u rule, last bool) error {
	limit := time.NewTimer(u.limit(c.s) + 5*time.Second)
	defer limit.Stop()
	var failed []error
	outcomes := make([]*report, len(c.ranks))
	var death moment
	fail := func(rank int, what string) {
		failed = append(failed, fmt.Errorf("rank %d: %s", rank, what))
		c.hub.abandon()
		limit.Reset(3 * time.Second)
		if !last {
			last = true
			c.order(orders{Limit: u.limit(c.s)})
		}
	}
	running, silent := len(c.ranks), len(c.ranks)
	for running > 0 && (last || silent > 0) {
		select {
		case x := <-c.heard:
			switch {
			case x.result != nil:
				if outcomes[x.rank] == nil {
					silent--
				}
				outcomes[x.rank] = &x
				if *x.result != "" {
					fail(x.rank, *x.result)
				}
			case outcomes[x.rank] != nil:
				running--
			default:
				running--
				if u.dies != nil && u.dies(c.hub.hosts, x.rank) && x.ended.err == nil && x.ended.status.Signaled() && x.ended.status.Signal() == syscall.SIGKILL {
					death = x.at
				} else {
					fail(x.rank, fmt.Sprintf("ended without an outcome: %v", x.ended))
				}
			}
		case <-limit.C:
			for i, f := range c.ranks {
				if outcomes[i] == nil {
					fail(i, "does not end; it was killed")
				}
				f.kill()
			}
			last = true
		}
	}
	bound := noticed
	if c.s.Elsewhere != nil {
		bound *= 2 // other machines are emulated, and do not tell when their emulator had to wait
	}
	for i, v := range outcomes {
		switch {
		case u.dies == nil || v == nil:
		case u.dies(c.hub.hosts, i):
			if *v.result == "" {
				fail(i, "did not die, though the rule wants it")
			}
		case !death.IsZero() && v.at.since(death) > bound:
			fail(i, fmt.Sprintf("reported the death and closed its device after %v (in %v of them processors were missing), limit %v without these, at most %v",
				v.at.Sub(death.Time), v.at.missed-death.missed, bound, maxMissed))
		}
	}
	return errors.Join(failed...)
}

// order sends all ranks their next orders.
func (c *processGroup) order(o orders) {
	text, _ := json.Marshal(o) // cannot fail: strings and numbers
	for _, f := range c.ranks {
		f.link.write(frameOrders, text)
	}
}

// A series is a processGroup whose ranks run rules one after the other on one device.
type series struct {
	*processGroup
	n      int
	ran    []string
	before []string // shared segments of others
}

// try runs a rule, and returns the series for the next one, nil if the rule has failed. A nil
// series starts one.
func (l *series) try(s Subject, u rule, n int, seed uint64) (*series, error) {
	if l == nil {
		before := filesIn(s.sharedDir())
		c, err := startProcesses(s, u, n, seed)
		if err != nil {
			return nil, err
		}
		l = &series{processGroup: c, n: n, before: before}
	} else {
		l.order(orders{Rule: u.name, Limit: u.limit(s)})
	}
	l.ran = append(l.ran, u.name)
	if err := l.gather(u, false); err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

// end ends the ranks, which close their devices, and returns an error where something of them
// remains.
func (l *series) end() error {
	u := rule{name: "end"}
	l.order(orders{Limit: u.limit(l.s)})
	err := l.processGroup.end(u)
	if err == nil {
		err = leftovers(l.s.sharedDir(), l.before, l.s.timeout())
	}
	return err
}

// startRank starts one rank where its host is.
func startRank(s Subject, o orders, group int) (*forked, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	if s.Elsewhere != nil {
		if address := s.Elsewhere(o.Hosts[o.Rank]); address != "" {
			return startElsewhere(address, text)
		}
	}
	return fork(text, group)
}

// fork starts one rank on this machine. All ranks of a job are one process group.
func fork(orders []byte, group int) (*forked, error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "rank")
	defer theirs.Close()
	ours := os.NewFile(uintptr(pair[0]), "hub")
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), rankEnv+"="+string(orders))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: group, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		ours.Close()
		return nil, err
	}
	return &forked{newLink(ours), command{cmd}}, nil
}

// listen serves a rank until it ends.
func (f *forked) listen(h *hub, rank int, heard chan<- report, rnd *rand.Rand) {
	defer f.link.conn.Close()
	blobs := make(chan []byte, 1)
	defer close(blobs)
	go func() { // apart, because an exchange waits for other ranks
		for blob := range blobs {
			all, err := h.exchange(context.Background(), rank, blob)
			if err != nil {
				f.link.write(frameResult, nil)
			}
			for _, b := range all {
				f.link.write(frameBlob, b)
			}
		}
	}()
	for {
		kind, data, err := f.link.read()
		if e, ok := f.process.(*elsewhere); ok && kind == frameEnd {
			e.ended(data)
			break
		}
		if err != nil {
			break
		}
		switch kind {
		case frameBlob:
			blobs <- data
		case frameKill:
			// Anywhere in the transfers of the next milliseconds.
			time.AfterFunc(time.Duration(rnd.Int64N(int64(5*time.Millisecond))), f.kill)
		case frameResult:
			text := string(data)
			heard <- report{rank: rank, result: &text, at: now()}
		}
	}
	heard <- report{rank: rank, ended: f.wait(), at: now()}
}
