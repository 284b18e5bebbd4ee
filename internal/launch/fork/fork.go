// Package fork runs ranks as processes of this host: it starts them, carries their output, signals
// and reaps them, and says how each has ended. The launcher of a host and the agents of several
// hosts use it alike.
package fork

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"gobench/internal/launch/detect"
	"gobench/internal/launch/host"
	"gobench/internal/limit"
	"gobench/internal/remedy"
	"gobench/launch/outcome"
)

// process is the launcher's handle of a forked rank.
type process struct {
	rank, pid int
	conn      *os.File // the launcher's end of the socket pair
}

// await blocks until the process has ended, without reaping it, so that its process ID and group ID
// are not reused.
func (p *process) await() {
	for {
		err := unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// reap returns how the process has ended.
func (p *process) reap() outcome.Status {
	var ws syscall.WaitStatus
	for {
		_, err := syscall.Wait4(p.pid, &ws, 0, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			// Other code of this program has reaped it, so its status is unknown.
			return outcome.Status{Rank: p.rank, PID: p.pid, Code: 1}
		case ws.Signaled():
			return outcome.Status{Rank: p.rank, PID: p.pid, Code: -1, Signal: ws.Signal()}
		}
		return outcome.Status{Rank: p.rank, PID: p.pid, Code: ws.ExitStatus()}
	}
}

const childFD = 3 // the rank's end of the socket pair: after stdin, stdout and stderr

// A starter forks processes from several threads, because most of the time of a fork is spent
// waiting for the kernel to load the program.
//
// The kernel sends a process its PDEATHSIG when the thread that forked it ends, not the process. So
// these threads live until the job is over.
type starter struct {
	release chan struct{}
	threads sync.WaitGroup
}

const forkThreads = 4

// An Executable is the program of the ranks of a job, with arguments and environment.
type Executable struct {
	Path string
	Args []string // with the program's name
	Env  []string
	Size int    // ranks of the whole job
	On   string // which ranks are on which host, as detect.FormatHosts writes it; "" = all are on this one
}

// Seat is the place of one rank on this host.
type Seat struct {
	rank  int
	cores []int // of its threads; nil if it is not pinned
}

// Seats returns the seats of ranks, whose threads have cores in this order.
func Seats(ranks, cores []int, threads int) []Seat {
	seats := make([]Seat, len(ranks))
	for i, rank := range ranks {
		seats[i].rank = rank
		if cores != nil {
			seats[i].cores = cores[i*threads : (i+1)*threads]
		}
	}
	return seats
}

// start starts the ranks of seats, or returns those that it had started before the first
// error. stdio belongs to rank 0; the others read null.
func (s *starter) start(what Executable, seats []Seat, stdio [3]*os.File, null *os.File) ([]*process, error) {
	s.release = make(chan struct{})
	if err := checkProcesses(len(seats)); err != nil {
		return nil, err
	}
	started := make([]*process, len(seats))
	var (
		next    atomic.Int64
		failed  atomic.Pointer[error]
		forking sync.WaitGroup
	)
	for range min(forkThreads, len(seats)) {
		forking.Add(1)
		s.threads.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for failed.Load() == nil {
				at := int(next.Add(1)) - 1
				if at >= len(seats) {
					break
				}
				files := stdio
				if seats[at].rank > 0 {
					files[0] = null
				}
				p, err := fork(what, seats[at], files)
				if err != nil {
					err = fmt.Errorf("rank %d: %w", seats[at].rank, err)
					failed.CompareAndSwap(nil, &err)
					break
				}
				started[at] = p
			}
			forking.Done()
			<-s.release
		})
	}
	forking.Wait()
	if err := failed.Load(); err != nil {
		return slices.DeleteFunc(started, func(p *process) bool { return p == nil }), *err
	}
	return started, nil
}

// end ends the threads. All processes must have ended.
func (s *starter) end() {
	close(s.release)
	s.threads.Wait()
}

