package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/cmd/gobench/measure"
	"gobench/internal/exit"
	"gobench/report"
)

// formatFlags select the format of results. They are the same for every verb that prints results.
type formatFlags struct{ json, csv bool }

func (f *formatFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.json, "json", false, "print JSON Lines, the format of the records, instead of a table")
	flags.BoolVar(&f.csv, "csv", false, "print CSV instead of a table")
}

func (f *formatFlags) form() (report.Form, error) {
	switch {
	case f.json && f.csv:
		return "", errors.New("--json and --csv exclude each other: choose one")
	case f.json:
		return report.JSON, nil
	case f.csv:
		return report.CSV, nil
	default:
		return report.Text, nil
	}
}

// exportFlag registers --export, of verbs that print tables.
func exportFlag(flags *pflag.FlagSet, files *[]string) {
	flags.StringArrayVar(files, "export", nil, "`FILE` write the results to it as well and replace it: .md, .csv or .jsonl; may be repeated")
}

// setReaderGC sets the garbage collector for verbs that read records. They keep most of what they
// allocate, so a lower limit halves the memory and costs little time.
func setReaderGC() { debug.SetGCPercent(25) }

// printWarnings prints warnings about files of records.
func printWarnings(stderr io.Writer, warnings []string) {
	for _, w := range warnings {
		fmt.Fprintf(stderr, "gobench: %s\n", w)
	}
}

// usual describes the default of -n.
const usual = "; 4 by default, or fewer on fewer cores"

// launchFlags registers the flags of every verb that starts ranks.
func launchFlags(flags *pflag.FlagSet, o *measure.Launch) {
	flags.StringVar(&o.Transports, "transport", o.Transports, "`LIST` transports, measured one after the other; between hosts tcp is the default")
	hostFlags(flags, &o.On)
	flags.StringVar(&o.RankKind, "ranks", o.RankKind, "`KIND` of ranks: process, goroutine (all in one process), or goroutine:N (N in each process)")
	flags.StringVar(&o.Pin, "pin", o.Pin, "`PLACE` cores of the ranks: near, far, none, a list such as 0,2, or pairs: p2p on each pair of cores in turn")
	flags.StringArrayVar(&o.Options, "set", nil, "`NAME=VALUE` option of the transport (gobench probe lists them); may be repeated")
	flags.StringVar(&o.Table, "table", o.Table, "`FILE` of options, thresholds and choices that gobench tune wrote, or none (default $GOBENCH_TABLE)")
	flags.StringVar(&o.Fault, "fault", o.Fault, "`FAULT` self-test, proves that the checks work: corrupt[:N] damages a byte of one message in N, drop[:N] loses the last rank after N operations, delay[:TIME] delays every send")
	flags.StringVarP(&o.File, "output", "o", o.File, "`FILE` records are appended to it (default results/HOST-DATE.jsonl)")
	flags.IntVar(&o.Launches, "launches", o.Launches, "`N` minimum number of launches; the ± between them needs 6")
	flags.Int64Var(&o.Seed, "seed", o.Seed, "`N` seed of the random order of cells (default: random)")
	flags.StringVar(&o.Label, "label", o.Label, "`NAME` of this measurement in its records, for compare --by=label")
	flags.StringArrayVar(&o.Tags, "tag", nil, "`NAME=VALUE` written to its records, for compare --by=tag.NAME; may be repeated")
	flags.StringVar(&o.Meeting.Node, "node", "", "`I/N` this process is rank I of N, started by hand or by an unknown launcher; it meets the others at --meet")
	flags.StringVar(&o.Meeting.At, "meet", "", "`PLACE` where ranks meet that gobench does not start: HOST:PORT of rank 0, with the same GOBENCH_SECRET in the environment of all, or file:FOLDER that all hosts share")
	flags.BoolVar(&o.Meeting.Insecure, "insecure-meet", false, "let ranks meet without GOBENCH_SECRET, on a private network")
	exportFlag(flags, &o.Exports)
	flags.StringArrayVar(&o.FailIf, "fail-if", nil, "`EXPR` end with exit code 4 if it is true for a row: METRIC[.STATISTIC][@SIZE] < or > VALUE, such as 'half_rtt.p99 > 5us' or 'bandwidth@1MiB < 10GB/s'; statistics are "+measure.Statistics()+"; may be repeated")
	flags.BoolVar(&o.Verbose, "verbose", false, "print how long each part of the launches took: starting, connecting, calibration, measurement, ending, with the memory of rank 0")
	flags.BoolVar(&o.DryRun, "dry-run", false, "print the plan, the number of cells and the expected time")
}

// hostFlags registers the flags for ranks on other hosts.
func hostFlags(flags *pflag.FlagSet, on *measure.Hosts) {
	flags.Func("hosts", "`LIST` hosts that run the ranks, by ssh: a,b:4,user@c, each with its number of ranks, whose sum is the default of -n (default: those of the allocation of a scheduler, else localhost)", notEmpty(&on.List))
	flags.Func("hostfile", "`FILE` that lists them, as Open MPI, Hydra, PBS, Grid Engine, LSF or Slurm write it", notEmpty(&on.File))
	flags.StringVar(&on.Map, "map", on.Map, "`POLICY` of placing ranks on hosts: fill (one host after the other), spread (one rank on each in turn; default of p2p), ppr:N (N ranks on each), or a file with the host of each rank in order, as in a hostfile")
	flags.StringVar(&on.Copy, "copy", on.Copy, "`METHOD` of installing gobench on hosts: auto (it copies itself), or never (it is there under the same path)")
	flags.StringVar(&on.SSH, "ssh", os.Getenv("GOBENCH_SSH"), "`COMMAND` in place of ssh (default $GOBENCH_SSH)")
	flags.StringArrayVar(&on.Env, "env", nil, "`NAME` of a variable that ranks on other hosts get, too; may be repeated")
}

