package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"syscall"

	"gobench/experiment"
	"gobench/internal/exit"
	"gobench/internal/experiment/sweep"
	"gobench/internal/report/document"
	"gobench/internal/terminal"
	_ "gobench/kernels/all" // every application
	"gobench/record"
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
	o.err = cmp.Or(o.err, err)
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

// exitCode returns the exit code of the program after err.
func exitCode(err error) int {
	var (
		usage     *exit.UsageError
		selection *record.SelectionError
		path      *document.PathError
		claims    *document.ClaimsError
		format    *document.FormatError
		swept     *sweep.FailedError
		exceeded  *sweep.ExceededError
	)
	switch {
	case errors.As(err, &usage), errors.As(err, &selection), errors.As(err, &path), errors.As(err, &claims), errors.As(err, &format):
		return exit.Usage // also of a plan of a sweep
	case errors.As(err, &swept) && swept.Code == exit.Data:
		return exit.Data
	case errors.As(err, &exceeded):
		return exit.Regression
	}
	return experiment.ExitCode(err)
}

// readerMemory is the memory of the Go runtime up to which verbs that read records collect nothing,
// in bytes: 100,000 records and what is made of them fit into 400 MiB, with the program itself.
const readerMemory = 315 << 20

// readerGrowth is the memory of these verbs as a multiple of what they use, where that is more.
// They keep most of what they allocate, so a small multiple saves memory and costs little time.
const readerGrowth = 1.4

// setReaderGC sets the garbage collector for verbs that read records, anew after each collection.
// It sets a limit in bytes: the percentage that allows readerMemory while little is in use would
// allow many times that once much is, until the cleanup below runs, which may be long after a
// collection.
func setReaderGC() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetMemoryLimit(max(readerMemory, int64(readerGrowth*float64(live[0].Value.Uint64()))))
	debug.SetGCPercent(-1)
	type sentinel struct{ _ *int } // no tiny object, which others would keep
	runtime.AddCleanup(&sentinel{}, func(struct{}) { setReaderGC() }, struct{}{})
}
