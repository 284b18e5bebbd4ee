package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"gobench/bench"
	"gobench/comm/coll"
	"gobench/compare"
	"gobench/device"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/launch/child"
	"gobench/internal/launch/hostlist"
	"gobench/internal/micro"
	"gobench/internal/remedy"
	"gobench/kernels/application"
	"gobench/nearest"
	"gobench/record"
	"gobench/report"
	"gobench/stats"
)

// A measurement is a checked command line: all names in it exist and all options are consistent.
// Prepare completes it.
type measurement struct {
	Command    []string
	Transports []Transport
	Plan       bench.Plan // of each transport, without its level; all measure the same cells
	Ranks      int
	RankKind   string
	PerProcess int    // ranks of each process, which are goroutines of it where there are several
	Pin        string // policy, or a list of cores
	Cores      []int  // of the threads of all ranks, from prepare; nil = not pinned
	Seed       int64
	Launches   int           // minimum number
	Duration   time.Duration // of all launches, 0 = their number counts
	Endless    bool          // launches begin until an interrupt
	Budget     time.Duration // of a cell over all launches; 0 = that of the minimum number of launches
	Precision  float64       // relative half width of intervals at which the command ends; 0 = not asked for
	Label      string
	Tags       map[string]string
	Fault      fault
	limits     []limit                      // under which the command fails
	Coll       coll.Options                 // of level comm
	Warning    error                        // reason why the table, or a part of it, is not used
	pairs      int                          // pairs of cores, each with its own measurement; 0 = one measurement
	Remarks    []string                     // parts of the command line without effect, and what is left out
	set        map[string]map[string]string // options that were set, by transport
	tuned      map[string]map[string]string // options of the table that were not set, by transport
	profile    string                       // value of --profile
	every      bool                         // measure every algorithm that fits, and skip the others
	startup    bool                         // measure the start of ranks only
	Jobs       []application.Job            // nil = the plan is of benchmarks
	Hosts      []hostlist.Host              // hosts of the ranks; nil = this one
	on         Hosts                        // as typed
	Threads    int                          // of each rank, of applications and p2p; 1 otherwise
	Repeat     int                          // runs of an application
	File       string                       // "" = the default of today
	Exports    []report.Export
	Form       report.Form
	View       report.View
	Quiet      bool
	NoRecords  bool
	Verbose    bool
	dryRun     bool
}

// Upper bounds, to catch typing mistakes.
const (
	maxRanks  = 1024
	maxWindow = 1 << 16
)

// check checks a command line. Its errors are usage errors.
func check(o Options) (*measurement, error) {
	l := o.launch()
	r := &measurement{Command: l.Command, Ranks: l.Ranks, RankKind: l.RankKind, PerProcess: l.PerProcess(), Pin: l.Pin, Seed: l.Seed, Threads: 1, File: l.File, Form: l.Form, View: l.View, Quiet: l.Quiet, NoRecords: l.NoRecords, Launches: l.Launches, Duration: l.Duration, Endless: l.Endless, Budget: l.Budget, Label: l.Label, Verbose: l.Verbose, profile: l.Table, dryRun: l.DryRun}
	err := l.On.check(l)
	if err != nil {
		return nil, err
	}
	r.on, r.Hosts = l.On, l.On.found
	if err = r.transports(l, o.levels()); err != nil {
		return nil, err
	}
	r.tuned, r.Warning = tunedSettings(l.Table, r.Transports, r.set)
	if p, p2p := o.(*P2P); l.Pin == Pairs && (!p2p || l.Ranks != 2 || p.Threads > 1) {
		return nil, remedy.Errorf("%v places the two ranks of gobench p2p, of one thread each: choose near, far, none or a list of cores", remedy.Set("pin", Pairs))
	}
	if r.Precision, err = parsePrecision(l.Precision); err != nil {
		return nil, err
	}
	if l.Precision == defaultPrecision && l.Budget == 0 {
		r.Precision = 0 // nobody asked for one
	}
	tags, err := parseNamed("tag", "fabric=roce", l.Tags)
	if err != nil {
		return nil, err
	}
	r.Tags = tags.values
	if r.limits, err = parseLimits(l.FailIf); err != nil {
		return nil, err
	}
	if err := checkRankKind(l); err != nil {
		return nil, err
	}
	if l.Budget < 0 {
		return nil, remedy.Errorf("%v is %v, want a time such as 250ms", remedy.Named("budget"), l.Budget)
	}
	if l.Launches < 1 || l.Launches > maxLaunches {
		return nil, remedy.Errorf("%v is %d, want 1 to %d; an interval needs 6 or more", remedy.Named("launches"), l.Launches, maxLaunches)
	}
	if len(l.Label) > record.MaxName {
		return nil, remedy.Errorf("%v has %d bytes, want at most %d", remedy.Named("label"), len(l.Label), record.MaxName)
	}
	if err := CheckFile(l.File); err != nil {
		return nil, err
	}
	if l.DryRun && l.Form == report.CSV {
		return nil, remedy.Errorf("a plan has no CSV: use %v, or leave out %v", remedy.Named("json"), remedy.Named("csv"))
	}
	for _, path := range l.Exports {
		e := report.Export(path)
		if err := e.Check(r.file()); err != nil {
			return nil, err
		}
		r.Exports = append(r.Exports, e)
	}
	if r.Fault, err = parseFault(l.Fault); err != nil {
		return nil, err
	}
	if launch, _ := child.Replicate(); launch > 0 || r.Fault.String() != "" {
		// A sweep makes further launches itself; a self-test has no result.
		r.Launches, r.Duration, r.Endless = 1, 0, false
		if l.Launches > 1 && l.Launches != DefaultLaunches {
			r.Remarks = append(r.Remarks, fmt.Sprintf("%v is ignored: a self-test is one launch", remedy.Named("launches")))
		}
	}
	if l.Ranks > maxRanks {
		return nil, remedy.Errorf("%v is %d: at most %d ranks are started", remedy.Named("np"), l.Ranks, maxRanks)
	}
	if err := o.plan(r); err != nil {
		return r, err
	}
	return r, r.judgeable()
}

