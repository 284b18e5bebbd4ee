package sweep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gobench/internal/exit"
	"gobench/internal/remedy"
	"gobench/record"
)

// A Timing times commands of any kind in turns. It is a sweep of foreign programs with the importer
// "time".
type Timing struct {
	Commands []string      // the first one is the baseline
	Names    []string      // of the first commands, in tables; the others have their own
	Runs     int           // of each command
	WarmUp   int           // runs of each command before, which do not count
	Limit    time.Duration // ends a run after this time
	Success  string        // exit codes with which a run counts, "" = 0

	// Command lines that sh runs, "" = none: once for each command before its first run, before
	// each run, and once for each command after all runs.
	Setup, Prepare, Cleanup string
}

// names returns the names of all commands.
func (t *Timing) names() []string { return slices.Concat(t.Names, t.Commands[len(t.Names):]) }

// Base returns the name of the baseline.
func (t *Timing) Base() string { return t.names()[0] }

// check returns an error for values that no run can have.
func (t *Timing) check() error {
	switch {
	case t.Runs < 1:
		return remedy.Errorf("%v is %d, want 1 or more", remedy.Named("runs"), t.Runs)
	case t.WarmUp < 0:
		return remedy.Errorf("%v is %d, must not be negative", remedy.Named("warmup"), t.WarmUp)
	case t.Limit <= 0:
		return remedy.Errorf("%v is %v, want a time above 0", remedy.Named("limit"), t.Limit)
	case len(t.Names) > len(t.Commands):
		return fmt.Errorf("there are %d names and %d commands", len(t.Names), len(t.Commands))
	}
	names := t.names()
	for i, name := range names {
		if strings.TrimSpace(t.Commands[i]) == "" {
			return fmt.Errorf("command %d is empty", i+1)
		}
		if slices.Contains(names[:i], name) {
			return remedy.Errorf("two commands are called %q: name them with %v", name, remedy.Named("command-name"))
		}
	}
	return nil
}

// plan returns the sweep of the commands.
func (t *Timing) plan() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "name = \"time\"\nlaunches = %d\n", t.Runs)
	for i, name := range t.names() {
		fmt.Fprintf(&b, "\n[[program]]\nlibrary = %q\ncommand = %q\nimporter = \"time\"\nlimit = \"%v\"\nwarmup = %d\n", name, t.Commands[i], t.Limit, t.WarmUp)
		for _, key := range [][2]string{{"setup", t.Setup}, {"prepare", t.Prepare}, {"cleanup", t.Cleanup}, {"success", t.Success}} {
			if key[1] != "" {
				fmt.Fprintf(&b, "%s = %q\n", key[0], key[1])
			}
		}
	}
	return b.Bytes()
}

// Run runs the commands as Run does a sweep with the options o, of which it sets Path, Text and, if
// that is empty, File. It returns the file of records. An error about t has exit code 2.
func (t *Timing) Run(ctx context.Context, o Options, observer Observer) (file string, err error) {
	if err := t.check(); err != nil {
		return "", &exit.UsageError{Err: err}
	}
	o.File = cmp.Or(o.File, filepath.Join("results", "time-"+time.Now().UTC().Format("20060102T150405Z")+".jsonl"))
	o.Path, o.Text = "time", t.plan()
	err = Run(ctx, o, observer)
	if in, ok := errors.AsType[*record.FileError](err); ok && in.Path == o.Path { // nobody has this file
		err = &exit.UsageError{Err: in.Err}
	}
	return o.File, err
}
