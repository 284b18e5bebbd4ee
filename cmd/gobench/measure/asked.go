// Package measure carries out what a verb that measures asks for: it checks
// the command line completely before anything is started, starts the ranks,
// and is what each rank does.
package measure

import (
	"time"

	"gobench/bench"
	"gobench/launch"
	"gobench/launch/host"
	"gobench/report"
)

// Asked is the command line of a verb that measures, as typed.
type Asked struct {
	Command    []string // the whole of it, for the record
	Transports string   // names, separated by commas
	Benchmarks string
	Level      string
	Sizes      string
	Ranks      int
	RankKind   string // "process" or "goroutine"
	On         Hosts  // that run the ranks
	Pin        string // near, far, none or a list of cores
	Options    []string
	Memory     string // "heap" or "device"
	Cache      string // "warm" or "cold"
	Window     int
	Launches   int           // at least
	Budget     time.Duration // of a cell in all launches, 0 = automatic
	Precision  string        // "2%" or "0.02", between launches
	Iterations int           // timed samples of a cell in one launch, 0 = as many as there is time for
	WarmUp     int           // events before them, 0 = automatic
	Label      string
	Tags       []string // NAME=VALUE
	FailIf     []string // conditions such as half_rtt.p99 > 5us
	Seed       int64
	Fault      string
	File       string
	Exports    []string // files that get the results beside the table
	Form       report.Form
	DryRun     bool
	Meeting    launch.Meeting // of ranks that gobench does not start

	// Of collective operations.
	Operations string // names, separated by commas, or all; "" = point-to-point
	Algorithms string // "auto", "all", or names
	InPlace    bool
	Root       string // a rank, or "rotate"
	Start      string // "auto", "barrier", "time", "none"
	Overlap    bool
	Polls      int
	Groups     int
	Sync       string // "auto", "shared", "hca3"
	Skew       string // "none", "random:TIME", "late:TIME"
	Batch      int    // also of messages; 0 = automatic
	Agreement  string // "free", "strict"
	Table      string // path of a file of "gobench tune", "" = as the environment says

	// Of applications.
	Kernels  []string // names, or all; nil = no kernels
	Class    string
	Counts   string // numbers of ranks, separated by commas; one for each launch
	Threads  int    // of each rank
	Repeat   int    // runs
	Weak     bool   // the problem grows with the ranks
	Official bool   // the output that people know of NPB follows each run
	FDTD     *FDTD  // nil = something else
}

// Default is what is measured where nothing is asked for.
var Default = Asked{
	Transports: "smem",
	Benchmarks: "pingpong",
	Level:      "device",
	Sizes:      bench.DefaultSizes,
	Ranks:      2,
	RankKind:   "process",
	Pin:        "near",
	Memory:     string(bench.Heap),
	Cache:      string(bench.Warm),
	Window:     bench.DefaultWindow,
	Launches:   DefaultLaunches,
	On:         Hosts{Copy: "auto"},
	Precision:  "2%",
	Form:       report.Text,
}

// DefaultCollective is what is measured of collective operations where nothing
// is asked for.
var DefaultCollective = collectiveDefaults()

func collectiveDefaults() Asked {
	a := Default
	a.Level, a.Ranks, a.Sizes = "comm", max(2, host.UsualRanks()), "4:1MiB"
	a.Operations, a.Algorithms = "allreduce", "auto"
	a.Root, a.Start, a.Skew, a.Agreement = "0", "auto", "none", "free"
	a.Sync, a.Groups = "auto", 1
	return a
}
