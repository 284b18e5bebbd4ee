// Package sweeping carries out gobench sweep: it checks every launch of a file before the
// first one starts, launches them, and goes on where it was interrupted.
package sweeping

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"gobench/bench/record"
	"gobench/bench/sweep"
	"gobench/internal/terminal"
	"gobench/report"
)

// Asked is the command line of gobench sweep.
type Asked struct {
	Path      string // of the file that says what to measure
	File      string // of records, "" = one of the sweep and this machine
	Launches  int    // 0 = as the file says
	Seed      int64  // 0 = as the file says, or drawn
	Budget    time.Duration
	Detect    float64 // slowdown that a comparison is to find: how many launches it needs is said; 0 = not asked
	AA        bool    // every launch twice: the machine against itself
	DryRun    bool
	Form      report.Form
	Verbs     []sweep.Verb
	Version   string                       // of this program
	Host      string                       // name of this machine
	Available func(transport string) error // why a transport does not work here
}

// UsageError is a mistake of the person who asked.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Sweep does what a file says. Interrupted it ends the launch that is under way; the same command
// goes on from there.
func Sweep(ctx context.Context, a Asked, stdout, stderr io.Writer) error {
	data, err := os.ReadFile(a.Path)
	if err != nil {
		return &UsageError{fmt.Errorf("cannot read the sweep: %w", err)}
	}
	plan, err := sweep.Parse(data, a.Path, a.Verbs)
	if err != nil {
		return &UsageError{err}
	}
	if a.File == "" {
		a.File = defaultFile(a, plan.Name)
	}
	if a.Launches > 0 {
		plan.Launches = a.Launches
	}
	if a.Budget > 0 {
		plan.Budget = a.Budget
	}
	if a.Seed > 0 {
		plan.Seed = a.Seed
	}
	r := &run{Asked: a, plan: plan, stdout: stdout, stderr: stderr, terminal: terminal.Of(stdout), begin: time.Now()}
	r.id = plan.ID(r.times())
	if err := r.available(); err != nil {
		return &UsageError{err}
	}
	if err := r.check(ctx); err != nil {
		return err
	}
	if a.DryRun {
		if err := r.resume(); err != nil {
			return err
		}
		return r.dryRun()
	}
	// The file is held from before it is read, so that no other sweep makes the same launches.
	if r.out, err = record.OpenContext(ctx, r.File); err != nil {
		return err
	}
	defer r.out.Close() // rows are written one by one
	for _, w := range r.out.Warnings() {
		fmt.Fprintf(r.stderr, "gobench: %s\n", w)
	}
	if err := r.resume(); err != nil {
		return err
	}
	return r.all(ctx)
}

// unsafe are characters that a name of a file shall not have.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// defaultFile is one file for each sweep and machine, and another one for the machine against
// itself: what was run by hand, or by another sweep, is in none of them.
func defaultFile(a Asked, name string) string {
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(a.Path), filepath.Ext(a.Path))
	}
	file := name + "-" + a.Host
	if a.AA {
		file += "-aa"
	}
	return filepath.Join("results", strings.Trim(unsafe.ReplaceAllString(file, "-"), ".-")+".jsonl")
}

// run is one run of a sweep.
type run struct {
	Asked
	plan     *sweep.Plan
	id       string // of the plan
	stdout   io.Writer
	stderr   io.Writer
	terminal terminal.Terminal
	begin    time.Time

	programs  map[string]*program // that make launches, by name
	estimates map[string]estimate // of launches, by key
	// disturbance is how much slower this machine is than an idle one, as a factor.
	disturbance float64
	state       *sweep.State    // of the file of records
	seed        int64           // in force
	order       []sweep.Launch  // all
	left        []sweep.Launch  // what is still to be done
	printer     report.Printer  // nil for people
	out         *record.Writer  // the file of records
	broken      map[string]bool // commands that failed, by key
	failures    int             // launches that failed
}

// times is how often a command is launched in a block.
func (r *run) times() int {
	if r.AA {
		return 2
	}
	return 1
}

// available leaves out commands whose transport does not work here, or says why
// nothing can be done about it.
func (r *run) available() error {
	var kept []sweep.Command
	told := map[string]bool{}
	for _, c := range r.plan.Commands {
		transport := c.Flag("transport")
		if transport == "" || r.Available == nil {
			kept = append(kept, c)
			continue
		}
		err := r.Available(transport)
		switch {
		case err == nil:
			kept = append(kept, c)
		case !r.plan.Skip:
			return &sweep.FileError{Path: r.Path, Line: c.Line, Err: fmt.Errorf("%w; skip-unavailable = true leaves it out", err)}
		case !told[transport]:
			told[transport] = true
			fmt.Fprintf(r.stderr, "gobench: left out: %v\n", err)
		}
	}
	if len(kept) == 0 {
		return &sweep.FileError{Path: r.Path, Err: errors.New("nothing is left to measure: no transport works here")}
	}
	r.plan.Commands = kept
	return nil
}