// notEmpty stores the value of a flag and refuses an empty one, which is most often a variable of
// the shell that is not set: the default would be measured in its place.
func notEmpty(to *string) func(string) error {
	return func(value string) error {
		if *to = value; value == "" {
			return errors.New("it is empty")
		}
		return nil
	}
}

// messageFlags registers the flags of verbs that measure messages. more is added to the help of -n.
func messageFlags(flags *pflag.FlagSet, o *measure.Messages, more string) {
	launchFlags(flags, &o.Launch)
	flags.StringVar(&o.Sizes, "sizes", o.Sizes, "`LIST` message sizes: 8, 64K, 1MiB, or 1:4MiB for both ends and the powers of two between them")
	flags.IntVarP(&o.Ranks, "np", "n", o.Ranks, "`N` number of ranks"+more)
	flags.StringVar(&o.Memory, "memory", o.Memory, "`LIST` kinds of message buffers: heap, and device for the allocator of the transport")
	flags.StringVar(&o.Cache, "cache", o.Cache, "`STATE` of message buffers at each event: warm, or cold (buffers in turn, larger together than the last cache)")
	flags.IntVar(&o.Buffers, "buffers", o.Buffers, "`N` copies of the message buffers that events take in turn, which shows what a cache of registered memory saves (default: the same buffers)")
	flags.StringVar(&o.Precision, "precision", o.Precision, "`SHARE` add launches until the 95 % interval between launches of every median is within this share of it")
	flags.DurationVar(&o.Budget, "budget", o.Budget, "`TIME` or until a cell has used this time in all launches (default: no launches are added)")
	flags.IntVar(&o.Iterations, "iterations", o.Iterations, "`N` samples of a cell in one launch (default: as many as there is time for)")
	flags.IntVar(&o.WarmUp, "warmup", o.WarmUp, "`N` events before them (default: until times are stable)")
	flags.IntVar(&o.Batch, "batch", o.Batch, "`N` events timed together (default: 1; 16 or 4 for small messages over shared memory in benchmarks whose events depend on each other)")
}

// p2pFlags registers the flags of point-to-point benchmarks.
func p2pFlags(flags *pflag.FlagSet, o *measure.P2P) {
	flags.StringVar(&o.Benchmarks, "bench", o.Benchmarks, "`LIST` benchmarks (gobench explain lists them)")
	flags.StringVar(&o.Level, "level", o.Level, "`NAME` of the layer to measure: comm (communicators), device (with matching), raw (the bare wire) or socket (streams, with --transport=sockets)")
	flags.IntVar(&o.Window, "window", o.Window, "`N` messages in flight in streaming benchmarks")
}

// collectiveFlags registers the flags of collective operations.
func collectiveFlags(flags *pflag.FlagSet, o *measure.Collective) {
	flags.StringVar(&o.Operations, "op", o.Operations, "`LIST` operations, or all (gobench explain lists them)")
	flags.StringVar(&o.Algorithms, "algo", o.Algorithms, "`LIST` algorithms: auto (by the table), all (and who wins), or names such as ring,knomial:4")
	flags.StringVar(&o.Root, "root", o.Root, "`RANK` of rooted operations, or rotate")
	flags.BoolVar(&o.InPlace, "in-place", false, "the result replaces the input (MPI_IN_PLACE)")
	flags.BoolVar(&o.Overlap, "overlap", false, "measure the non-blocking form, and the share of it that is hidden behind a computation of the same length")
	flags.IntVar(&o.Polls, "polls", 0, "`N` times that the computation is interrupted to make progress on the operation (MPI_Test)")
	flags.IntVar(&o.Groups, "groups", o.Groups, "`N` groups of equally many ranks do the operation at the same time")
	flags.StringVar(&o.Start, "start", o.Start, "`METHOD` of starting events: time (at an announced time), barrier, none (back to back, as IMB does), or auto")
	flags.StringVar(&o.Sync, "sync", o.Sync, "`METHOD` of clock synchronisation: shared (clock of one host), hca3 (by messages), or auto")
	flags.StringVar(&o.Skew, "skew", o.Skew, "`SKEW` delay of ranks: none, random:TIME (each by up to TIME), late:TIME (one of them)")
	flags.StringVar(&o.Agreement, "check", o.Agreement, "`METHOD` of comparing arguments between ranks: free (where it costs nothing) or strict (before each operation)")
}

func none(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &exit.UsageError{Err: fmt.Errorf("%s takes no arguments, only flags: %q is too much", cmd.Name(), args[0])}
	}
	return nil
}

func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return &exit.UsageError{Err: fmt.Errorf("%s takes one %s: %q is too much", cmd.Name(), what, args[1])}
		}
		return nil
	}
}

func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return &exit.UsageError{Err: fmt.Errorf("%s needs a %s: gobench %s", cmd.Name(), what, cmd.Use)}
		}
		return nil
	}
}
