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

// launchFlags are those of every verb that starts ranks. A flag has the same name
// and meaning on all of them.
func launchFlags(flags *pflag.FlagSet, a *measure.Asked) {
	flags.StringVar(&a.Transports, "transport", a.Transports, "`LIST` transports, measured one after the other")
	hostFlags(flags, &a.On)
	flags.StringVar(&a.RankKind, "ranks", a.RankKind, "`KIND` ranks as process or as goroutine")
	flags.StringVar(&a.Pin, "pin", a.Pin, "`PLACE` cores of the ranks: near, far, none, a list such as 0,2, or pairs: p2p on each pair of cores in turn")
	flags.StringArrayVar(&a.Options, "set", nil, "`NAME=VALUE` option of the transport (gobench probe lists them); may be repeated")
	flags.StringVar(&a.Fault, "fault", a.Fault, "`FAULT` self-test, proves that the checks work: corrupt[:N] damages a byte of one message in N, drop[:N] loses the last rank after N operations, delay[:TIME] slows every send down")
	flags.StringVarP(&a.File, "output", "o", a.File, "`FILE` records are appended to it (default results/HOST-DATE.jsonl)")
	flags.IntVar(&a.Launches, "launches", a.Launches, "`N` launches at least: the ± is between them, from 6 on")
	flags.Int64Var(&a.Seed, "seed", a.Seed, "`N` of the random order of cells (default: another one each time)")
	flags.StringVar(&a.Label, "label", a.Label, "`NAME` of this measurement in its records, for compare --by=label")
	flags.StringArrayVar(&a.Tags, "tag", nil, "`NAME=VALUE` written to its records, for compare --by=tag.NAME; may be repeated")
	flags.StringVar(&a.Meeting.Node, "node", "", "`I/N` this process is rank I of N, started by hand or by a launcher that gobench does not know: it meets the others as --meet says")
	flags.StringVar(&a.Meeting.At, "meet", "", "`PLACE` where ranks meet that gobench does not start: HOST:PORT of rank 0, with the same GOBENCH_SECRET in the environment of all, or file:FOLDER that all hosts share")
	flags.BoolVar(&a.Meeting.Insecure, "insecure-meet", false, "ranks meet without GOBENCH_SECRET: on a network of your own")
	exportFlag(flags, &a.Exports)
	flags.StringArrayVar(&a.FailIf, "fail-if", nil, "`EXPR` a row for which it is true makes the exit code 4: METRIC[.STATISTIC][@SIZE] < or > VALUE, such as 'half_rtt.p99 > 5us' or 'bandwidth@1MiB < 10GB/s'; statistics are "+measure.Statistics()+"; may be repeated")
	flags.BoolVar(&a.DryRun, "dry-run", false, "print the plan, the number of cells and the expected time")
}

// hostFlags are about ranks on other hosts.
func hostFlags(flags *pflag.FlagSet, on *measure.Hosts) {
	flags.StringVar(&on.List, "hosts", "", "`LIST` hosts that run the ranks, by ssh: a,b:4,user@c, each with its number of ranks")
	flags.StringVar(&on.Map, "map", on.Map, "`HOW` ranks are put on them: fill (one host after the other) or spread (one rank on each in turn; default of p2p)")
	flags.StringVar(&on.Copy, "copy", on.Copy, "`HOW` gobench comes to them: auto (it copies itself), or never (it is there under the same path)")
	flags.StringVar(&on.SSH, "ssh", os.Getenv("GOBENCH_SSH"), "`COMMAND` in place of ssh (default $GOBENCH_SSH)")
	flags.StringArrayVar(&on.Env, "env", nil, "`NAME` of a variable that ranks on other hosts get, too; may be repeated")
}

// applicationFlags are those of every verb that runs applications.
func applicationFlags(flags *pflag.FlagSet, a *measure.Asked) {
	flags.StringVarP(&a.Counts, "np", "n", a.Counts, "`LIST` numbers of ranks, one after the other: 4, or 1,2,4 for strong scaling"+usual)
	flags.IntVar(&a.Threads, "threads", a.Threads, "`N` threads of each rank")
	flags.IntVar(&a.Repeat, "repeat", a.Repeat, "`N` runs in each launch, of which the median counts (default: as many as take 0.2 s)")
}

// fdtdFlags are those of FDTD alone.
func fdtdFlags(flags *pflag.FlagSet, a *measure.Asked) {
	f := a.FDTD
	flags.StringVar(&f.Size, "size", f.Size, "`NAME` of a problem: small (512x512, 500 steps), medium (4096x4096, 200 steps), large (16384x8192, 2500 steps)")
	flags.StringVar(&f.Grid, "grid", f.Grid, "`NXxNY` points of another grid")
	flags.IntVar(&f.Steps, "steps", f.Steps, "`N` time steps, 0 = as many as the problem has")
	flags.StringVar(&f.Real, "real", f.Real, "`PRECISION` of numbers: single or double")
	flags.StringVar(&f.Source, "source", f.Source, "`X,Y` point of the wavelet (default the middle)")
	flags.Float64Var(&f.Wavelength, "wavelength", f.Wavelength, "`CELLS` wavelength of its peak frequency")
	flags.StringVar(&f.Blocks, "blocks", f.Blocks, "`XxY` blocks of ranks (default those that are done soonest)")
	applicationFlags(flags, a)
	flags.BoolVar(&a.Weak, "weak", false, "weak scaling: a grid of this size for each rank, and as many independent serial copies to compare with")
	flags.IntVar(&f.Every, "every", f.Every, "`N` a picture of the field every N steps of the first run, outside of the timed part; 0 = none")
	flags.StringVar(&f.Pictures, "pictures", f.Pictures, "`FOLDER` of the pictures, PNG")
}

