package sweep

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gobench/internal/exit"
	"gobench/internal/launch/host"
	"gobench/internal/lazyregexp"
	"gobench/internal/remedy"
	"gobench/nearest"
	"gobench/record"
)

// Options configure Run.
type Options struct {
	Path      string   // of the file of the sweep
	Text      []byte   // its contents, nil = they are read from Path
	Command   []string // the whole command line, for the record
	File      string   // of records, "" = a file for this sweep and machine
	Launches  int      // of each command, 0 = as in the file
	Seed      int64    // 0 = as in the file, or random
	Budget    time.Duration
	Detect    float64 // slowdown for which the necessary number of launches is computed, 0 = none
	AA        bool    // every launch twice, to compare the machine with itself
	DryRun    bool
	Verbs     []Verb
	Version   string                        // of this program
	Host      string                        // name of this machine
	Available func(Command) error           // error if its transport does not work here; nil = not checked
	Stderr    io.Writer                     // of the launches
	Judge     func(file, plan string) error // of the file of records, at the end; nil = none
	// Measured, if not nil, is called before programs clean up, however the sweep has ended: they
	// may take longer than an interrupted process lives.
	Measured func()
}

// Observer receives the progress and the results of a sweep.
type Observer interface {
	Line(name, text string)     // a fact of the plan or of the result: "time", "records"
	Progress(text string)       // the launch that starts
	Warning(text string)        // a sentence
	Records(*record.File) error // of a complete launch; an error ends the sweep
	// Unwritten shows the results of a launch that the file of records lacks.
	Unwritten(*record.File) error
	// Results shows the records of a plan after its last launch. factor is one that it varies,
	// base the value that others are compared with, "" = the first.
	Results(file, plan, factor, base string) error
}

// Run runs the sweep of a file. It checks every command before the first launch, and then makes the
// launches that the file of records does not contain. When ctx ends, it ends the current launch; a
// later Run continues from there. The error for an invalid o or file of the sweep has exit code 2.
func Run(ctx context.Context, o Options, observer Observer) error {
	err := run(ctx, o, observer)
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted before the first launch")
	}
	return err
}

// check returns an error for values that no sweep can have.
func (o *Options) check() error {
	switch {
	case o.Launches < 0:
		return remedy.Errorf("%v is %d, want 1 or more, or 0 for those of the file", remedy.Named("launches"), o.Launches)
	case o.Budget < 0:
		return remedy.Errorf("%v is %v, must not be negative", remedy.Named("budget"), o.Budget)
	case o.Seed < 0:
		return remedy.Errorf("%v is %d, must not be negative", remedy.Named("seed"), o.Seed)
	}
	return nil
}

func run(ctx context.Context, o Options, observer Observer) error {
	if err := o.check(); err != nil {
		return &exit.UsageError{Err: err}
	}
	data, err := o.Text, error(nil)
	if data == nil {
		data, err = os.ReadFile(o.Path)
	}
	if err != nil {
		err = fmt.Errorf("cannot read the sweep: %w", err)
		if meant, ok := nearestSweep(o.Path); ok && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: did you mean %s?", err, meant)
		}
		return &exit.UsageError{Err: err}
	}
	plan, err := Parse(data, o.Path, o.Verbs)
	if err != nil {
		return &exit.UsageError{Err: err}
	}
	o.File = cmp.Or(o.File, defaultFile(o, plan.Name))
	if o.Launches > 0 {
		plan.Launches = o.Launches
	}
	if o.Budget > 0 {
		plan.Budget = o.Budget
	}
	if o.Seed > 0 {
		plan.Seed = o.Seed
	}
	r := &runner{Options: o, plan: plan, observer: observer, begin: time.Now()}
	r.id = plan.ID(r.times())
	r.rivals, r.sampled, r.versions, r.prepared = newTally(plan.Launches), newSamplings(), map[string]string{}, map[string]*preparation{}
	if err := r.available(); err != nil {
		return &exit.UsageError{Err: err}
	}
	if err := r.missing(); err != nil {
		return &exit.UsageError{Err: err}
	}
	if err := r.check(ctx); err != nil {
		return err
	}
	if o.DryRun {
		if err := r.resume(); err != nil {
			return err
		}
		return r.dryRun()
	}
	// The file is locked before it is read, so that no other sweep makes the same launches.
	if r.out, err = record.OpenContext(ctx, r.File); err != nil {
		return err
	}
	defer r.out.Close() // rows are written one by one
	for _, w := range r.out.Warnings() {
		r.observer.Warning(w)
	}
	if err := r.resume(); err != nil {
		return err
	}
	if err := r.keepPlan(data); err != nil {
		return err
	}
	err = r.launchAll(ctx)
	return cmp.Or(err, r.cleanUp(ctx))
}

