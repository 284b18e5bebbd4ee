package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"gobench/cmd/gobench/internal/glossary"
	"gobench/configs"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/internal/launch/host"
	"gobench/internal/simd"
	"gobench/kernels/application"
	"gobench/nearest"
)

// program is gobench on the command line.
var program = cli.Program{
	New:    newRoot,
	Common: []string{"bench", "op", "algo", "class", "grid", "sizes", "transport", "np", "hosts", "launches", "output", "json", "full", "dry-run"},
	Rest:   "What is measured",
	Groups: []cli.Group{
		{Title: "Ranks and hosts", Names: []string{"np", "ranks", "threads", "pin", "hosts", "hostfile", "map", "copy", "ssh", "env", "node", "meet", "insecure-meet"}},
		{Title: "Number and length of launches", Names: []string{"launches", "duration", "timeout", "precision", "budget", "iterations", "warmup", "batch", "repeat", "seed"}},
		{Title: "Options of transports and buffers", Names: []string{"set", "profile", "memory", "cache", "buffers"}},
		{Title: "Results", Names: []string{"output", "no-records", "json", "csv", "markdown", "export", "full", "states", "warnings", "quiet", "label", "tag", "fail-if", "verbose", "dry-run"}},
		{Title: "Tests of gobench itself", Names: []string{"fault"}},
	},
	Closing: "Flags of a command: gobench COMMAND -h, all of them --help\n" +
		"Completion of commands and values: gobench completion bash, zsh or fish\n",
	Version: host.ThisProgram().Version,
	Remark: func(verb *cobra.Command) string {
		if _, ok := verb.Annotations[measures]; !ok {
			return ""
		}
		return "Ctrl-C ends with 1 (--duration=0: with 0); what was measured until then stays.\n"
	},
	Unknown:  unknownVerb,
	Embedded: func(word string) bool { _, err := configs.Read(word); return err == nil },
	Foreign:  glossary.ForeignFlags,
}

func newRoot(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "gobench",
		Short: "Measures how fast machines communicate",
		Example: `  gobench probe                     what works here, and why the rest does not
  gobench p2p                       latency and bandwidth between two processes
  gobench p2p --transport=smem,tcp --sizes=8,64K,1MiB
  gobench coll                      allreduce of four processes
  gobench npb cg                    a NAS Parallel Benchmark, verified
  gobench fdtd -n 1,2,4             a finite-difference solver on 1, 2 and 4 ranks
  gobench sweep quick               a plan of many launches, in random order
  gobench show results/*.jsonl      the tables again, from records
  gobench compare a.jsonl b.jsonl   what differs, and whether it is significant
  gobench report results/           a document with figures, from records
  gobench explain half_rtt          the definition of a metric, with its formula`,
		Args: cobra.ArbitraryArgs, // see program
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if timeout, _ := cmd.Flags().GetDuration("timeout"); timeout < 0 {
				return cli.Usagef("--timeout is %v, must not be negative", timeout)
			}
			if err := simd.Check(); err != nil {
				return &exit.UsageError{Err: err}
			}
			if err := cmd.ValidateFlagGroups(); err != nil {
				return &exit.UsageError{Err: err}
			}
			return nil
		},
		Version: host.Version() + ", vector loops: " + simd.Describe(),
	}
	root.AddCommand(newP2P(args), newColl(args), newStartup(args))
	for _, a := range application.Applications() {
		root.AddCommand(newApplication(a, args))
	}
	root.AddCommand(newSweep(args), newTime(args), newTune(), newShow(), newCompare(), newImport(), newReport(), newCapsule(), newRerun(), newProbe(), newPairs(), newExplain(), newManifest(), newAgent(), newBridge(), newTrial(), newPairsWorker())
	complete(root)
	return root
}

// programName returns the name under which the user started this program, for the command lines in
// records: builds with an MPI library have their own names.
func programName() string { return filepath.Base(os.Args[0]) }

var (
	readsFiles = map[string]string{cli.Reads: "files"}
	readsSweep = map[string]string{cli.Reads: "sweep"}
)

// unknownVerb returns the error for an unknown verb. It suggests a verb with a similar name, or a
// command that measures the benchmark, kernel or other subject of that name.
func unknownVerb(root *cobra.Command, name string) error {
	if _, near := nearest.Name(name, cli.Verbs(root)); !near {
		meant := glossary.Command(name)
		if meant != "" {
			return cli.Usagef("unknown command %q: did you mean %s? gobench --help lists all commands", name, meant)
		}
	}
	return &exit.UsageError{Err: &nearest.UnknownError{What: "command", Name: name, Known: cli.Verbs(root), List: "commands"}}
}