// kernelFlags are those of the NAS Parallel Benchmarks alone.
func kernelFlags(flags *pflag.FlagSet, a *measure.Asked) {
	flags.StringVar(&a.Class, "class", a.Class, "`CLASS` size of the problem: S, W, A, B, C or D")
	applicationFlags(flags, a)
	flags.BoolVar(&a.Weak, "weak", false, "weak scaling: a class greater for four times the ranks, and as many independent serial copies to compare with")
	flags.BoolVar(&a.Official, "official", false, "print the output that NPB is known for, too")
}

// measureFlags are those of verbs that measure messages.
func measureFlags(flags *pflag.FlagSet, a *measure.Asked, more string) {
	launchFlags(flags, a)
	flags.StringVar(&a.Sizes, "sizes", a.Sizes, "`LIST` message sizes: 8, 64K, 1MiB, or 1:4MiB for both ends and the powers of two between them")
	flags.IntVarP(&a.Ranks, "np", "n", a.Ranks, "`N` number of ranks"+more)
	flags.StringVar(&a.Memory, "memory", a.Memory, "`KIND` message buffers: heap, or device for those of the transport's own allocator")
	flags.StringVar(&a.Cache, "cache", a.Cache, "`STATE` of message buffers at each event: warm, or cold (others each time, more than the last cache holds)")
	flags.StringVar(&a.Precision, "precision", a.Precision, "`SHARE` launches are added until every median is known to this share (95 % interval between launches)")
	flags.DurationVar(&a.Budget, "budget", a.Budget, "`TIME` or until a cell has had this time in all launches (default: no launches are added)")
	flags.IntVar(&a.Iterations, "iterations", a.Iterations, "`N` samples of a cell in one launch (default: as many as there is time for)")
	flags.IntVar(&a.WarmUp, "warmup", a.WarmUp, "`N` events before them (default: until times settle)")
	flags.IntVar(&a.Batch, "batch", a.Batch, "`N` events timed together (default: 1; 16 or 4 for small messages over shared memory where events depend on each other)")
}

// p2pFlags are those of point-to-point benchmarks alone.
func p2pFlags(flags *pflag.FlagSet, a *measure.Asked) {
	flags.StringVar(&a.Benchmarks, "bench", a.Benchmarks, "`LIST` benchmarks (gobench explain lists them)")
	flags.StringVar(&a.Level, "level", a.Level, "`NAME` what is measured: comm (communicators), device (with matching) or raw (the bare wire)")
	flags.IntVar(&a.Window, "window", a.Window, "`N` messages in flight in streaming benchmarks")
}

// collectiveFlags are those of collective operations alone.
func collectiveFlags(flags *pflag.FlagSet, a *measure.Asked) {
	flags.StringVar(&a.Operations, "op", a.Operations, "`LIST` operations, or all (gobench explain lists them)")
	flags.StringVar(&a.Algorithms, "algo", a.Algorithms, "`LIST` algorithms: auto (by the table), all (and who wins), or names such as ring,knomial:4")
	flags.StringVar(&a.Root, "root", a.Root, "`RANK` of rooted operations, or rotate")
	flags.BoolVar(&a.InPlace, "in-place", false, "the result takes the place of the input (MPI_IN_PLACE)")
	flags.BoolVar(&a.Overlap, "overlap", false, "the non-blocking form, and how much of it is hidden behind computation that takes as long")
	flags.IntVar(&a.Polls, "polls", 0, "`N` times that the computation is interrupted to look after the operation (MPI_Test)")
	flags.IntVar(&a.Groups, "groups", a.Groups, "`N` groups of equally many ranks do the operation at once")
	flags.StringVar(&a.Start, "start", a.Start, "`WAY` events begin: time (announced), barrier, none (back to back, as IMB does), or auto")
	flags.StringVar(&a.Sync, "sync", a.Sync, "`HOW` the clocks of all ranks become one: shared (of one host), hca3 (compared by messages), or auto")
	flags.StringVar(&a.Skew, "skew", a.Skew, "`SKEW` ranks arrive late on purpose: none, random:TIME (each by up to TIME), late:TIME (one of them)")
	flags.StringVar(&a.Agreement, "check", a.Agreement, "`HOW` ranks compare their arguments: free (where it costs nothing) or strict (before each operation)")
	flags.StringVar(&a.Table, "table", a.Table, "`FILE` of thresholds and choices that gobench tune wrote (default $GOBENCH_TABLE)")
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