// remarks returns lines about parts of the command line, or of the table in force, that are without
// effect or left out. A launch of a sweep returns no warnings, because the dry run before it has
// had them.
func (r *measurement) remarks() []string {
	if launch, _ := child.Replicate(); launch > 0 && !r.dryRun {
		return nil
	}
	if r.Warning == nil {
		return r.Remarks
	}
	return append([]string{r.Warning.Error()}, r.Remarks...)
}

// checkRankKind checks the kind of ranks, and that their number is a multiple of those of a
// process.
func checkRankKind(l *Launch) error {
	if l.RankKind != fmt.Sprintf("goroutine:%d", l.PerProcess()) {
		return oneOf("kind of ranks", l.RankKind, "process", "goroutine", "goroutine:4")
	}
	if l.Pin == Pairs {
		return remedy.Errorf("%v places two ranks that are processes: leave %v out", remedy.Set("pin", Pairs), remedy.Named("ranks"))
	}
	if l.Ranks%l.PerProcess() > 0 {
		return misfit("%v is %d: %v wants a multiple of %d", remedy.Named("np"), l.Ranks, remedy.Set("ranks", l.RankKind), l.PerProcess())
	}
	return nil
}

// processes returns the number of processes of a launch.
func (r *measurement) processes() int { return r.Ranks / r.PerProcess }

// begin checks the options that p2p and coll share, and starts the plan. It returns the sizes, and
// a case with the options that all cases of the plan share.
func (m *Messages) begin(r *measurement) ([]int, bench.Case, error) {
	sizes, err := bench.ParseSizes(m.Sizes)
	if err != nil {
		return nil, bench.Case{}, err
	}
	if err := oneOf("state of the cache", m.Cache, string(bench.Warm), string(bench.Cold)); err != nil {
		return nil, bench.Case{}, err
	}
	kinds := words(m.Memory)
	for _, kind := range kinds {
		if err := oneOf("memory", kind, string(bench.Heap), string(bench.Device)); err != nil {
			return nil, bench.Case{}, err
		}
	}
	if m.Batch < 0 || m.Batch > maxWindow {
		return nil, bench.Case{}, remedy.Errorf("%v is %d, want 1 to %d events, or 0 for as many as suit the cell", remedy.Named("batch"), m.Batch, maxWindow)
	}
	if m.Iterations < 0 || m.WarmUp < 0 {
		return nil, bench.Case{}, remedy.Errorf("%v and %v are numbers of events: they cannot be negative", remedy.Named("iterations"), remedy.Named("warmup"))
	}
	if m.Precision != defaultPrecision && (r.Budget == 0 || m.Launches < stats.MinLaunches) {
		r.Remarks = append(r.Remarks, fmt.Sprintf("%v adds no launches: that takes %v, and %v of %d or more", remedy.Named("precision"), remedy.Named("budget"), remedy.Named("launches"), stats.MinLaunches))
	}
	r.Plan = bench.Plan{Batch: m.Batch, Stop: bench.Stop{WarmUp: m.WarmUp, MaxSamples: m.Iterations}}
	return sizes, bench.Case{Memory: bench.Memory(kinds[0]), Cache: bench.Cache(m.Cache), Buffers: m.Buffers}, nil
}

