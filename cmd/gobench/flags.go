package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/bench"
	"gobench/cmd/gobench/internal/glossary"
	"gobench/experiment"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/internal/terminal"
	"gobench/record"
	"gobench/report"
)

// formatFlags select the format of results. They are the same for every verb that prints results.
type formatFlags struct {
	json                string
	csv, markdown, list bool // the last two: of show
}

// Values of --json.
const (
	jsonRows = "rows"
	jsonAll  = "all"
)

func (f *formatFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.json, "json", "", "`WHAT` print JSON Lines instead of a table; --json prints its rows, --json=all all records as they are measured")
	flags.Lookup("json").NoOptDefVal = jsonRows
	flags.BoolVar(&f.csv, "csv", false, "print the rows as CSV instead of a table")
}

// records is form for verbs whose results are records or verdicts, of which there is one form of
// JSON.
func (f *formatFlags) records() (report.Form, error) {
	form, err := f.form()
	if form == report.Rows {
		form = report.JSON
	}
	return form, err
}

func (f *formatFlags) form() (report.Form, error) {
	if f.json != "" && f.json != jsonRows && f.json != jsonAll {
		return "", fmt.Errorf("--json=%s: want --json for the rows of the table, or --json=all for all records", f.json)
	}
	var given []string
	form := report.Text
	for _, of := range []struct {
		flag string
		set  bool
		form report.Form
	}{{"--markdown", f.markdown, report.Markdown}, {"--json", f.json == jsonRows, report.Rows}, {"--json=all", f.json == jsonAll, report.JSON}, {"--csv", f.csv, report.CSV}, {"--list", f.list, report.List}} {
		if of.set {
			given, form = append(given, of.flag), of.form
		}
	}
	if len(given) > 1 {
		return "", fmt.Errorf("%s exclude each other: choose one", strings.Join(given, " and "))
	}
	return form, nil
}

// selectionFlags select points of files of records. They are the same for all verbs that read
// these.
type selectionFlags struct {
	operations []string
	sizes      string
}

// register registers the flags, which fill s. set completes it.
func (f *selectionFlags) register(flags *pflag.FlagSet, s *record.Selection) {
	flags.StringSliceVar(&s.Benches, "bench", nil, "`LIST` only these benchmarks, operations or kernels")
	flags.StringSliceVar(&f.operations, "op", nil, "`LIST` synonym of --bench")
	flags.StringSliceVar(&s.Transports, "transport", nil, "`LIST` only these transports")
	flags.StringSliceVar(&s.Algorithms, "algo", nil, "`LIST` only these algorithms of collectives")
	flags.StringVar(&f.sizes, "sizes", "", "`LIST` only these message sizes: 8,64K,1MiB, or 1:4MiB; that is both ends and the powers of two between them")
	flags.IntSliceVar(&s.Ranks, "ranks", nil, "`LIST` only these numbers of ranks")
	flags.StringVar(&s.Series, "command", "", "`ID` only the command with this series, or a prefix of it, as show --list prints it")
	flags.StringVar(&s.Label, "label", "", "`NAME` only measurements with this label")
}

// set completes the selection. The error is one of usage.
func (f *selectionFlags) set(s *record.Selection) (err error) {
	s.Benches = append(s.Benches, f.operations...)
	for i, name := range s.Benches {
		s.Benches[i] = glossary.BenchName(name)
	}
	for i, name := range s.Transports {
		s.Transports[i] = glossary.TransportName(name)
	}
	if f.sizes == "" || strings.EqualFold(f.sizes, bench.EverySize) {
		return nil
	}
	if s.Sizes, err = bench.ParseSizes(f.sizes); err != nil {
		return &exit.UsageError{Err: err}
	}
	return nil
}

// viewFlags registers the flags that show more of the results as text. They are the same for all
// verbs that print them.
func viewFlags(flags *pflag.FlagSet, v *report.View) {
	flags.BoolVar(&v.Full, "full", false, "print all columns, states of the cores and notes; as IMB does, instead of the first screen")
	flags.BoolVar(&v.States, "states", false, "print each state of the cores, not only those that differ by more than their ±")
	flags.BoolVar(&v.Warnings, "warnings", false, "print all warnings, not only the most important one")
}

