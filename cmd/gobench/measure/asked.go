// Package measure carries out what a verb that measures asks for: it checks
// the command line completely before anything is started, starts the ranks,
// and is what each rank does.
package measure

import (
	"time"

	"gobench/bench"
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
	Pin        string // near, far, none or a list of cores
	Options    []string
	Memory     string // "heap" or "device"
	Window     int
	Budget     time.Duration
	Precision  string // "2%" or "0.02"
	Seed       int64
	Fault      string
	File       string
	Form       report.Form
	DryRun     bool
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
	Window:     bench.DefaultWindow,
	Budget:     250 * time.Millisecond,
	Precision:  "2%",
	Form:       report.Text,
}
