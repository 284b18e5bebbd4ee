package measure

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gobench/bench"
	"gobench/comm/coll"
	"gobench/device"
	"gobench/internal/nearest"
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
	Fault      fault
	Coll       coll.Options                 // of level comm
	Warning    error                        // why the table of collectives that was asked for is not in force
	set        map[string]map[string]string // options that were set, by transport
	every      bool                         // every algorithm that fits is measured, and no other is an error
	Cells      []Cell                       // of applications; nil = the plan is of benchmarks
	Threads    int                          // of each rank, of applications; 1 otherwise
	Repeat     int                          // runs of an application
	File       string                       // "" = the default of today
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
	r := &Request{Command: a.Command, Ranks: a.Ranks, RankKind: a.RankKind, Pin: a.Pin, Seed: a.Seed, Threads: 1, File: a.File, Form: a.Form}
	var err error
	if r.Transports, r.set, err = transports(a); err != nil {
		return nil, err
	}
	sizes, err := bench.ParseSizes(a.Sizes)
	if err != nil {
		return nil, err
	}
	precision, err := parsePrecision(a.Precision)
	if err != nil {
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
	if a.Budget <= 0 {
		return nil, fmt.Errorf("--budget is %v, want a time such as 250ms", a.Budget)
	}
	if a.File == "-" {
		return nil, errors.New("-o - would be a file named -: use --json for records on standard output")
	}
	if r.Fault, err = parseFault(a.Fault); err != nil {
		return nil, err
	}
	if a.Ranks > maxRanks {
		return nil, fmt.Errorf("-n is %d: at most %d ranks are started on one machine", a.Ranks, maxRanks)
	}
	switch {
	case a.Kernels != nil:
		return r, r.kernels(a)
	case a.FDTD != nil:
		return r, r.fdtd(a)
	}
	r.Plan = bench.Plan{Level: a.Level, LocalRanks: a.Ranks, Stop: bench.Stop{Precision: precision, Budget: a.Budget}}
	cell := bench.Cell{Window: a.Window, Memory: bench.Memory(a.Memory), Cache: bench.Cache(a.Cache)}
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
	return r, nil
}

// messages plans point-to-point benchmarks.
func (r *Request) messages(a Asked, cell bench.Cell, sizes []int) error {
	list, err := benchmarks(a.Benchmarks)
	if err != nil {
		return err
	}
	if a.Ranks < 1 {
		return fmt.Errorf("-n is %d: %s needs at least 2 ranks, use -n 2", a.Ranks, list[0].Name)
	}
	for i, b := range list {
		for _, size := range ordered(sizes, a.Seed, i) {
			if b.Links && size == 0 {
				continue
			}
			cell.Bench, cell.Size = b, size
			r.Plan.Cells = append(r.Plan.Cells, cell)
		}
	}
	return nil
}

// ordered returns sizes as they are, or in a random order where a seed was
// given: another one for each benchmark, the same on every rank.
func ordered(sizes []int, seed int64, benchmark int) []int {
	if seed == 0 {
		return sizes
	}
	mixed := slices.Clone(sizes)
	random := rand.New(rand.NewPCG(uint64(seed), uint64(benchmark)))
	random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	return mixed
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
			slices.Sort(declared)
			return nil, nil, &nearest.UnknownError{What: "option", Name: name, Known: slices.Compact(declared), List: "options of " + strings.Join(names, " and "), Where: "gobench probe lists the options"}
		}
	}
	return list, chosen, nil
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
