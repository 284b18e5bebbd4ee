package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gobench/bench"
	"gobench/internal/exit"
	"gobench/internal/lazyregexp"
	"gobench/internal/terminal"
	"gobench/launch/outcome"
)

// stderrMux merges the standard error of all ranks. Equal lines of several ranks are printed once,
// without the control characters that text of other hosts and libraries may contain. The stack
// trace of a crashed rank is written to a file, whose name is printed.
type stderrMux struct {
	w      io.Writer
	screen *screen // is cleared first
	part   []byte
	seen   map[string]bool

	printed bool   // something was printed
	last    string // the last line of gobench, without its name
	crashed bool
	trace   *os.File // nil before a crash, and if it could not be created
}

// crash matches the first line of the output of the Go runtime when a program crashes.
var crash = lazyregexp.New(`^(panic|fatal error|SIG[A-Z]+|runtime|unexpected fault address)\b`)

// exhausted matches the first line of the output of the Go runtime, with and without cgo, when the
// operating system refuses a thread, which is not a defect of the program.
var exhausted = lazyregexp.New(`^(runtime: failed to create new OS thread|runtime/cgo: pthread_create failed)\b`)

const noThreads = "gobench: a process could not create another thread: its host or user has reached a limit (ulimit -u, the pids limit of the cgroup, sysctl kernel.pid_max)\n"

func (v *stderrMux) Write(b []byte) (int, error) {
	v.part = append(v.part, b...)
	for {
		end := bytes.IndexByte(v.part, '\n') + 1
		if end == 0 {
			return len(b), nil
		}
		line := terminal.Plain(string(v.part[:end]), '\n', '\t')
		v.part = v.part[end:]
		if err := v.line(line); err != nil {
			return 0, err
		}
	}
}

func (v *stderrMux) line(line string) error {
	if !v.crashed && crash.MatchString(line) {
		v.crashed = true
		message := noThreads
		if !exhausted.MatchString(line) {
			message = v.report(strings.TrimSpace(line))
		}
		if err := v.print(message); err != nil {
			return err
		}
	}
	if v.crashed && !strings.HasPrefix(line, "gobench: ") {
		if v.trace != nil {
			v.trace.WriteString(line)
		}
		return nil
	}
	return v.print(line)
}

func (v *stderrMux) print(line string) error {
	if v.seen[line] && line != "\n" {
		return nil
	}
	if v.seen == nil {
		v.seen = map[string]bool{}
	}
	v.seen[line] = true
	v.printed = true
	if said, ok := strings.CutPrefix(line, "gobench: "); ok {
		v.last = strings.TrimSpace(said)
	}
	return v.screen.print(v.w, line)
}

// report opens the file for the trace and returns a request to report the crash.
func (v *stderrMux) report(cause string) string {
	s := fmt.Sprintf("gobench: a rank crashed (%s); unless this was intended, please report it with the command line", cause)
	f, err := os.CreateTemp("", "gobench-crash-*.txt")
	if err != nil {
		return s + "\n"
	}
	v.trace = f
	return s + " and " + f.Name() + ", and remove that file then\n"
}

// failure returns the error of a job with an exit code other than 0.
func (v *stderrMux) failure(result *outcome.Result) error {
	switch {
	case result.Interrupted != nil && result.ExitCode == exit.Failed: // else a rank failed before
		if late := killed(result); late != nil {
			return fmt.Errorf("%w (%w)", bench.ErrInterrupted, late)
		}
		return bench.ErrInterrupted
	case v.crashed: // the exit code of the Go runtime, 2, would mean a usage error
		return &exit.ReportedError{Code: exit.Failed, Err: result.Err()}
	case result.First < 0:
	case result.Ranks[result.First].Taken():
		return &EndedError{result.ExitCode, result.Err()} // it could not print anything
	case !v.printed && result.Ranks[result.First].Told != "":
		return &EndedError{result.ExitCode, errors.New(result.Ranks[result.First].Told)}
	}
	if cause := v.cause(result); cause != "" {
		return &exit.ReportedError{Code: result.ExitCode, Err: errors.New(cause)}
	}
	return &exit.ReportedError{Code: result.ExitCode, Err: result.Err()}
}

// cause returns the printed line about the failure: that of the rank that failed first, or of
// another if that one left it to others. Lines before and behind it may be notices.
func (v *stderrMux) cause(result *outcome.Result) string {
	ranks := result.Ranks
	if result.First >= 0 {
		ranks = slices.Concat(ranks[result.First:result.First+1], ranks)
	}
	for _, s := range ranks {
		told, _, _ := strings.Cut(terminal.Plain(s.Told, '\n', '\t'), "\n")
		if v.seen["gobench: "+told+"\n"] {
			return told
		}
	}
	return v.last
}

// close prints an incomplete last line and closes the file of the trace.
func (v *stderrMux) close() {
	if len(v.part) > 0 {
		v.line(terminal.Plain(string(v.part), '\t') + "\n")
		v.part = nil
	}
	if v.trace != nil {
		v.trace.Close()
	}
}