// exportFlag registers --export, of verbs that print tables.
func exportFlag(flags *pflag.FlagSet, files *[]string) {
	flags.StringArrayVar(files, "export", nil, "`FILE` also write the results to this file, replacing it: .md, .csv or .jsonl, or for other programs .prom (OpenMetrics), .influx, .bmf.json (Bencher), .gab.json (github-action-benchmark), .perflog.csv (ReFrame), .osu or .imb; may be repeated")
}

// printWarnings prints warnings about files of records.
func printWarnings(stderr io.Writer, warnings []string) {
	for _, w := range warnings {
		fmt.Fprintf(stderr, "gobench: %s\n", terminal.Plain(w))
	}
}

// usual describes the default of -n.
const usual = "; 4 by default, or fewer on fewer cores"

// launchFlags registers the flags of every verb that starts ranks.
func launchFlags(flags *pflag.FlagSet, o *experiment.Launch) {
	flags.StringVar(&o.Transports, "transport", o.Transports, "`LIST` transports: smem, tcp ... (gobench probe lists them); measured one after the other, the default between hosts is tcp")
	hostFlags(flags, &o.On)
	flags.StringVar(&o.RankKind, "ranks", o.RankKind, "`KIND` run each rank as process, all as goroutines of one process (goroutine), or N goroutines per process (goroutine:N)")
	flags.StringVar(&o.Pin, "pin", o.Pin, "`PLACE` cores of the ranks: near (on several hosts nic), far, nic (near the fastest NIC), rails (in turn near each of these), none, a list such as 0,2, or pairs (p2p on each pair of cores in turn)")
	flags.StringArrayVar(&o.Options, "set", nil, "`NAME=VALUE` option of the transport (gobench probe lists them); may be repeated")
	profileFlag(flags, &o.Table)
	flags.StringVar(&o.Fault, "fault", o.Fault, "`FAULT` inject a fault to test the checks: corrupt[:N] damages a byte of one message in N, drop[:N] loses the last rank after N operations, delay[:TIME] delays every send")
	flags.StringVarP(&o.File, "output", "o", o.File, "`FILE` append records to this file (default results/HOST-DATE.jsonl)")
	flags.IntVar(&o.Launches, "launches", o.Launches, "`N` minimum number of launches, 6 or more for an interval (±); then up to twice as many are made until every cell has one")
	flags.Func("duration", "`TIME` launch again until this time has passed, instead of --launches, with a line for each launch; 0 = until Ctrl-C; all results stay in memory", func(text string) error {
		var err error
		if o.Duration, err = cli.ParseTime(text); err != nil || o.Duration < 0 {
			return errors.New("want a time such as 30s, 2m, or 30 for seconds")
		}
		o.Endless = o.Duration == 0
		return nil
	})
	flags.Int64Var(&o.Seed, "seed", o.Seed, "`N` seed of the random order of cells (default: random)")
	flags.StringVar(&o.Label, "label", o.Label, "`NAME` label of this measurement in its records, for compare --by=label")
	flags.StringArrayVar(&o.Tags, "tag", nil, "`NAME=VALUE` tag of this measurement in its records, for compare --by=tag.NAME; may be repeated")
	flags.StringVar(&o.Meeting.Node, "node", "", "`I/N` this process is rank I of N, started by hand or by an unknown launcher; it meets the others at --meet")
	flags.StringVar(&o.Meeting.At, "meet", "", "`PLACE` rendezvous of ranks that gobench does not start: HOST:PORT of rank 0, with the same GOBENCH_SECRET in every environment, or file:DIRECTORY, a directory that all hosts share")
	flags.BoolVar(&o.Meeting.Insecure, "insecure-meet", false, "accept ranks without GOBENCH_SECRET, on a private network")
	exportFlag(flags, &o.Exports)
	viewFlags(flags, &o.View)
	flags.BoolVar(&o.NoRecords, "no-records", false, "keep no file of records")
	cli.EndFlags(flags)
	failIfFlag(flags, &o.FailIf)
	flags.BoolVar(&o.Verbose, "verbose", false, "print the time of each phase of the launches (start, connect, calibrate, measure, end) and the memory of rank 0")
	flags.BoolVar(&o.DryRun, "dry-run", false, "print the plan and its expected time, measure nothing; the time where it is known before a launch")
}