// keepPlan writes the file of the sweep to the file of records, unless that has it.
func (r *runner) keepPlan(text []byte) error {
	if r.state.kept || len(r.left) == 0 {
		return nil
	}
	sum := sha256.Sum256(text)
	return r.out.WritePlan(&record.Plan{
		ID: r.id, Time: r.begin.UTC(), Sweep: r.plan.Name, File: filepath.Base(r.Path), SHA256: hex.EncodeToString(sum[:]), Lines: record.PlanLines(text), Command: r.Command,
	})
}

// nearestSweep returns the sweep file in the directory of path, in configs or in configs/rivals
// whose name is most similar to that of path. It returns false if there is none.
func nearestSweep(path string) (string, bool) {
	files := map[string]string{} // by that name
	for _, dir := range []string{filepath.Dir(path), "configs", filepath.Join("configs", "rivals")} {
		found, _ := filepath.Glob(filepath.Join(dir, "*.toml"))
		for _, file := range found {
			if name := bareName(file); files[name] == "" {
				files[name] = file
			}
		}
	}
	name, ok := nearest.Name(bareName(path), slices.Sorted(maps.Keys(files)))
	return files[name], ok
}

// bareName returns the name of a file without directory and extension.
func bareName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// unsafe matches characters that are replaced in names of files.
var unsafe = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// defaultFile returns the name of the file of records for this sweep, machine and Options.AA.
func defaultFile(o Options, name string) string {
	name = cmp.Or(name, bareName(o.Path))
	file := name + "-" + o.Host
	if o.AA {
		file += "-aa"
	}
	return filepath.Join("results", strings.Trim(unsafe.ReplaceAllString(file, "-"), ".-")+".jsonl")
}

// runner is one run of a sweep.
type runner struct {
	Options
	plan     *Plan
	id       string // of the plan
	observer Observer
	begin    time.Time

	programs  map[string]*program // gobench programs, by name
	estimates map[string]estimate // of launches, by key
	shown     time.Duration       // time left that was reported last, 0 before the first launch
	state     *State              // of the file of records
	seed      int64               // in force
	order     []Launch            // all launches
	left      []Launch            // remaining launches
	out       *record.Writer      // the file of records
	broken    map[string]bool     // commands that failed, by key
	failures  int                 // launches that failed

	// Of foreign programs.
	rivals   *tally
	sampled  *samplings
	versions map[string]string       // by the command that prints them
	prepared map[string]*preparation // by key
	cleanups []func(context.Context) error
	pinned   struct {
		block int
		cores map[int][]int // by number of ranks
	}
	machine *host.Facts
}

// facts returns the facts of this machine for the records of foreign programs.
func (r *runner) facts() host.Facts {
	if r.machine == nil {
		f := host.Collect()
		r.machine = &f
	}
	return *r.machine
}

// times returns the number of launches of a command in a block.
func (r *runner) times() int {
	if r.AA {
		return 2
	}
	return 1
}

// available removes commands whose transport does not work here. It returns an error if the file
// does not allow that, or if no command is left.
func (r *runner) available() error {
	var kept []Command
	warned := map[string]bool{}
	for _, c := range r.plan.Commands {
		var err error
		if r.Available != nil {
			err = r.Available(c)
		}
		switch {
		case err == nil:
			kept = append(kept, c)
		case !r.plan.Skip:
			return &record.FileError{Path: r.Path, Line: c.Line, Err: fmt.Errorf("%w; skip-unavailable = true leaves it out", err)}
		case !warned[err.Error()]:
			warned[err.Error()] = true
			r.observer.Warning(fmt.Sprintf("left out: %v", err))
		}
	}
	if len(kept) == 0 {
		return &record.FileError{Path: r.Path, Err: errors.New("nothing is left to measure: no transport works here")}
	}
	r.plan.Commands = kept
	return nil
}
