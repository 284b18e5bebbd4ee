package sweep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"gobench/importer"
	"gobench/internal/collect"
	"gobench/internal/launch/child"
	"gobench/internal/launch/host"
	"gobench/internal/terminal"
	"gobench/record"
)

// maxRetries bounds how often a failed run of a foreign program is repeated in one block.
const maxRetries = 2

// A tally counts the failures of foreign programs, so that a single failure on a busy machine does
// not end the sweep. A failed run is repeated. If the repetitions fail as well, the program is left
// out of the block. If it never worked, or failed in more than a third of the blocks, it is left
// out from then on.
type tally struct {
	blocks  int
	again   map[string]int  // number of repeated runs, by name
	failed  map[string]int  // number of blocks with a failure, by key
	worked  map[string]bool // by key
	reasons []string        // a sentence for each program that is left out
	skipped map[string]bool // keys of programs that are left out
}

func newTally(blocks int) *tally {
	return &tally{blocks, map[string]int{}, map[string]int{}, map[string]bool{}, nil, map[string]bool{}}
}

// leaveOut leaves out a program from now on, and returns a sentence about it.
func (t *tally) leaveOut(key, name string, why error) string {
	t.skipped[key] = true
	text := fmt.Sprintf("%s is left out: %v", name, why)
	t.reasons = append(t.reasons, text)
	return text
}

// fail records that a program failed in a block, and returns a sentence about it.
func (t *tally) fail(key, name string, why error) string {
	t.failed[key]++
	if !t.worked[key] || 3*t.failed[key] > t.blocks {
		return t.leaveOut(key, name, why)
	}
	return fmt.Sprintf("%s is left out of this block: %v", name, why)
}

// lacks leaves out a command because of an executable that it needs. It returns an error if the
// file does not allow that.
func (r *runner) lacks(l Launch, executable string, why error) error {
	name := l.Command.Name()
	if f, err := foreignOf(l.Command); err == nil && l.Command.isForeign() {
		name = f.String()
	}
	if file, ok := errors.AsType[*fs.PathError](why); ok {
		why = file.Err // the sentence names the file
	}
	if executable == name {
		why = fmt.Errorf("it cannot be run: %w", why)
	} else {
		why = fmt.Errorf("it needs %s: %w", executable, why)
	}
	if !r.plan.Skip {
		err := fmt.Errorf("%s: %w", name, why)
		if r.Text == nil { // the user can change the file
			err = fmt.Errorf("%w; skip-unavailable = true leaves it out", err)
		}
		return &record.FileError{Path: r.Path, Line: l.Command.Line, Err: err}
	}
	r.observer.Warning(r.rivals.leaveOut(l.Key(), name, why))
	return nil
}

// launchForeign makes one launch of a foreign program, and repeats it if it fails. Failures of the
// program are counted; the error comes from the records or from ctx.
func (r *runner) launchForeign(ctx context.Context, l Launch) error {
	f, err := foreignOf(l.Command)
	if err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		begin := time.Now()
		why, err := r.runForeign(ctx, l, f)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if why == nil {
			r.rivals.worked[l.Key()] = true
			return nil
		}
		if err := r.failed(ctx, l, attempt+1, begin, f.String(), why.Error()); err != nil {
			return err
		}
		if attempt == maxRetries {
			r.observer.Warning(r.rivals.fail(l.Key(), f.String(), why))
			return nil
		}
		r.rivals.again[f.String()]++
		r.observer.Warning(fmt.Sprintf("%v: %v; run again", f, why))
	}
}