// finish adds the cases of further kinds of memory, each beside the same case in the first kind,
// checks the plan as a whole and sets the time of a cell.
func (m *Messages) finish(r *measurement) error {
	if kinds := words(m.Memory); len(kinds) > 1 {
		var all []bench.Case
		for _, c := range r.Plan.Cases {
			for _, kind := range kinds {
				c.Memory = bench.Memory(kind)
				all = append(all, c)
			}
		}
		r.Plan.Cases = all
	}
	for _, c := range r.Plan.Cases {
		if err := r.Fault.reaches(c.Bench); err != nil && !r.every {
			return err
		}
	}
	for _, t := range r.Transports {
		plan := r.Plan
		plan.Level = t.Level
		if err := plan.Check(m.Ranks); err != nil {
			return err
		}
	}
	r.Plan.Stop.Budget = r.cellTime()
	if m.ownSizes() && r.Budget == 0 && m.Iterations == 0 {
		r.Plan.Stop.Longest = longestEvent
	}
	return nil
}

// ownSizes reports whether the user has named no sizes one by one.
func (m *Messages) ownSizes() bool {
	return m.Sizes == bench.DefaultSizes || m.Sizes == defaultCollectiveSizes || m.Sizes == allCollectiveSizes || strings.EqualFold(m.Sizes, bench.EverySize)
}

// Default time of a cell in one launch: wholeTime divided by cells and launches, within
// someCellTime and maxCellTime. A command with few cells has long cells, because launches that
// follow each other within a second see one state of the machine only.
const (
	wholeTime    = 4 * time.Second // of all launches together
	maxCellTime  = 400 * time.Millisecond
	someCellTime = 12 * time.Millisecond
	limitTime    = 10 * time.Second // where the number of iterations is set
	// of a launch of --duration, which has a line: as often as other programs print one
	durationLaunch = time.Second
	longestEvent   = 5 * time.Second // of sizes that nobody asked for, over a slow network
)

// timed reports whether the time counts, and not the number of launches.
func (r *measurement) timed() bool { return r.Duration > 0 || r.Endless }

// cellTime returns the time of a cell in one launch.
func (r *measurement) cellTime() time.Duration {
	cells := max(1, len(r.Plan.Cases)*len(r.Transports))
	switch {
	case r.Budget > 0:
		return max(time.Millisecond, min(r.Budget/time.Duration(r.Launches), max(maxCellTime, r.Budget/DefaultLaunches)))
	case r.Plan.Stop.MaxSamples > 0:
		return limitTime
	}
	whole := wholeTime / DefaultLaunches
	if r.timed() {
		whole = durationLaunch
	}
	return max(someCellTime, min(maxCellTime, whole/time.Duration(cells)))
}

// DefaultLaunches is the default of --launches. If they are spread over some seconds, their
// interval contains the median of the next launches in 92 of 100 cases or more (docs/methods.md).
// An interval of 95 % needs at least six.
const DefaultLaunches = 8

const maxLaunches = 10000

// polls returns how often a computation tests the transfer. It notes that it is without effect if
// no overlap is measured.
func (m *Messages) polls(r *measurement, overlap bool) (int, error) {
	switch {
	case m.Polls < 0 || m.Polls > maxWindow:
		return 0, remedy.Errorf("%v is %d, want 0 to %d", remedy.Named("polls"), m.Polls, maxWindow)
	case m.Polls > 0 && !overlap:
		r.Remarks = append(r.Remarks, fmt.Sprintf("%v is ignored: no benchmark here overlaps with a computation", remedy.Named("polls")))
		return 0, nil
	}
	return m.Polls, nil
}

