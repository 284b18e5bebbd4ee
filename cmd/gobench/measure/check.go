package measure

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/bench"
	"gobench/comm/coll"
	"gobench/device"
	"gobench/internal/nearest"
	"gobench/launch"
	"gobench/launch/child"
	"gobench/micro"
	"gobench/report"
)

// Request is a command line that was checked: everything it names exists and
// fits together. Prepare completes it.
type Request struct {
	Command    []string
	Transports []Transport
	Plan       bench.Plan // of one transport; all measure the same cells
	Ranks      int
	RankKind   string
	Pin        string // policy, or a list of cores
	Cores      []int  // of each rank, from Prepare; nil = not pinned
	Seed       int64
	Launches   int           // at least
	Budget     time.Duration // of a cell in all launches; 0 = that of the least number of launches
	Precision  float64       // relative half width of the interval between launches that ends the command
	Label      string
	Tags       map[string]string
	Fault      fault
	limits     []limit                      // under which the command fails
	Coll       coll.Options                 // of level comm
	Warning    error                        // why the table of collectives that was asked for is not in force
	pairs      int                          // of cores, each with a request of its own; 0 = one request
	Notes      []string                     // what of the command line has no effect
	set        map[string]map[string]string // options that were set, by transport
	every      bool                         // every algorithm that fits is measured, and no other is an error
	Cells      []Cell                       // of applications; nil = the plan is of benchmarks
	Hosts      []launch.Host                // that run the ranks; nil = this one
	on         Hosts                        // as typed
	Threads    int                          // of each rank, of applications; 1 otherwise
	Repeat     int                          // runs of an application
	File       string                       // "" = the default of today
	Exports    []report.Export
	Form       report.Form
}

// Transport is a driver with its options.
type Transport struct {
	Driver  device.Driver
	Options device.Options
}

// What nobody asks for on purpose.
const (
	maxRanks  = 1024
	maxWindow = 1 << 16
)

// Check reads a. Its errors are mistakes of the person who typed it.
func Check(a Asked) (*Request, error) {
	r := &Request{Command: a.Command, Ranks: a.Ranks, RankKind: a.RankKind, Pin: a.Pin, Seed: a.Seed, Threads: 1, File: a.File, Form: a.Form, Launches: a.Launches, Budget: a.Budget, Label: a.Label}
	var err error
	if r.Transports, r.set, err = transports(a); err != nil {
		return nil, err
	}
	r.on = a.On
	if r.Hosts, err = a.On.check(a); err != nil {
		return nil, err
	}
	if err := checkPairs(a); err != nil {
		return nil, err
	}
	sizes, err := bench.ParseSizes(a.Sizes)
	if err != nil {
		return nil, err
	}
	if r.Precision, err = parsePrecision(a.Precision); err != nil {
		return nil, err
	}
	if r.Tags, err = parseTags(a.Tags); err != nil {
		return nil, err
	}
	if r.limits, err = parseLimits(a.FailIf); err != nil {
		return nil, err
	}
	if err := oneOf("kind of ranks", a.RankKind, "process", "goroutine"); err != nil {
		return nil, err
	}
	if err := oneOf("state of the cache", a.Cache, string(bench.Warm), string(bench.Cold)); err != nil {
		return nil, err
	}
	if err := oneOf("memory", a.Memory, string(bench.Heap), string(bench.Device)); err != nil {
		return nil, err
	}
	if a.Window < 1 || a.Window > maxWindow {
		return nil, fmt.Errorf("--window is %d, want 1 to %d messages in flight", a.Window, maxWindow)
	}
	if a.Budget < 0 {
		return nil, fmt.Errorf("--budget is %v, want a time such as 250ms", a.Budget)
	}
	if a.Launches < 1 || a.Launches > maxLaunches {
		return nil, fmt.Errorf("--launches is %d, want 1 to %d; an interval needs 6 or more", a.Launches, maxLaunches)
	}
	if a.Batch < 0 || a.Batch > maxWindow {
		return nil, fmt.Errorf("--batch is %d, want 1 to %d events, or 0 for as many as go with the cell", a.Batch, maxWindow)
	}
	if a.Iterations < 0 || a.WarmUp < 0 {
		return nil, errors.New("--iterations and --warmup are numbers of events: they cannot be negative")
	}
	if a.File == "-" {
		return nil, errors.New("-o - would be a file named -: use --json for records on standard output")
	}
	for _, path := range a.Exports {
		e := report.Export(path)
		if err := e.Check(r.file()); err != nil {
			return nil, err
		}
		r.Exports = append(r.Exports, e)
	}
	if r.Fault, err = parseFault(a.Fault); err != nil {
		return nil, err
	}
	if launch, _ := child.Replicate(); launch > 0 || r.Fault.String() != "" {
		r.Launches = 1 // the sweep makes the others; a self-test is no result
	}
	if a.Ranks > maxRanks {
		return nil, fmt.Errorf("-n is %d: at most %d ranks are started", a.Ranks, maxRanks)
	}
	switch {
	case a.Kernels != nil:
		return r, r.kernels(a)
	case a.FDTD != nil:
		return r, r.fdtd(a)
	}
	r.Plan = bench.Plan{Level: a.Level, Batch: a.Batch, Stop: bench.Stop{WarmUp: a.WarmUp, MaxSamples: a.Iterations}}
	cell := bench.Case{Window: a.Window, Memory: bench.Memory(a.Memory), Cache: bench.Cache(a.Cache)}
	if a.Operations == "" {
		err = r.messages(a, cell, sizes)
	} else {
		err = r.collectives(a, cell, sizes)
	}
	if err != nil {
		return nil, err
	}
	if err := r.Plan.Check(a.Ranks); err != nil {
		return nil, err
	}
	r.Plan.Stop.Budget = r.cellTime()
	return r, nil
}

