// Package child runs gobench from within gobench: a launch of its own for what is
// measured, so that a comparison has independent launches.
package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Child is one launch.
type Child struct {
	Program string // path; "" = this program
	Args    []string
	Env     []string // added to this process's
	Stdout  io.Writer
	Stderr  io.Writer
}

// ExitError says that the child ended with a code that is not 0. It has told why
// on its standard error.
type ExitError struct {
	Command string
	Code    int // -1 where a signal ended it
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("gobench %s ended with exit code %d", e.Command, e.Code)
}

// patience is how long an interrupted child has to write what it knows.
const patience = 10 * time.Second

// Run runs the child to its end. Where ctx ends first the child is asked to end, and
// the error is that of ctx. An exit code is an *ExitError.
func (c Child) Run(ctx context.Context) error {
	program, err := c.Path()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, c.Args...)
	cmd.Stdout, cmd.Stderr = c.Stdout, c.Stderr
	cmd.Env = append(os.Environ(), c.Env...)
	// Ctrl-C at a terminal reaches every process of the group: only this one asks
	// the child to end, once.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = patience
	err = cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitError{strings.Join(c.Args, " "), exit.ExitCode()}
	}
	return err
}

// Path is that of the program which Run runs.
func (c Child) Path() (string, error) {
	if c.Program != "" {
		return c.Program, nil
	}
	return os.Executable()
}

// Environment variables by which a sweep tells its launches which ones they are.
const (
	launchVariable = "GOBENCH_LAUNCH"
	blockVariable  = "GOBENCH_BLOCK"
)

// Replication is the environment of a launch of a sweep.
func Replication(launch, block int) []string {
	return []string{launchVariable + "=" + strconv.Itoa(launch), blockVariable + "=" + strconv.Itoa(block)}
}

// Replicate returns the numbers of the launch and the block that this process belongs
// to, zero where it is no launch of a sweep.
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
