// Package experiment measures benchmarks, collectives and applications in several launches, with
// the interval between them. It checks all options before it starts anything, starts the ranks of
// each launch, runs each rank, and writes records. The verbs of gobench that measure call it, and
// so can any Go program:
//
//	options := experiment.NewP2P()
//	options.Transports, options.Sizes = "smem", "8,64K"
//	result, err := experiment.Run(ctx, options)
//
// The program in directory example is complete. Options have the values of the flags, as typed:
// "8,64K" for --sizes.
package experiment

import (
	"strconv"
	"strings"
	"time"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/launch/host"
	"gobench/internal/launch/hostlist"
	"gobench/internal/micro"
	"gobench/internal/micro/collective"
	"gobench/kernels/application"
	"gobench/launch/rendezvous"
	"gobench/report"
)

// Launch holds the options of every verb that starts ranks, as typed.
type Launch struct {
	Command    []string // the whole command line, for the record
	Transports string   // names, separated by commas
	Ranks      int
	RankKind   string // "process", "goroutine" or "goroutine:N"
	On         Hosts  // hosts of the ranks
	Pin        string // near, far, nic, rails, none, pairs or a list of cores
	Options    []string
	Launches   int           // minimum number
	Budget     time.Duration // of a cell in all launches, 0 = automatic
	Duration   time.Duration // launches begin until it has passed, 0 = Launches of them
	Endless    bool          // launches begin until an interrupt
	Precision  string        // "2%" or "0.02", between launches
	Label      string
	Tags       []string // NAME=VALUE
	FailIf     []string // conditions such as half_rtt.p99@16K > 20us
	Seed       int64
	Fault      string
	File       string
	Exports    []string // files that get the results beside the table
	Form       report.Form
	View       report.View // of the form Text
	Quiet      bool        // no progress and no remarks
	NoRecords  bool        // results are printed only
	DryRun     bool
	Verbose    bool             // print the time of each stage of the launches
	Table      string           // path of a file of "gobench tune", "" = from the environment
	Meeting    rendezvous.Flags // of ranks that gobench does not start
}

// PerProcess returns N of the rank kind "goroutine:N", 1 for other kinds.
func (l *Launch) PerProcess() int {
	if number, found := strings.CutPrefix(l.RankKind, "goroutine:"); found {
		n, _ := strconv.Atoi(number) // Check reports an invalid number
		return max(1, n)
	}
	return 1
}

// joiner returns the first transport whose library starts the ranks, nil if there is none.
func (l *Launch) joiner() device.Joiner {
	for _, name := range words(l.Transports) {
		if driver, err := device.Lookup(name); err == nil {
			if joiner, ok := driver.(device.Joiner); ok {
				return joiner
			}
		}
	}
	return nil
}

// Messages holds the options of verbs that measure messages.
type Messages struct {
	Launch
	Sizes      string
	Memory     string // "heap", "device", or both, separated by commas
	Cache      string // "warm" or "cold"
	Buffers    int    // copies of the buffers, used in turn; 0 = as Cache requires
	Iterations int    // timed samples of a cell in one launch, 0 = limited by time
	WarmUp     int    // events before them, 0 = automatic
	Batch      int    // events timed together, 0 = automatic
	Polls      int    // calls of Test during the computation with which a transfer overlaps
}

// P2P holds the options of gobench p2p.
type P2P struct {
	Messages
	Benchmarks string // names, separated by commas, or all
	Threads    int    // of each rank, which run a benchmark at the same time
	Level      string // names, separated by commas
	Window     int
	Epoch      string // of one-sided operations: names of bench.Epochs, separated by commas
}