// profileFlag registers --profile, and --table, its name when the files held tables alone.
func profileFlag(flags *pflag.FlagSet, to *string) {
	const help = "`FILE` profile of the machine, with the table of gobench tune if that wrote it; none, or renew to measure the profile again (default $GOBENCH_PROFILE, else the stored profile, measured at first use, and the stored table)"
	flags.StringVar(to, "profile", *to, help)
	flags.StringVar(to, "table", *to, help)
	flags.Lookup("table").Hidden = true
}

// hostFlags registers the flags for ranks on other hosts.
func hostFlags(flags *pflag.FlagSet, on *experiment.Hosts) {
	flags.Func("hosts", "`LIST` hosts that run the ranks, by ssh: a,b:4,user@c; each with its number of ranks, whose sum is the default of -n (default: those of the allocation of a scheduler, else localhost)", cli.NotEmpty(&on.List))
	flags.Func("hostfile", "`FILE` file that lists the hosts, as Open MPI, Hydra, PBS, Grid Engine, LSF or Slurm write it", cli.NotEmpty(&on.File))
	flags.StringVar(&on.Map, "map", on.Map, "`POLICY` placement of ranks on hosts: fill (one host after the other), spread (round robin; default of p2p), ppr:N (N ranks per host), or a file with the host of each rank in order, as in a hostfile")
	flags.StringVar(&on.Copy, "copy", on.Copy, "`METHOD` installation of gobench on hosts: auto (copy this program), or never (it is already there, under the same path)")
	flags.StringVar(&on.SSH, "ssh", os.Getenv("GOBENCH_SSH"), "`COMMAND` run this command instead of ssh (default $GOBENCH_SSH)")
	flags.BoolVar(&on.Skip, "skip-unreachable", false, "measure without the hosts that cannot be connected, and name them, instead of ending")
	flags.StringArrayVar(&on.Env, "env", nil, "`NAME` pass this environment variable to ranks on other hosts; may be repeated")
}

// messageFlags registers the flags of verbs that measure messages. more is added to the help of -n.
func messageFlags(flags *pflag.FlagSet, o *experiment.Messages, more string) {
	launchFlags(flags, &o.Launch)
	flags.StringVar(&o.Sizes, "sizes", o.Sizes, "`LIST` message sizes: 8,64K,1MiB, or 1:4MiB, or all; 1:4MiB is both ends and the powers of two between them")
	flags.IntVarP(&o.Ranks, "np", "n", o.Ranks, "`N` number of ranks"+more)
	flags.StringVar(&o.Memory, "memory", o.Memory, "`LIST` allocators of message buffers: heap, device (the allocator of the transport)")
	flags.StringVar(&o.Cache, "cache", o.Cache, "`STATE` cache state of message buffers: warm, or cold (buffers used in turn, together larger than the last-level cache)")
	flags.IntVar(&o.Buffers, "buffers", o.Buffers, "`N` copies of the message buffers, used in turn; shows the effect of a registration cache (default: one)")
	flags.StringVar(&o.Precision, "precision", o.Precision, "`SHARE` add launches until the 95 % interval between launches of every median is within this share of it")
	cli.TimeVar(flags, &o.Budget, "budget", "`TIME` with --precision: time limit of a cell over all launches (default: no launches are added)")
	flags.IntVar(&o.Iterations, "iterations", o.Iterations, "`N` samples per cell and launch (default: as many as time allows)")
	flags.IntVar(&o.WarmUp, "warmup", o.WarmUp, "`N` warm-up events before the first sample (default: until times are stable)")
	flags.IntVar(&o.Polls, "polls", 0, "`N` calls of MPI_Test during the computation with which a transfer overlaps, to make progress")
	flags.IntVar(&o.Batch, "batch", o.Batch, "`N` events timed together (default: 1; 16 or 4 for small messages over shared memory in benchmarks whose events depend on each other)")
}

// p2pFlags registers the flags of point-to-point benchmarks.
func p2pFlags(flags *pflag.FlagSet, o *experiment.P2P) {
	flags.StringVar(&o.Benchmarks, "bench", o.Benchmarks, "`LIST` benchmarks: pingpong, uniband, exchange ... or all; gobench explain lists them")
	flags.IntVar(&o.Threads, "threads", o.Threads, "`N` threads per rank, which run a benchmark at the same time, each over a duplicate of the communicator, as in IMB-MT (--level=comm)")
	flags.StringVar(&o.Level, "level", o.Level, "`LIST` layers to measure: comm (communicators), device (with matching), raw (packets without matching) or socket (streams, with --transport=sockets)")
	flags.IntVar(&o.Window, "window", o.Window, "`N` messages in flight in streaming benchmarks")
	flags.StringVar(&o.Epoch, "epoch", o.Epoch, "`LIST` completion of one-sided operations of communicators: flush, lock, fence, pscw (start and complete)")
}

