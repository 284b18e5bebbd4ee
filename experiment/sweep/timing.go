package sweep

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/internal/exit"
	"gobench/internal/remedy"
)

// A Timing times commands of any kind in turns. It is a sweep of foreign programs with the importer
// "time".
type Timing struct {
	Commands []string      // the first one is the baseline
	Names    []string      // of the first commands, in tables; the others have their own
	Runs     int           // of each command
	WarmUp   int           // runs of each command before, which do not count
	Setup    string        // run by sh once before all runs, "" = none
	Cleanup  string        // run by sh once after all runs, "" = none
	Limit    time.Duration // ends a run after this time
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
		fmt.Fprintf(&b, "\n[[program]]\nlibrary = %s\ncommand = %s\nimporter = \"time\"\nlimit = \"%v\"\npeak-memory = true\n", strconv.Quote(name), strconv.Quote(t.Commands[i]), t.Limit)
	}
	return b.Bytes()
}

// Run runs the commands as Run does a sweep with the options o, of which it sets Path, Text and, if
// that is empty, File. It returns the file of records. An error about t has exit code 2.
func (t *Timing) Run(ctx context.Context, o Options, observer Observer) (file string, err error) {
	if err := t.check(); err != nil {
		return "", &exit.UsageError{Err: err}
	}
	if o.File == "" {
		o.File = filepath.Join("results", "time-"+time.Now().UTC().Format("20060102T150405Z")+".jsonl")
	}
	o.Path, o.Text = "time", t.plan()
	if err := shell(ctx, remedy.Named("setup"), t.Setup); err != nil {
		return "", err
	}
	for _, c := range t.Commands {
		for range t.WarmUp {
			words := strings.Fields(c)
			if out, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput(); err != nil {
				return "", fmt.Errorf("warm-up of %q: %w%s", c, err, lastLineOf(out))
			}
		}
	}
	err = Run(ctx, o, observer)
	if e := shell(context.WithoutCancel(ctx), remedy.Named("cleanup"), t.Cleanup); err == nil {
		err = e
	}
	return o.File, err
}

// shell runs the command line of an option by sh, if it is not empty.
func shell(ctx context.Context, option remedy.Option, line string) error {
	if line == "" {
		return nil
	}
	if out, err := exec.CommandContext(ctx, "sh", "-c", line).CombinedOutput(); err != nil {
		return remedy.Errorf("%v: %w%s", option, err, lastLineOf(out))
	}
	return nil
}

// lastLineOf returns the last line of an output, for errors.
func lastLineOf(out []byte) string {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if last := string(lines[len(lines)-1]); last != "" {
		return ": " + last
	}
	return ""
}