// plan implements Options.
func (p *P2P) plan(r *measurement) error {
	sizes, c, err := p.begin(r)
	if err != nil {
		return err
	}
	if p.Window < 1 || p.Window > maxWindow {
		return remedy.Errorf("%v is %d, want 1 to %d messages in flight", remedy.Named("window"), p.Window, maxWindow)
	}
	if err := r.setThreads(p.Threads); err != nil {
		return err
	}
	c.Window, c.Threads = p.Window, p.Threads
	list, err := benchmarks(p.Benchmarks)
	if err != nil {
		return err
	}
	polls, err := p.polls(r, slices.ContainsFunc(list, func(b bench.Benchmark) bool { return b.Overlap }))
	if err != nil {
		return err
	}
	if p.Ranks < 1 {
		return remedy.Errorf("%v is %d: %s needs at least 2 ranks, use %v", remedy.Named("np"), p.Ranks, list[0].Name, remedy.Set("np", "2"))
	}
	if p.Window != bench.DefaultWindow && !slices.ContainsFunc(list, func(b bench.Benchmark) bool { return b.Window }) {
		r.Remarks = append(r.Remarks, fmt.Sprintf("%v is ignored: %s has one message in flight", remedy.Named("window"), list[0].Name))
	}
	epochs := collect.Union(nil, words(p.Epoch)...)
	for _, epoch := range epochs {
		if err := oneOf("epoch", epoch, bench.Epochs()...); err != nil {
			return err
		}
	}
	if p.Epoch != string(bench.EpochFlush) && !slices.ContainsFunc(list, func(b bench.Benchmark) bool { return b.Windows }) {
		r.Remarks = append(r.Remarks, fmt.Sprintf("%v is ignored: %s has no one-sided operations of communicators", remedy.Named("epoch"), list[0].Name))
	}
	all := slices.Contains(words(strings.ToLower(p.Benchmarks)), every)
	var out omissions
	for _, b := range list {
		if err := r.offers(b); err != nil && all {
			reason := "they put and get at level raw, over a transport such as ibv"
			if b.Turns != nil && r.Threads <= 1 {
				reason = "they are for several threads of a rank"
			} else if r.Threads > 1 && !b.Threads {
				reason = "they are for one thread of a rank"
			} else if b.Communicator {
				reason = "they are operations of communicators, at level comm"
			} else if b.Lengths {
				reason = "their messages have different lengths, at levels comm, device and socket"
			} else if b.Queues {
				reason = "they match messages, at levels device and comm"
			}
			out.add(every, b.Name, reason)
			continue
		} else if err != nil {
			return err
		}
		own := sizes
		if b.Only > 0 {
			if !slices.Contains(sizes, b.Only) {
				r.Remarks = append(r.Remarks, fmt.Sprintf("%v is ignored for %s: it is for %d bytes alone", remedy.Named("sizes"), b.Name, b.Only))
			}
			own = []int{b.Only}
		}
		for _, size := range own {
			if b.OneSided && size == 0 {
				if !p.ownSizes() {
					out.add(b.Name, human.Size(0), "puts and gets move 1 byte or more")
				}
				continue
			}
			c.Bench, c.Size, c.Polls = b, size, 0
			if b.Overlap {
				c.Polls = polls
			}
			if c.Epoch = ""; !b.Windows {
				r.Plan.Cases = append(r.Plan.Cases, c)
				continue
			}
			for _, epoch := range epochs {
				c.Epoch = bench.Epoch(epoch)
				r.Plan.Cases = append(r.Plan.Cases, c)
			}
		}
	}
	if len(r.Plan.Cases) == 0 {
		return misfit("%v leaves nothing to measure: %s", remedy.Set("sizes", p.Sizes), strings.Join(out.remarks(), "; "))
	}
	r.Remarks = append(r.Remarks, out.remarks()...)
	return p.finish(r)
}

// offers returns an error if a benchmark needs transports that put and get at level raw, levels
// that match messages or communicators, or one thread, and the measurement has others.
func (r *measurement) offers(b bench.Benchmark) error {
	for _, t := range r.Transports {
		c := bench.Case{Bench: b, Threads: r.Threads}
		if err := cmp.Or(c.CheckThreads(t.Level), b.CheckLevel(t.Level)); err != nil {
			return err
		}
		if _, ok := t.Driver.(device.RawLinker); b.OneSided && !ok {
			return misfit("benchmark %s needs a transport that puts and gets at level raw, such as ibv: %s does not", b.Name, t.Driver.Name())
		}
	}
	return nil
}

// CheckBenchmarks returns an error if a list of benchmarks has an unknown name.
func CheckBenchmarks(list string) error {
	_, err := benchmarks(list)
	return err
}

// benchmarks reads a list of benchmarks. Every word must be a name, also next to "all".
func benchmarks(list string) ([]bench.Benchmark, error) {
	var chosen []bench.Benchmark
	all := false
	for _, name := range words(list) {
		if strings.EqualFold(name, every) {
			all = true
			continue
		}
		b, err := micro.Lookup(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(chosen, func(c bench.Benchmark) bool { return c.Name == b.Name }) {
			chosen = append(chosen, b)
		}
	}
	if all {
		return micro.All(), nil
	}
	return chosen, nil
}

// words splits a list at commas. An empty list gives one empty word, which is not a valid name.
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
	return &nearest.UnknownError{What: what, Name: value, Known: known}
}

// parsePrecision reads a relative half width: 2% or 0.02. A number of 1 or more is in percent.
func parsePrecision(s string) (float64, error) {
	v, err := compare.ParseShare(remedy.Named("precision").String(), s)
	if err == nil && v >= 1 && !strings.HasSuffix(strings.TrimSpace(s), "%") {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return 0, remedy.Errorf("%v is %q, want a share of the median above 0 and below 100%%, such as 2%% or 0.02", remedy.Named("precision"), s)
	}
	return v, nil
}