// collectiveFlags registers the flags of collective operations.
func collectiveFlags(flags *pflag.FlagSet, o *experiment.Collective) {
	flags.StringVar(&o.Operations, "op", o.Operations, "`LIST` operations: allreduce, bcast, alltoall ... or all; gobench explain lists them")
	flags.StringVar(&o.Algorithms, "algo", o.Algorithms, "`LIST` algorithms: auto, all, or names such as ring,knomial:4; auto takes the choice of the table, all measures each that fits and names the fastest")
	flags.StringVar(&o.Root, "root", o.Root, "`RANK` root of rooted operations, or rotate")
	flags.BoolVar(&o.InPlace, "in-place", false, "the result replaces the input (MPI_IN_PLACE)")
	flags.StringVar(&o.Distribution, "distribution", "", "`NAME` lengths of the blocks of vector forms such as gatherv: even, large (one is half of all), empty (every second), zipf, random, or matrix:FILE with the proportions of the bytes from each rank (row) to each (column)")
	flags.StringVar(&o.Topology, "topology", "", "`NAME` neighbours of neighbor_allgather and neighbor_alltoall: cart:N (a periodic grid of N dimensions; default 2), or graph:FILE, in which each rank (row) sends to those (columns) whose number is above 0; inter: barrier, bcast, allgather, alltoall or allreduce between the first half of the ranks and the others")
	flags.StringVar(&o.Datatypes, "datatype", "", "`LIST` types of the elements of reductions, as Go names them (float64, int8 ...), or all (default float32)")
	flags.StringVar(&o.Reductions, "reduction", "", "`LIST` operators of reductions: sum, prod, max, min, band, bor, bxor, land, lor, lxor, or all (default sum)")
	flags.BoolVar(&o.Overlap, "overlap", false, "measure the non-blocking operation, and the share of it that overlaps with a computation of equal length")
	flags.IntVar(&o.Groups, "groups", o.Groups, "`N` groups of equal size that run the operation at the same time")
	flags.StringVar(&o.Start, "start", o.Start, "`METHOD` start of events: time (at an announced time), barrier, none (back to back, as IMB does), or auto")
	flags.StringVar(&o.Sync, "sync", o.Sync, "`METHOD` clock synchronisation: shared (the clock of one host), hca3 (by messages), or auto")
	flags.StringVar(&o.Skew, "skew", o.Skew, "`SKEW` delay ranks: none, random:TIME (each rank by up to TIME), late:TIME (one rank)")
	flags.StringVar(&o.Agreement, "check", o.Agreement, "`METHOD` check that ranks pass matching arguments: free (where it costs nothing) or strict (before each operation)")
}

// namesIn returns a check of the arguments of a verb, which are names of a list.
func namesIn(check func(list string) error) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if err := check(strings.Join(args, ",")); err != nil && len(args) > 0 {
			return &exit.UsageError{Err: err}
		}
		return nil
	}
}

// listed sets the list of a flag to the arguments of a verb, if it has any: gobench coll bcast is
// gobench coll --op=bcast.
func listed(cmd *cobra.Command, flag string, list *string, arguments []string) error {
	if len(arguments) == 0 {
		return nil
	}
	if cmd.Flags().Changed(flag) {
		return cli.Usagef("%q is too much beside --%s: name all in one place", arguments[0], flag)
	}
	*list = strings.Join(arguments, ",")
	return nil
}

// failIfFlag adds --fail-if.
func failIfFlag(flags *pflag.FlagSet, conditions *[]string) {
	flags.StringArrayVar(conditions, "fail-if", nil, "`EXPR` end with exit code 4 if the expression is true for a row, and with 2 if it cannot be judged: METRIC[.STATISTIC][@SIZE] < or > VALUE, such as 'half_rtt.p99@16K > 20us' or 'bandwidth@1MiB < 10GB/s'; statistics are "+experiment.Statistics()+"; may be repeated")
}