// runForeign runs a foreign program once between two calibrations of its cores, and appends its
// records to the file. why is the failure of the program.
func (r *runner) runForeign(ctx context.Context, l Launch, f *foreign) (why, err error) {
	p, err := r.preparation(l.Key())
	if err != nil {
		return nil, err
	}
	// What an attempt leaves, such as the counters of ranks that were killed, is no other's.
	dir, err := os.MkdirTemp("", "gobench-program")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cores := r.coresOf(l.Block, f.ranks)
	values := map[string]string{
		"np": strconv.Itoa(f.ranks), "cores": host.ListCores(cores), "dir": dir, "setup_dir": p.dir, "port": freePort(),
		"bench": strings.Join(f.bench, ","), "transport": f.transport, "library": f.library,
	}
	for i, core := range cores {
		values["core"+strconv.Itoa(i)] = strconv.Itoa(core)
	}
	sizes := collect.Each(f.sizes, func(n int64) string { return strconv.FormatInt(n, 10) })
	values["sizes"] = strings.Join(sizes, ",")
	plan, first := r.sampled.plan(f)
	values["plan"], values["samples"], values["batch"] = plan, strconv.Itoa(first.samples), strconv.Itoa(first.batch)
	env := []string{"GOBENCH_CORES=" + values["cores"], "GOBENCH_DIR=" + dir, "GOBENCH_SETUP_DIR=" + p.dir}
	env = append(env, collect.Each(f.env, func(word string) string { return f.expand(word, values) })...)

	if why := r.ready(ctx, p, f, cores, env, values); why != nil {
		return why, nil
	}
	before := calibrate(cores)
	begin := time.Now()
	used := child.Child{Usage: &child.Usage{}}
	if l.Command.Peak {
		used.Memory = &child.Peak{}
	}
	log, took, why := f.run(ctx, cores, env, values, used)
	if why != nil {
		return why, nil
	}
	after := calibrate(cores)
	words := strings.Fields(f.expand(f.command, values))
	given := importer.Given{
		Library: f.library, Transport: f.transport, Format: f.format, Ranks: f.ranks, Time: begin.UTC(),
		Numbers: f.numbers, Command: strings.Join(words, " "), Ran: true, Strict: true,
	}
	if len(f.bench) == 1 {
		given.Bench = f.bench[0]
	}
	if len(f.sizes) == 1 {
		given.Size = f.sizes[0]
	}
	name := terminal.Plain(filepath.Base(words[0]))
	var run record.Run
	var points []record.Point
	if f.format == wallTime {
		run, points = f.timed(begin, took, used.Usage)
	} else {
		launches, why := importer.Import(name, log, given)
		if why != nil {
			return why, nil
		}
		joined := importer.Join(launches)
		run, points = joined.Run, joined.Points
	}
	run.ID, run.Series, run.Command, run.Seed = record.NewID(begin), "", words, r.seed
	run.Program = map[string]any{"name": name, "version": r.version(ctx, f, env)}
	run.Hosts = []any{r.facts()}
	shared := record.LaunchFacts{Launch: l.Number, Block: l.Block, Seed: r.seed}
	for i := range points {
		describe(&points[i], run.ID, cores, before, after)
		shared.Complete(&points[i])
	}
	rows := &record.File{Runs: []record.Run{run}, Points: points}
	if err := r.out.WriteAll(&run, points); err != nil {
		return nil, r.unwritten(rows, err)
	}
	r.state.Took(l, took)
	var memory int64
	if used.Memory != nil {
		memory = used.Memory.Bytes
	}
	if err := r.out.WriteLaunch(&record.Launch{
		Run: run.ID, Time: begin.UTC(), Sweep: r.plan.Name, Plan: r.id, Command: l.Command.Words(), Version: r.version(ctx, f, env), Host: r.Host,
		Launch: l.Number, Block: l.Block, Seed: r.seed, Points: len(points), Duration: took, Memory: memory,
	}); err != nil {
		return nil, r.unwritten(rows, err)
	}
	return nil, r.observer.Records(rows)
}

// commandBench is the benchmark of a command of which only the wall time is recorded.
const commandBench = "command"

// shell runs the command line of a key by a shell, if there is one.
func (f *foreign) shell(ctx context.Context, key, line string, env []string) error {
	if line == "" {
		return nil
	}
	if err := f.start(ctx, []string{"sh", "-c", line}, child.Child{Env: env}, []int{0}); err != nil {
		return fmt.Errorf("%s %q: %w", key, line, err)
	}
	return nil
}