// Collective holds the options of gobench coll.
type Collective struct {
	Messages
	Operations string // names, separated by commas, or all
	Algorithms string // "auto", "all", or names
	InPlace    bool
	// Distribution names the lengths of uneven blocks (matrix:FILE reads their proportions); "" =
	// equal blocks, or even ones of a vector form
	Distribution string
	distribution *collective.Distribution // what Distribution names
	Topology     string                   // cart:DIMENSIONS, graph:FILE or inter; "" = cart:2 for neighbours
	topology     *collective.Topology     // what Topology names
	Datatypes    string                   // of the elements of reductions: names of Go's types, or all; "" = float32
	Reductions   string                   // their operators: names, or all; "" = sum
	Root         string                   // a rank, or "rotate"
	Start        string                   // "auto", "barrier", "time", "none"
	Overlap      bool
	Groups       int
	Sync         string // "auto", "shared", "hca3"
	Skew         string // "none", "random:TIME", "late:TIME"
	Agreement    string // "free", "strict"
}

// Application holds the options of a verb that runs applications.
type Application struct {
	Launch
	Verb      application.Application
	Flags     application.Options
	Arguments []string
	Counts    string // numbers of ranks, separated by commas, measured one after the other
	Threads   int    // of each rank
	Repeat    int    // runs, 0 = as many as take a fixed time
}

// Options are the options of a verb that measures: a *P2P, *Collective, *Application or *Startup.
type Options interface {
	launch() *Launch
	copied() Options  // which the experiment may change
	levels() []string // as typed
	// ranks returns the usual number of ranks on hosts, 0 if it does not depend on them.
	ranks(hosts []hostlist.Host) int
	// plan checks the options of the verb and completes the measurement.
	plan(*measurement) error
}

func (l *Launch) launch() *Launch      { return l }
func (p *P2P) copied() Options         { c := *p; return &c }
func (c *Collective) copied() Options  { d := *c; return &d }
func (a *Application) copied() Options { c := *a; return &c }
func (p *P2P) levels() []string        { return words(p.Level) }
func (*Collective) levels() []string   { return []string{levelComm} }
func (*Application) levels() []string  { return []string{levelComm} }

// defaultPrecision is the precision where the user names none.
const defaultPrecision = "2%"

func launchDefaults(ranks int) Launch {
	return Launch{
		Transports: "smem", Ranks: ranks, RankKind: "process", Pin: "near", On: Hosts{Copy: "auto"}, Launches: DefaultLaunches, Precision: defaultPrecision, Form: report.Text,
	}
}

// NewP2P returns the default options of gobench p2p.
func NewP2P() *P2P {
	p := &P2P{
		Messages:   Messages{Launch: launchDefaults(2), Sizes: bench.DefaultSizes, Memory: string(bench.Heap), Cache: string(bench.Warm)},
		Benchmarks: "pingpong", Threads: 1, Level: "device", Window: bench.DefaultWindow, Epoch: string(bench.EpochFlush),
	}
	p.On.Map = "spread" // two ranks on two hosts, even if both fit on the first one
	return p
}

// Sizes of collective operations: where the user names none, and where all are wanted.
const (
	defaultCollectiveSizes = "8,64,512,1K,4K,16K,64K,256K,1M"
	allCollectiveSizes     = "4:1MiB"
)

// NewCollective returns the default options of gobench coll.
func NewCollective() *Collective {
	return &Collective{
		Messages: Messages{
			Launch: launchDefaults(max(2, host.UsualRanks())), Sizes: defaultCollectiveSizes, Memory: string(bench.Heap), Cache: string(bench.Warm),
		},
		Operations: "allreduce", Algorithms: auto, Root: "0", Start: auto, Skew: "none", Agreement: "free", Sync: auto, Groups: 1,
	}
}

// NewApplication returns the default options of an application.
func NewApplication(verb application.Application) *Application {
	n := host.UsualRanks()
	return &Application{Launch: launchDefaults(n), Verb: verb, Flags: verb.New(), Counts: strconv.Itoa(n), Threads: 1}
}

// RegisterCodec adds a benchmark, the ping-pong of values in a codec, by its name. It is for init
// functions, and panics if the name is taken.
func RegisterCodec(c bench.Codec) { micro.Register(c) }
