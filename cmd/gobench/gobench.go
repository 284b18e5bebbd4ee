package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"syscall"

	"gobench/internal/exit"
	"gobench/internal/terminal"
	_ "gobench/kernels/all" // every application
)

// gobench runs a command line and returns the exit code. Errors are printed to stderr as one
// sentence, never as a stack trace.
func gobench(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if bug := recover(); bug != nil {
			fmt.Fprintf(stderr, "gobench: this is a defect of gobench, please report it with the command line: %v (%s)\n", bug, origin())
			code = exit.Failed
		}
	}()
	root := program.Root(args)
	out := &output{to: stdout}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	err := program.Check(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil && !errors.Is(out.err, syscall.EPIPE) { // a reader may close a pipe
		err = out.err
	}
	if _, reported := errors.AsType[*exit.ReportedError](err); err != nil && !reported {
		fmt.Fprintf(stderr, "gobench: %s\n", strings.ReplaceAll(terminal.Plain(err.Error(), '\n', '\t'), "\n", "\ngobench: ")) // joined errors, and words of other hosts
	}
	if code = exitCode(err); code == exit.Usage && out.err != nil {
		code = exit.Failed // the command line was valid
	}
	return code
}

// output is the standard output of a verb. It keeps the first write error, because not every verb
// returns it, as when it prints help or a plan. It is used by one goroutine at a time.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// Unwrap implements terminal.Wrapper.
func (o *output) Unwrap() io.Writer { return o.to }

// origin returns the function and line that panicked. It must be called by a deferred function.
func origin() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") || !more {
			return fmt.Sprintf("%s, line %d", frame.Function, frame.Line)
		}
	}
}