func fork(what Executable, at Seat, stdio [3]*os.File) (*process, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("no socket pair for it: %w", limit.Explain(err))
	}
	defer unix.Close(pair[1])
	pid, err := forkExec(what, at, stdio, pair[1])
	if err == nil {
		// Non-blocking, so that the hub's goroutines wait in Go's poller.
		err = unix.SetNonblock(pair[0], true)
	}
	if err != nil {
		unix.Close(pair[0])
		return nil, err
	}
	return &process{at.rank, pid, os.NewFile(uintptr(pair[0]), fmt.Sprintf("rank %d", at.rank))}, nil
}

func forkExec(what Executable, at Seat, stdio [3]*os.File, socket int) (pid int, err error) {
	var stat unix.Stat_t
	if err := unix.Fstat(socket, &stat); err != nil {
		return 0, err
	}
	pid, err = syscall.ForkExec(what.Path, what.Args, &syscall.ProcAttr{
		Env:   rankEnv(what, at, childFD, stat.Ino),
		Files: []uintptr{stdio[0].Fd(), stdio[1].Fd(), stdio[2].Fd(), uintptr(socket)},
		Sys: &syscall.SysProcAttr{
			// Its own process group: a terminal's Ctrl-C reaches it once, through
			// the launcher, and what it forks in turn can be ended with it.
			Setpgid:   true,
			Pdeathsig: syscall.SIGKILL,
		},
	})
	if err != nil {
		return 0, fmt.Errorf("%s cannot be started: %w", what.Path, host.NoProc(limit.Explain(err)))
	}
	// If memory runs out, the kernel kills a rank first, and the launcher can report the reason.
	os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("500"), 0)
	return pid, nil
}

// minThreads is the minimum number of threads of a rank, counted in runs of every transport: the
// measuring one and those of the Go runtime.
const minThreads = 8

// ownThreads is the number of threads that the launcher starts for a job, and for each rank one
// more, which waits for its end. It is an upper bound: when the Go runtime starts a thread for a
// system call that blocks depends on the scheduler, and a launcher that gets no thread ends with a
// stack trace. So a job that is refused for one thread might have run.
const ownThreads = 4

// checkProcesses returns an error if the limits of this user do not allow the processes and threads
// of the ranks. Other processes of the user count, too, but are not considered here. Without this
// check the launcher itself might get no thread, which would end it without an error message.
func checkProcesses(ranks int) error {
	if room, limited := host.ProcessRoom(); limited {
		if err := littleRoom(ranks, room); err != nil {
			return err
		}
	}
	var allowed unix.Rlimit
	if os.Geteuid() == 0 || unix.Getrlimit(unix.RLIMIT_NPROC, &allowed) != nil {
		return nil
	}
	return fewProcesses(ranks, allowed.Cur)
}

// littleRoom returns an error if a control group does not allow the processes and threads of the
// ranks and of the launcher.
func littleRoom(ranks int, room host.Room) error {
	if need := int64(ranks*(minThreads+1) + ownThreads); need > room.Free {
		return remedy.Errorf("%d ranks need at least %d more processes and threads, and the control group %s may have %d more: raise its limit, which is %d (pids.max), or start fewer ranks (%v)", ranks, need, room.Group, room.Free, room.Limit, remedy.Named("np"))
	}
	return nil
}

func fewProcesses(ranks int, allowed uint64) error {
	if need := uint64(ranks) * minThreads; need > allowed {
		return fmt.Errorf("%d ranks need at least %d processes and threads, and this user may have %d: raise the limit (ulimit -u)", ranks, need, allowed)
	}
	return nil
}

// rankEnv returns the environment of a rank: the given one without the variables that identify the
// parent as a rank of any launcher, and with those of this rank.
func rankEnv(what Executable, at Seat, fd int, inode uint64) []string {
	env := append(detect.CleanEnv(what.Env),
		detect.EnvRank+"="+strconv.Itoa(at.rank),
		detect.EnvSize+"="+strconv.Itoa(what.Size),
		detect.EnvFD+"="+strconv.Itoa(fd),
		detect.EnvInode+"="+strconv.FormatUint(inode, 10))
	if at.cores != nil {
		env = append(env, detect.EnvSeats+"="+host.ListCores(at.cores))
	}
	if what.On != "" {
		env = append(env, detect.EnvHosts+"="+what.On)
	}
	return env
}