// How long a cell is timed in one launch where nobody says. A command with few cells takes its time
// for them: launches that follow each other within a second see one state of the machine.
const (
	wholeTime    = 4 * time.Second // of all launches together
	mostCellTime = 400 * time.Millisecond
	someCellTime = 12 * time.Millisecond
	limitTime    = 10 * time.Second // where a number of iterations was asked for
)

// cellTime is the time of a cell in one launch.
func (r *Request) cellTime() time.Duration {
	cells := max(1, len(r.Plan.Cases)*len(r.Transports))
	switch {
	case r.Budget > 0:
		return max(time.Millisecond, min(r.Budget/time.Duration(r.Launches), max(mostCellTime, r.Budget/DefaultLaunches)))
	case r.Plan.Stop.MaxSamples > 0:
		return limitTime
	}
	return max(someCellTime, min(mostCellTime, wholeTime/time.Duration(cells*DefaultLaunches)))
}

// DefaultLaunches is the number of launches of a command: so many, spread over some seconds, hold
// the median of the next in 92 of 100 cases and more (docs/methods.md), and six at least are needed
// for an interval of 95 %.
const DefaultLaunches = 8

const maxLaunches = 10000

// parseTags reads NAME=VALUE pairs.
func parseTags(typed []string) (map[string]string, error) {
	var tags map[string]string
	for _, t := range typed {
		name, value, ok := strings.Cut(t, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, fmt.Errorf("--tag is %q, want NAME=VALUE, such as fabric=roce", t)
		}
		if old, twice := tags[name]; twice && old != value {
			return nil, fmt.Errorf("--tag gives %s two values, %s and %s: choose one", name, old, value)
		}
		if tags == nil {
			tags = map[string]string{}
		}
		tags[name] = strings.TrimSpace(value)
	}
	return tags, nil
}

