package launch

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// process is a rank as the launcher sees it.
type process struct {
	rank, pid int
	conn      *os.File // the launcher's end of the socket pair
}

const childFD = 3 // the rank's end of the socket pair: after stdin, stdout and stderr

// starter forks processes from a few threads at once, because most of a fork is
// waiting for the kernel to load the program.
//
// The kernel sends a process its PDEATHSIG when the *thread* that forked it ends,
// not the process. So these threads are kept until the job is over.
type starter struct {
	release chan struct{}
	threads sync.WaitGroup
}

const forkThreads = 4

// start starts all ranks, or returns those that it had started before the first
// error.
func (s *starter) start(spec Spec, stdio [3]*os.File, null *os.File) ([]*process, error) {
	s.release = make(chan struct{})
	started := make([]*process, spec.Ranks)
	var (
		next    atomic.Int64
		failed  atomic.Pointer[RankError]
		forking sync.WaitGroup
	)
	for range min(forkThreads, spec.Ranks) {
		forking.Add(1)
		s.threads.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for failed.Load() == nil {
				rank := int(next.Add(1)) - 1
				if rank >= spec.Ranks {
					break
				}
				files := stdio
				if rank > 0 {
					files[0] = null
				}
				p, err := fork(spec, rank, files)
				if err != nil {
					failed.CompareAndSwap(nil, &RankError{rank, err})
					break
				}
				started[rank] = p
			}
			forking.Done()
			<-s.release
		})
	}
	forking.Wait()
	if err := failed.Load(); err != nil {
		return compact(started), err
	}
	return started, nil
}

// end lets the threads go. No process may be left.
func (s *starter) end() {
	close(s.release)
	s.threads.Wait()
}

func fork(spec Spec, rank int, stdio [3]*os.File) (*process, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("no socket pair for it: %w", err)
	}
	defer unix.Close(pair[1])
	pid, err := forkExec(spec, rank, stdio, pair[1])
	if err == nil {
		// Non-blocking, so that the hub's goroutines wait in Go's poller.
		err = unix.SetNonblock(pair[0], true)
	}
	if err != nil {
		unix.Close(pair[0])
		return nil, err
	}
	return &process{rank, pid, os.NewFile(uintptr(pair[0]), fmt.Sprintf("rank %d", rank))}, nil
}

func forkExec(spec Spec, rank int, stdio [3]*os.File, socket int) (pid int, err error) {
	var stat unix.Stat_t
	if err := unix.Fstat(socket, &stat); err != nil {
		return 0, err
	}
	core := -1
	if spec.Cores != nil {
		core = spec.Cores[rank]
	}
	pid, err = syscall.ForkExec(spec.Path, spec.Args, &syscall.ProcAttr{
		Env:   rankEnv(spec.Env, rank, spec.Ranks, childFD, stat.Ino, core),
		Files: []uintptr{stdio[0].Fd(), stdio[1].Fd(), stdio[2].Fd(), uintptr(socket)},
		Sys: &syscall.SysProcAttr{
			// Its own process group: a terminal's Ctrl-C reaches it once, through
			// the launcher, and what it forks in turn can be ended with it.
			Setpgid:   true,
			Pdeathsig: syscall.SIGKILL,
		},
	})
	if err != nil {
		return 0, fmt.Errorf("%s cannot be started: %w", spec.Path, err)
	}
	return pid, nil
}

func compact(list []*process) []*process {
	var some []*process
	for _, p := range list {
		if p != nil {
			some = append(some, p)
		}
	}
	return some
}