// timed returns the records of a command of which the wall time is recorded, in seconds, and the
// processor time and the memory that it used.
func (f *foreign) timed(begin time.Time, took float64, used *child.Usage) (record.Run, []record.Point) {
	p := record.Point{
		Time: begin.UTC(), Bench: commandBench, Library: f.library, Transport: cmp.Or(f.transport, "none"), Level: "comm", Ranks: f.ranks, RankKind: "process",
		Iterations: 1, Duration: took, Method: "wall time of the whole command, its start included",
		Metrics: record.ValuesOf(map[string]record.Value{"run_s": {Median: took, N: 1}}),
	}
	for key, x := range map[string]float64{
		"user_s": used.User.Seconds(), "system_s": used.System.Seconds(), "peak_memory_B": float64(used.Memory),
	} {
		if x > 0 {
			p.Metrics.Set(key, record.Value{Median: x, N: 1})
		}
	}
	if len(f.bench) == 1 {
		p.Bench = f.bench[0]
	}
	return record.Run{Time: begin.UTC(), Job: record.Job{Launcher: "imported", Ranks: f.ranks}}, []record.Point{p}
}

// run runs the program, after its server if it has one. It returns the output to import, and the
// wall time in seconds. used receives what the program uses.
func (f *foreign) run(ctx context.Context, cores []int, env []string, values map[string]string, used child.Child) (log []byte, took float64, err error) {
	if err := f.shell(ctx, "prepare", f.prepare, env); err != nil {
		return nil, 0, err
	}
	path := f.expand(f.log, values)
	var stale unix.Stat_t // of the log of another run, if there is one
	if f.log != "" && (filepath.Dir(path) != values["dir"] || os.Remove(path) != nil) {
		unix.Stat(path, &stale)
	}
	begin := time.Now()
	limited, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel()
	var served, out capped
	own := cores
	rest := func() {}
	if f.server != "" {
		var theirs []int
		if len(cores) == 2 {
			own, theirs = cores[:1], cores[1:]
		}
		ended := make(chan error, 1)
		serving, stop := context.WithCancel(limited)
		server := child.Child{Cores: theirs, Env: env, Stdout: &served}
		go func() { ended <- f.start(serving, strings.Fields(f.expand(f.server, values)), server, []int{0}) }()
		rest = sync.OnceFunc(func() { // waits until the server ends, or stops it
			select {
			case <-ended:
			case <-time.After(serverRest):
				stop()
				<-ended
			}
			stop()
		})
		defer rest()
		if err := awaitListener(limited, values["port"], ended); err != nil {
			stop()
			return nil, 0, err
		}
	}
	used.Cores, used.Env, used.Stdout = own, env, &out
	if err := f.start(limited, strings.Fields(f.expand(f.command, values)), used, f.success); err != nil {
		return nil, 0, err
	}
	took = time.Since(begin).Seconds()
	rest() // the output of the server is complete
	log = out.Bytes()
	if f.server != "" && importer.ReadsServer(f.format) {
		log = append(served.Bytes(), log...)
	}
	if f.log != "" {
		text, err := os.ReadFile(path)
		var now unix.Stat_t
		if unix.Stat(path, &now); err == nil && now.Ino == stale.Ino && now.Dev == stale.Dev && now.Ctim == stale.Ctim {
			err = fmt.Errorf("%s is that of another run", path)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("it did not write its log: %w", err)
		}
		log = text
	}
	switch {
	case out.cut:
		return nil, 0, fmt.Errorf("it printed more than %d MiB", maxOutput>>20)
	case len(bytes.TrimSpace(log)) == 0 && f.format != wallTime:
		return nil, 0, fmt.Errorf("it printed nothing to import; importer = %q records its wall time", wallTime)
	}
	return log, took, nil
}

