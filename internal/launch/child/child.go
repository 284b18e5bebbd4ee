// Package child runs gobench, or a program that is compared with it, as a child process, so that
// the launches of a comparison are independent.
package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gobench/internal/launch/signals"
)

// Child is one launch.
type Child struct {
	Program string // path; "" = this program
	Args    []string
	Dir     string   // in which it runs; "" = that of this process
	Env     []string // added to this process's
	Stdout  io.Writer
	Stderr  io.Writer

	// Foreign marks a program that is not gobench: it may leave processes behind, so signals go to
	// its whole process group, whose rest is killed when it has ended.
	Foreign bool
	Cores   []int  // on which it may run; nil if on those of this process
	Memory  *Peak  // samples its memory; nil if it is not measured
	Usage   *Usage // receives what the child used; nil if it is not wanted
}

// Usage holds the processor time of a child and of the descendants that it waited for, and the
// memory of the largest of them.
type Usage struct {
	User, System time.Duration // of some milliseconds the kernel knows only the sum
	// Memory is the maximum in RAM in bytes, 0 if it is not above that of this process, with which
	// the kernel begins to count.
	Memory int64
}

// ExitError reports a nonzero exit code of a child, which has printed the reason to its standard
// error.
type ExitError struct {
	Command string
	Code    int // -1 where a signal ended it
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("gobench %s ended with exit code %d", e.Command, e.Code)
}

// timeout is the time in which an interrupted child may still write its results.
const timeout = signals.LaunchTimeout

// Run runs the child to its end. When ctx ends first, Run sends the child SIGTERM and returns the
// error of ctx. A nonzero exit code is an *ExitError. SIGTSTP stops the child and then this
// process; both continue together.
func (c Child) Run(ctx context.Context) error {
	program, err := c.Path()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	cmd := exec.Command(program, c.Args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, c.Stdout, c.Stderr
	cmd.Env = append(os.Environ(), c.Env...)
	// The child has a process group of its own, so that Ctrl-C and Ctrl-Z of a terminal reach it
	// once, through this process. The kernel sends the death signal when the thread that forked
	// ends.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	cmd.WaitDelay = timeout
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	stops := signals.NotifyStops() // before the fork: from here on no signal may stop only this process
	defer stops.End()
	if err := c.start(cmd); err != nil {
		return err
	}
	own := peakOfThis()
	if c.Memory != nil {
		defer c.Memory.sample(cmd.Process.Pid)()
	}
	c.attend(ctx, cmd.Process.Pid, stops)
	err = cmd.Wait()
	if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && c.Usage != nil {
		c.Usage.User, c.Usage.System = cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime()
		if memory := used.Maxrss << 10; memory > own+countsDiffer {
			c.Usage.Memory = memory
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitError{strings.Join(c.Args, " "), exit.ExitCode()}
	}
	return err
}

// start starts the command on its cores, which it inherits from this thread.
func (c Child) start(cmd *exec.Cmd) error {
	if c.Cores == nil {
		return cmd.Start()
	}
	var own, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &own); err != nil {
		return err
	}
	for _, core := range c.Cores {
		set.Set(core)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("cannot run on cores %v: %w", c.Cores, err)
	}
	defer unix.SchedSetaffinity(0, &own)
	return cmd.Start()
}

// attend forwards signals to the child and its process group until the child has ended. The child
// is reaped only afterwards, so its process ID is not reused before.
func (c Child) attend(ctx context.Context, pid int, stops *signals.Stops) {
	ended := make(chan struct{})
	go func() {
		for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		}
		close(ended)
	}()
	timer := time.NewTimer(timeout)
	timer.Stop()
	done := ctx.Done()
	var deadline time.Time // zero until the child is asked to end
	for {
		select {
		case <-ended:
			if c.Foreign {
				unix.Kill(-pid, unix.SIGKILL)
			}
			return
		case <-stops.C:
			unix.Kill(-pid, unix.SIGTSTP)
			d := stops.Stop()
			unix.Kill(-pid, unix.SIGCONT)
			if !deadline.IsZero() {
				deadline = deadline.Add(d)
				timer.Reset(time.Until(deadline))
			}
		case <-done:
			done = nil
			if c.Foreign {
				unix.Kill(-pid, unix.SIGTERM)
			} else {
				unix.Kill(pid, unix.SIGTERM) // gobench ends its ranks itself
			}
			deadline = time.Now().Add(timeout)
			timer.Reset(timeout)
		case <-timer.C:
			unix.Kill(-pid, unix.SIGKILL)
		}
	}
}

// Path returns the path of the program that Run starts.
func (c Child) Path() (string, error) {
	if c.Program != "" {
		return c.Program, nil
	}
	return os.Executable()
}

// Environment variables with the numbers of a launch of a sweep.
const (
	launchVariable = "GOBENCH_LAUNCH"
	blockVariable  = "GOBENCH_BLOCK"
)

// Replication returns the environment variables of a launch of a sweep.
func Replication(launch, block int) []string {
	return []string{launchVariable + "=" + strconv.Itoa(launch), blockVariable + "=" + strconv.Itoa(block)}
}

// Replicate returns the numbers of the launch and the block of this process, 0 if it is not a
// launch of a sweep.
func Replicate() (launch, block int) {
	number := func(name string) int {
		n, err := strconv.Atoi(os.Getenv(name))
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	return number(launchVariable), number(blockVariable)
}

// countsDiffer is by how much two counts of the kernel of one memory may differ, in bytes.
const countsDiffer = 1 << 20

// peakOfThis returns the maximum in RAM of this program in bytes, 0 if it is not known. That of
// getrusage would be at least that of the process that has started this one.
func peakOfThis() int64 {
	text, _ := os.ReadFile("/proc/self/status")
	_, after, _ := strings.Cut(string(text), "\nVmHWM:")
	line, _, _ := strings.Cut(after, " kB\n")
	kib, _ := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	return kib << 10
}

// A Peak is the most memory that a child and its descendants held together in bytes, sampled every
// 20 ms. Shared pages count once: each process contributes its proportional set size (PSS).
// Sampling takes processor time, so times are not measured together with memory.
type Peak struct{ Bytes int64 }

const samplingInterval = 20 * time.Millisecond

// sample samples the memory of a process and its descendants until the function that it returns is
// called.
func (p *Peak) sample(root int) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-time.After(samplingInterval):
				p.Bytes = max(p.Bytes, treeMemory(root))
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// treeMemory returns the sum of the PSS of a process and its descendants. Processes that exit
// meanwhile count 0.
func treeMemory(root int) (total int64) {
	parents := map[int]int{}
	directories, _ := filepath.Glob("/proc/[0-9]*")
	for _, directory := range directories {
		pid, _ := strconv.Atoi(filepath.Base(directory))
		stat, err := os.ReadFile(directory + "/stat")
		if err != nil {
			continue
		}
		// The name in parentheses may contain any character; state and parent follow it.
		text := string(stat)
		if f := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]); len(f) > 1 {
			parents[pid], _ = strconv.Atoi(f[1])
		}
	}
	for pid := range parents {
		for p := pid; p > 1; p = parents[p] {
			if p == root {
				total += proportionalSetSize(pid)
				break
			}
		}
	}
	return total
}

// proportionalSetSize returns the PSS of a process in bytes, 0 if it has ended.
func proportionalSetSize(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for row := range strings.Lines(string(text)) {
		if f := strings.Fields(row); len(f) == 3 && f[0] == "Pss:" {
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}