// messages plans point-to-point benchmarks.
func (r *Request) messages(a Asked, cell bench.Case, sizes []int) error {
	list, err := benchmarks(a.Benchmarks)
	if err != nil {
		return err
	}
	if a.Ranks < 1 {
		return fmt.Errorf("-n is %d: %s needs at least 2 ranks, use -n 2", a.Ranks, list[0].Name)
	}
	if a.Window != bench.DefaultWindow && !slices.ContainsFunc(list, func(b bench.Benchmark) bool { return b.Window }) {
		r.Notes = append(r.Notes, fmt.Sprintf("--window is ignored: %s has one message in flight", list[0].Name))
	}
	for _, b := range list {
		for _, t := range r.Transports {
			if _, ok := t.Driver.(device.RawLinker); b.OneSided && a.Level == "raw" && !ok {
				return fmt.Errorf("benchmark %s needs a transport that puts and gets at level raw, such as ibv: %s does not", b.Name, t.Driver.Name())
			}
		}
		for _, size := range sizes {
			if b.OneSided && size == 0 {
				continue
			}
			cell.Bench, cell.Size = b, size
			r.Plan.Cases = append(r.Plan.Cases, cell)
		}
	}
	return nil
}

// levels that can be measured.
var levels = []string{"comm", "device", "raw"}

func transports(a Asked) ([]Transport, map[string]map[string]string, error) {
	if err := oneOf("level", a.Level, levels...); err != nil {
		return nil, nil, err
	}
	set, err := parseSettings(a.Options)
	if err != nil {
		return nil, nil, err
	}
	var list []Transport
	var names, declared []string
	chosen := map[string]map[string]string{}
	for _, name := range words(a.Transports) {
		if slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		d, err := device.Lookup(name)
		if err != nil {
			return nil, nil, unknownTransport(name)
		}
		if _, ok := d.(device.RawOpener); a.Level == "raw" && !ok {
			return nil, nil, fmt.Errorf("transport %s has no level raw: use --level=device", name)
		}
		opts, known, err := settingsFor(d, set)
		if err != nil {
			return nil, nil, fmt.Errorf("transport %s: %w", name, err)
		}
		declared = append(declared, known...)
		chosen[name] = set.of(known)
		list = append(list, Transport{d, opts})
	}
	for _, name := range set.names {
		if !slices.Contains(declared, name) {
			if owner := declarer(name); owner != "" {
				return nil, nil, fmt.Errorf("option %s is one of %s: add --transport=%s, or leave it out", name, owner, owner)
			}
			slices.Sort(declared)
			return nil, nil, &nearest.UnknownError{What: "option", Name: name, Known: slices.Compact(declared), List: "options of " + strings.Join(names, " and "), Where: "gobench probe lists the options"}
		}
	}
	return list, chosen, nil
}

// declarer is a transport that has an option, "" where none has.
func declarer(option string) string {
	for _, d := range device.Drivers() {
		if slices.ContainsFunc(d.Options(), func(o device.Option) bool { return o.Name == option }) {
			return d.Name()
		}
	}
	return ""
}

// unknownTransport suggests any transport, and lists those that work on this machine.
func unknownTransport(name string) error {
	e := &nearest.UnknownError{What: "transport", Name: name, Shown: []string{}, List: "available here"}
	for _, d := range device.Drivers() {
		e.Known = append(e.Known, d.Name())
		if d.Probe() == nil {
			e.Shown = append(e.Shown, d.Name())
		}
	}
	return e
}

func benchmarks(list string) ([]bench.Benchmark, error) {
	var chosen []bench.Benchmark
	for _, name := range words(list) {
		b, err := micro.Lookup(name)
		if err != nil {
			return nil, suggest(err, "known")
		}
		if !slices.ContainsFunc(chosen, func(c bench.Benchmark) bool { return c.Name == b.Name }) {
			chosen = append(chosen, b)
		}
	}
	return chosen, nil
}

// words splits a list at its commas. An empty list has one empty word, which
// nothing is called.
func words(list string) []string {
	parts := strings.Split(list, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

func oneOf(what, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return &nearest.UnknownError{What: what, Name: value, Known: known, List: "known"}
}

// parsePrecision reads a relative half width: 2% or 0.02.
func parsePrecision(s string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return 0, fmt.Errorf("--precision is %q, want a share of the median above 0 and below 100%%, such as 2%% or 0.02", s)
	}
	return v, nil
}