// serverRest is the time that a server has to exit after its client.
const serverRest = 2 * time.Second

// start runs one program to its end, as c says. The error describes its failure: an exit code that
// is not in success, a signal, or the limit.
func (f *foreign) start(ctx context.Context, words []string, c child.Child, success []int) error {
	path, err := exec.LookPath(words[0])
	if err != nil {
		return err
	}
	var said capped
	c.Program, c.Args, c.Stderr, c.Foreign = path, words[1:], &said, true
	err = c.Run(ctx)
	code := 0
	failed, ok := errors.AsType[*child.ExitError](err)
	if ok {
		code = failed.Code
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("it did not end within %v%s", f.limit, lastWords(said.String()))
	case err != nil && !ok:
		return err
	case slices.Contains(success, code):
		return nil
	case code < 0:
		return fmt.Errorf("a signal ended it%s", lastWords(said.String()))
	}
	return fmt.Errorf("it ended with exit code %d%s", code, lastWords(said.String()))
}

// maxOutput bounds the output of a foreign program in bytes.
const maxOutput = 64 << 20

// capped is a buffer of at most maxOutput bytes. cut reports that more was written.
type capped struct {
	bytes.Buffer
	cut bool
}

func (c *capped) Write(b []byte) (int, error) {
	if c.Len()+len(b) > maxOutput {
		c.cut = true
		return len(b), nil
	}
	return c.Buffer.Write(b)
}

// lastWords returns the first and the last line of a program's error output: the first is usually
// its own message, the last that of a launcher.
func lastWords(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.Trim(terminal.Plain(strings.TrimSpace(line)), "-= \uFFFD"); line != "" {
			lines = append(lines, line)
		}
	}
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return ": " + lines[0]
	}
	return ": " + lines[0] + " ... " + lines[len(lines)-1]
}

// freePort returns a TCP port of this host that is currently unused.
func freePort() string {
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		return "0"
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// awaitListener waits until a process listens on a port of this host. It returns an error if the
// server ends or ctx ends before.
func awaitListener(ctx context.Context, port string, ended chan error) error {
	number, _ := strconv.Atoi(port)
	for {
		if listens(number) {
			return nil
		}
		select {
		case err := <-ended:
			ended <- err // for the goroutine that waits for the server
			if err == nil {
				err = errors.New("it printed no error")
			}
			return fmt.Errorf("its server ended before it listened on port %s: %w", port, err)
		case <-ctx.Done():
			return fmt.Errorf("its server did not listen on port %s in time", port)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// listens reports whether a TCP socket of this host is in state LISTEN (0A) on a port.
func listens(port int) bool {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) > 3 && f[3] == "0A" && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
				return true
			}
		}
	}
	return false
}

// version returns the first line that the command of the key version prints, "" if there is none.
func (r *runner) version(ctx context.Context, f *foreign, env []string) string {
	if f.version == "" {
		return ""
	}
	if known, ok := r.versions[f.version]; ok {
		return known
	}
	var out capped
	limited, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel()
	text := ""
	if f.start(limited, strings.Fields(f.version), child.Child{Env: env, Stdout: &out}, []int{0}) == nil {
		line, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
		text = terminal.Plain(line)
	}
	r.versions[f.version] = text
	return text
}

// tell reports at the end which foreign programs failed. It returns the number of programs that
// were left out, 0 if the file allows that.
func (r *runner) tell() int {
	for _, why := range r.rivals.reasons {
		r.observer.Line("left out", strings.Replace(why, " is left out: ", ": ", 1))
	}
	var again []string
	for _, name := range slices.Sorted(maps.Keys(r.rivals.again)) {
		again = append(again, fmt.Sprintf("%s %d", name, r.rivals.again[name]))
	}
	if len(again) > 0 {
		r.observer.Line("again", "failed runs that were repeated: "+strings.Join(again, ", "))
	}
	if r.plan.Skip {
		return 0
	}
	return len(r.rivals.skipped)
}
