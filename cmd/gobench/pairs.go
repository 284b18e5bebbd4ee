package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/device"
	"gobench/experiment"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/internal/experiment/pairwise"
	"gobench/internal/launch/remote"
	"gobench/internal/launch/signals"
	report "gobench/internal/report/pairwise"
	"gobench/internal/terminal"
	"gobench/launch/rendezvous"
	"gobench/pairs"
)

// workerVerb is the hidden verb that runs on the hosts.
const workerVerb = "pairs-worker"

func newPairsWorker() *cobra.Command {
	return newHidden(workerVerb, "Measures pairs of hosts for gobench pairs on another host", func(cmd *cobra.Command) error {
		stream, err := remote.StandardStream()
		if err != nil {
			return err
		}
		return pairwise.Work(cmd.Context(), stream)
	})
}

// pairsFlags are the flags of gobench pairs.
type pairsFlags struct {
	on       experiment.Hosts
	command  pairwise.Command
	set      []string
	topology string
	load     string
	loadRate string
	limits   []string
	json     bool
	csv      bool
	exports  []string
	dryRun   bool
}

func newPairs() *cobra.Command {
	f := pairsFlags{command: pairwise.Command{Measure: pairwise.Defaults, Worker: []string{workerVerb}}, on: experiment.NewP2P().On}
	cmd := &cobra.Command{
		Use:   "pairs [flags]",
		Short: "Pairs: which host, link or switch of a cluster is bad, over ssh alone",
		Example: `  gobench pairs --hosts=h[1-16]
  gobench pairs                                 in an allocation: its hosts
  gobench pairs --hostfile=hosts --all          every two hosts
  gobench pairs --hosts=h[1-64] --topology=/etc/slurm/topology.conf
  gobench pairs --hosts=h[1-64] --export=slurm:drain.sh --export=openmetrics:pairs.prom
  gobench pairs --hosts=h[1-64] -o pairs.jsonl --resume`,
		Long: "Each round measures disjoint pairs of hosts at the same time: small messages, and large messages in each direction and in both. Hosts that deviate are measured again, alone and under load, beside two hosts that do not. " +
			"A host that is down or hangs is left out and named. Exit code 4 means that something was found. Ctrl-C gives the verdict so far.",
		Args: cli.None,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	pairsHostFlags(flags, &f.on)
	m, plan := &f.command.Measure, &f.command.Plan
	flags.StringVar(&m.Transport, "transport", m.Transport, "`NAME` transport between the hosts")
	flags.StringArrayVar(&f.set, "set", nil, "`NAME=VALUE` option of the transport (gobench probe lists them); may be repeated")
	flags.IntVar(&plan.Rounds, "rounds", 0, "`N` rounds of disjoint pairs (default: 2 log2 of the number of hosts, at least 6)")
	flags.BoolVar(&f.command.Whole, "all", false, "measure every two hosts")
	flags.IntVar(&plan.AtOnce, "at-once", 0, "`N` pairs that are measured at the same time; with 1, nothing is measured under load (default: all pairs of a round)")
	flags.Float64Var(&plan.MinFactor, "factor", 0, "`X` smallest factor of times and bandwidths that is named (default 1.15)")
	flags.StringVar(&f.topology, "topology", "", "`FILE` switches of the hosts: topology.conf of Slurm, or lines of a host and its switches, the widest first")
	cli.TimeVar(flags, &m.Small, "small-time", "`TIME` of small messages of a pair")
	cli.TimeVar(flags, &m.Large, "large-time", "`TIME` of large messages of a pair, in each direction and in both")
	cli.TimeVar(flags, &m.Deadline, "deadline", "`TIME` after which a pair has no result, besides the times of its messages")
	flags.StringVar(&f.load, "load", "", "`PATTERN` measure half of the hosts in turns without and with a load of the others, instead of naming bad ones: incast, fanout, broadcast, alltoall, random, or matrix:FILE with the bytes from each host (row) to each (column)")
	flags.StringVar(&f.loadRate, "load-rate", "", "`BYTES` that a host of --load sends in a second at most, such as 100M (default: as many as it can)")
	flags.Uint64Var(&plan.Seed, "seed", 0, "`N` seed of the random partners (default: random)")
	flags.StringVarP(&f.command.Log, "output", "o", "", "`FILE` append the results of each pair to this file, as JSON Lines")
	flags.BoolVar(&f.command.Resume, "resume", false, "go on with the measurement that --output has, if it was interrupted")
	flags.StringArrayVar(&f.exports, "export", nil, "`KIND:FILE` also write the verdict to this file, replacing it; kinds are "+strings.Join(report.Kinds, ", ")+"; may be repeated")
	flags.Func("figure", "`FILE` also draw the times between all hosts to this file, replacing it: .svg, .png or .pdf", func(file string) error {
		f.exports = append(f.exports, report.FigureKind+":"+file)
		return nil
	})
	flags.StringVar(&f.command.Baseline, "baseline", "", "`FILE` of an earlier --output with the same hosts; what is slower than then is named")
	flags.StringArrayVar(&f.limits, "fail-if", nil, "`EXPR` a host for which this is true is bad: half_rtt, bandwidth or both (directions at once), < or >, and a value, such as 'bandwidth < 0.8 x median', 'bandwidth < 0.7 x bound' (of link and PCIe) or 'half_rtt > 20us'; may be repeated")
	flags.BoolVar(&f.json, "json", false, "print the verdict as one JSON object")
	flags.BoolVar(&f.csv, "csv", false, "print a row for each measured pair as CSV")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan and the expected time")
	cli.EndFlags(flags)
	flags.SortFlags = false
	// A load names no host, and has its own plan.
	for _, of := range []string{"rounds", "all", "at-once", "factor", "topology", "resume", "export", "figure", "baseline", "fail-if", "csv", "dry-run"} {
		cmd.MarkFlagsMutuallyExclusive("load", of)
	}
	return cmd
}

// pairsHostFlags registers the flags that name hosts, for verbs that start no ranks there.
func pairsHostFlags(flags *pflag.FlagSet, on *experiment.Hosts) {
	flags.Func("hosts", "`LIST` hosts, by ssh: a,b,user@c,h[1-16] (default: those of the allocation of a scheduler)", cli.NotEmpty(&on.List))
	flags.Func("hostfile", "`FILE` that lists them, as Open MPI, Hydra, PBS, Grid Engine, LSF or Slurm write it", cli.NotEmpty(&on.File))
	flags.StringVar(&on.Copy, "copy", on.Copy, "`METHOD` installation of gobench on hosts: auto (copy this program), or never (it is already there, under the same path)")
	flags.StringVar(&on.SSH, "ssh", os.Getenv("GOBENCH_SSH"), "`COMMAND` run this command instead of ssh (default $GOBENCH_SSH)")
}

func (f *pairsFlags) run(cmd *cobra.Command) error {
	ctx, stop := interruptible(cmd)
	defer func() { stop() }()
	rank, err := rendezvous.Join(ctx, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if rank != nil { // another launcher has started this process on each host
		defer rank.Close()
		if rank.Rank() != 0 {
			if f.dryRun {
				return nil
			}
			stop()
			ctx, stop = signals.Context(cmd.Context()) // --timeout ends rank 0, and that the others
			return pairwise.Serve(ctx, rank)
		}
		f.command.Job = rank
	}
	notice := func(s string) { fmt.Fprintf(cli.Notices(cmd), "gobench: %s\n", terminal.Plain(s)) }
	exports, load, err := f.check(ctx, notice)
	if err != nil {
		return &exit.UsageError{Err: err}
	}
	out := cmd.OutOrStdout()
	switch {
	case f.dryRun:
		_, err := fmt.Fprint(out, terminal.Hang("", f.command.Describe(), terminal.Of(out).Width))
		return err
	case load != nil:
		i, err := f.command.Impact(ctx, *load)
		if i == nil {
			return err
		}
		if f.json {
			return errors.Join(report.PrintJSON(out, i), err)
		}
		return errors.Join(report.PrintImpact(out, i), err)
	}
	begun := time.Now()
	f.command.Found = func(found pairs.Finding, rounds int) {
		notice(fmt.Sprintf("%s (round %d, %v)", report.Line(found), rounds, time.Since(begun).Round(100*time.Millisecond)))
	}
	result, logErr := f.command.Run(ctx)
	if result == nil {
		return logErr
	}
	switch {
	case f.csv:
		for _, s := range report.Remarks(result.Verdict) {
			notice(s)
		}
		err = report.Write(out, report.CSV, result, begun)
	case f.json:
		err = report.PrintJSON(out, result)
	default:
		err = report.Print(out, result, terminal.Of(out).Width)
	}
	return errors.Join(err, report.Save(result, exports, begun), logErr, report.Err(ctx, result))
}

// check completes the options.
func (f *pairsFlags) check(ctx context.Context, notice func(string)) (exports []report.Export, load *pairwise.Load, err error) {
	c := &f.command
	if err := experiment.CheckFile(c.Log); err != nil {
		return nil, nil, err
	}
	if c.Job != nil && (f.on.List != "" || f.on.File != "") {
		return nil, nil, errors.New("--hosts and --hostfile are for hosts that gobench connects: leave them out, or the launcher")
	}
	if f.loadRate != "" && f.load == "" {
		return nil, nil, errors.New("--load-rate is that of --load, which is missing")
	}
	if f.json && f.csv {
		return nil, nil, errors.New("--json and --csv exclude each other: choose one")
	}
	if c.Job == nil {
		var remark string
		if c.Hosts, remark, err = f.on.Find(ctx); err != nil {
			return nil, nil, err
		}
		if remark != "" {
			notice(remark)
		}
	}
	c.How = remote.Options{SSH: f.on.SSH, Copy: f.on.Copy == "auto"}
	c.How.Notice = notice
	if f.topology != "" {
		if c.Locations, err = pairwise.ReadLocations(f.topology); err != nil {
			return nil, nil, err
		}
	}
	driver, err := device.Lookup(c.Measure.Transport)
	if err != nil {
		return nil, nil, err
	}
	if c.Measure.Set, err = experiment.OptionsOf(driver, f.set); err != nil {
		return nil, nil, err
	}
	for _, text := range f.limits {
		l, err := pairs.ParseLimit(text)
		if err != nil {
			return nil, nil, fmt.Errorf("--fail-if: %w", err)
		}
		c.Limits = append(c.Limits, l)
	}
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	if f.load != "" {
		load, err = pairwise.ParseLoad(f.load, f.loadRate, c.Plan.Seed)
		return nil, load, err
	}
	exports, err = report.ParseExports(f.exports)
	return exports, nil, err
}
