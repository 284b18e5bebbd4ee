package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/bench"
	"gobench/device"
	"gobench/experiment"
	"gobench/experiment/pairwise"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/internal/terminal"
	"gobench/launch/remote"
	"gobench/launch/rendezvous"
	"gobench/launch/signals"
	"gobench/nearest"
	"gobench/pairs"
	report "gobench/report/pairwise"
)

// workerVerb is the hidden verb that runs on the hosts.
const workerVerb = "pairs-worker"

func newPairsWorker() *cobra.Command {
	return &cobra.Command{
		Use:    workerVerb,
		Short:  "Measures pairs of hosts for gobench pairs on another host",
		Hidden: true,
		Args:   cli.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stream, err := remote.StandardStream()
			if err != nil {
				return err
			}
			return pairwise.Work(cmd.Context(), stream)
		},
	}
}

// pairsFlags are the flags of gobench pairs.
type pairsFlags struct {
	on       experiment.Hosts
	command  pairwise.Command
	set      []string
	topology string
	baseline string
	load     string
	loadRate string
	figure   string
	log      string
	resume   bool
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signals.Context(cmd.Context())
			defer stop()
			return f.run(ctx, cmd)
		},
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
	cli.TimeVar(flags, &m.Deadline, "deadline", "`TIME` after which a pair has no result")
	flags.StringVar(&f.load, "load", "", "`PATTERN` measure half of the hosts in turns without and with a load of the others, instead of naming bad ones: incast, fanout, broadcast, alltoall, random, or matrix:FILE with the bytes from each host (row) to each (column)")
	flags.StringVar(&f.loadRate, "load-rate", "", "`BYTES` that a host of --load sends in a second at most, such as 100M (default: as many as it can)")
	flags.Uint64Var(&plan.Seed, "seed", 0, "`N` seed of the random partners (default: random)")
	flags.StringVarP(&f.log, "output", "o", "", "`FILE` append the results of each pair to this file, as JSON Lines")
	flags.BoolVar(&f.resume, "resume", false, "go on with the measurement that --output has, if it was interrupted")
	flags.StringArrayVar(&f.exports, "export", nil, "`KIND:FILE` also write the verdict to this file, replacing it; kinds are "+kindsOfFiles()+"; may be repeated")
	flags.StringVar(&f.figure, "figure", "", "`FILE` also draw the times between all hosts to this file, replacing it: .svg, .png or .pdf")
	flags.StringVar(&f.baseline, "baseline", "", "`FILE` of an earlier --output with the same hosts; what is slower than then is named")
	flags.BoolVar(&f.json, "json", false, "print the verdict as one JSON object")
	flags.BoolVar(&f.csv, "csv", false, "print a row for each measured pair as CSV")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan and the expected time")
	flags.SortFlags = false
	return cmd
}

// pairsHostFlags registers the flags that name hosts, for verbs that start no ranks there.
func pairsHostFlags(flags *pflag.FlagSet, on *experiment.Hosts) {
	flags.Func("hosts", "`LIST` hosts, by ssh: a,b,user@c,h[1-16] (default: those of the allocation of a scheduler)", cli.NotEmpty(&on.List))
	flags.Func("hostfile", "`FILE` that lists them, as Open MPI, Hydra, PBS, Grid Engine, LSF or Slurm write it", cli.NotEmpty(&on.File))
	flags.StringVar(&on.Copy, "copy", on.Copy, "`METHOD` installation of gobench on hosts: auto (copy this program), or never (it is already there, under the same path)")
	flags.StringVar(&on.SSH, "ssh", os.Getenv("GOBENCH_SSH"), "`COMMAND` run this command instead of ssh (default $GOBENCH_SSH)")
}

func kindsOfFiles() string {
	var names []string
	for _, k := range report.Kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// An export is a file that the verdict is written to.
type export struct {
	kind report.Kind
	file string
}

func (f *pairsFlags) run(ctx context.Context, cmd *cobra.Command) error {
	rank, err := rendezvous.Join(ctx, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if rank != nil { // another launcher has started this process on each host
		defer rank.Close()
		if rank.Rank() != 0 {
			return pairwise.Serve(ctx, rank)
		}
		f.command.Job = rank
	}
	notice := func(s string) { fmt.Fprintf(cmd.ErrOrStderr(), "gobench: %s\n", terminal.Plain(s)) }
	exports, err := f.check(ctx, notice)
	if err != nil {
		return &exit.UsageError{Err: err}
	}
	if f.dryRun {
		return f.plan(cmd.OutOrStdout())
	}
	if f.load != "" {
		return f.impact(ctx, cmd.OutOrStdout())
	}
	var before []pairs.Sample
	if f.baseline != "" {
		if _, before, err = readPairsLog(f.baseline); err != nil {
			return err
		}
		if len(before) == 0 {
			return fmt.Errorf("%s has no results: name a file that --output has written", f.baseline)
		}
	}
	log, err := f.openLog()
	if err != nil {
		return err
	}
	defer log.Close()
	var logErr error
	named := map[string]bool{}
	begun := time.Now()
	f.command.Each = func(p pairwise.Progress) {
		if err := log.add(p.Results); err != nil && logErr == nil {
			logErr = fmt.Errorf("results could not be written to %s: %w", f.log, err)
		}
		v := p.Verdict()
		for _, found := range slices.Concat(v.Findings, v.Suspects) {
			line := report.Name(found) + ": suspected"
			if found.Status != pairs.Unconfirmed {
				line = fmt.Sprintf("%s: %s, %s", report.Name(found), found.Kind, found.Status)
			} else if found.Scope == pairs.OfPair {
				continue // noise makes some; those that are confirmed count
			}
			if !named[line] {
				named[line] = true
				notice(fmt.Sprintf("%s (round %d, %v)", line, p.Measured, time.Since(begun).Round(100*time.Millisecond)))
			}
		}
	}
	result, err := f.command.Run(ctx)
	if err != nil {
		return err
	}
	var changes []pairs.Change
	if f.baseline != "" {
		changes = pairs.CompareBaseline(before, result.Samples, cmp.Or(f.command.Plan.MinFactor, usualFactor))
	}
	if err := f.print(cmd.OutOrStdout(), result, changes); err != nil {
		return err
	}
	for _, e := range exports {
		err := replaced(e.file, func(w io.Writer) error { return report.Write(w, e.kind, result.Verdict, result.Samples, begun) })
		if err != nil {
			return err
		}
	}
	if drawn := report.Figure(result.Verdict, result.Hosts, result.Samples); f.figure != "" && drawn != nil {
		format := strings.TrimPrefix(filepath.Ext(f.figure), ".")
		if err := replaced(f.figure, func(w io.Writer) error { return drawn.Write(w, format) }); err != nil {
			return err
		}
	}
	return errors.Join(logErr, verdictError(ctx, result, changes))
}

// impact measures with a load, and prints how much it disturbs.
func (f *pairsFlags) impact(ctx context.Context, w io.Writer) error {
	load, err := f.loadOf()
	if err != nil {
		return &exit.UsageError{Err: err}
	}
	i, err := f.command.Impact(ctx, load)
	if err != nil {
		return err
	}
	factors, samples, failed := i.Factors()
	if f.json {
		return json.NewEncoder(w).Encode(struct {
			*pairs.Impact
			Factors []pairs.Factor `json:"factors"`
			Samples int            `json:"samples"`
			Failed  int            `json:"failed"`
		}{i, factors, samples, failed})
	}
	fmt.Fprintf(w, "load %s by %s: %d measurements of the others, %d without a result\n", i.Pattern, strings.Join(i.Loading, ", "), samples, failed)
	for _, x := range factors {
		fmt.Fprintf(w, "  %s: %s\n", x.Of, x)
	}
	return nil
}

// loadOf returns the load of --load.
func (f *pairsFlags) loadOf() (l pairwise.Load, err error) {
	l.Seed = f.command.Plan.Seed
	var file string
	l.Pattern, file, _ = strings.Cut(f.load, ":")
	if !slices.Contains(pairwise.Patterns, l.Pattern) {
		return l, &nearest.UnknownError{What: "load", Name: l.Pattern, Known: pairwise.Patterns}
	}
	if l.Pattern == "matrix" {
		if l.Matrix, err = pairwise.ReadMatrix(file); err != nil {
			return l, err
		}
	}
	if f.loadRate != "" {
		sizes, err := bench.ParseSizes(f.loadRate)
		if err != nil || len(sizes) != 1 || sizes[0] <= 0 {
			return l, fmt.Errorf("--load-rate is %q, want bytes in a second, such as 100M", f.loadRate)
		}
		l.Rate = float64(sizes[0])
	}
	return l, nil
}

// usualFactor is the default of --factor.
const usualFactor = 1.15

// verdictError returns the error that gives the exit code of a verdict.
func verdictError(ctx context.Context, r *pairwise.Result, changes []pairs.Change) error {
	switch {
	case len(r.Verdict.Findings)+len(changes) > 0:
		return &exit.ReportedError{Code: exit.Regression, Err: errors.New("some hosts are not like the others")}
	case r.Interrupted:
		return &exit.ReportedError{Code: exit.Failed, Err: context.Cause(ctx)}
	}
	return nil
}

// check completes the options.
func (f *pairsFlags) check(ctx context.Context, notice func(string)) ([]export, error) {
	c := &f.command
	var remark string
	var err error
	if c.Job != nil && (f.on.List != "" || f.on.File != "") {
		return nil, errors.New("--hosts and --hostfile are for hosts that gobench connects: leave them out, or the launcher")
	}
	if c.Job == nil {
		c.Hosts, remark, err = f.on.Find(ctx)
	}
	if err != nil {
		return nil, err
	}
	if remark != "" {
		notice(remark)
	}
	c.How = f.on.Remote()
	c.How.Notice = notice
	if f.json && f.csv {
		return nil, errors.New("--json and --csv exclude each other: choose one")
	}
	if ext := filepath.Ext(f.figure); f.figure != "" && !slices.Contains([]string{".svg", ".png", ".pdf"}, ext) {
		return nil, fmt.Errorf("--figure is %q, want a name that ends in .svg, .png or .pdf", f.figure)
	}
	if f.resume && f.log == "" {
		return nil, errors.New("--resume goes on with the measurement in a file: name it with --output")
	}
	m := &c.Measure
	if m.Small <= 0 || m.Large <= 0 || m.Deadline < time.Second {
		return nil, errors.New("--small-time and --large-time must be more than 0, and --deadline 1s or more")
	}
	if c.Plan.Rounds < 0 || c.Plan.AtOnce < 0 || c.Plan.MinFactor < 0 || c.Plan.MinFactor > 0 && c.Plan.MinFactor <= 1 {
		return nil, errors.New("--rounds and --at-once must be 0 or more, and --factor more than 1")
	}
	if f.topology != "" {
		if c.Locations, err = pairwise.ReadLocations(f.topology); err != nil {
			return nil, err
		}
	}
	driver, err := device.Lookup(m.Transport)
	if err != nil {
		return nil, err
	}
	m.Transport = driver.Name()
	if m.Set, err = experiment.OptionsOf(driver, f.set); err != nil {
		return nil, err
	}
	// A peer that is silent is named before the deadline of the pair, with the reason.
	declares := slices.ContainsFunc(driver.Options(), func(o device.Option) bool { return o.Name == "peer_timeout" && o.Default == "10000" })
	if _, typed := m.Set["peer_timeout"]; declares && !typed {
		m.Set["peer_timeout"] = fmt.Sprint(m.Deadline.Milliseconds() / 2)
	}
	if c.Plan.Seed == 0 {
		c.Plan.Seed = rand.Uint64()
	}
	return parseExports(f.exports)
}

func parseExports(typed []string) (list []export, err error) {
	for _, t := range typed {
		kind, file, _ := strings.Cut(t, ":")
		switch {
		case !slices.Contains(report.Kinds, report.Kind(kind)):
			var known []string
			for _, k := range report.Kinds {
				known = append(known, string(k))
			}
			return nil, &nearest.UnknownError{What: "kind of --export", Name: kind, Known: known}
		case file == "":
			return nil, fmt.Errorf("--export is %q, want KIND:FILE, such as bad:bad.txt", t)
		}
		list = append(list, export{report.Kind(kind), file})
	}
	return list, nil
}

// replaced replaces a file as a whole, because monitors read it at any time.
func replaced(file string, write func(io.Writer) error) error {
	temporary := file + ".part"
	w, err := os.Create(temporary)
	if err != nil {
		return err
	}
	if err := errors.Join(write(w), w.Close()); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return os.Rename(temporary, file)
}

// plan prints what would be measured.
func (f *pairsFlags) plan(w io.Writer) error {
	c := f.command
	n := len(c.Hosts)
	rounds := c.Plan.Rounds
	if rounds == 0 {
		rounds = pairs.DefaultRounds(n)
	}
	if c.Whole {
		rounds = max(rounds, n-1+n%2)
	}
	atOnce := n / 2
	if c.Plan.AtOnce > 0 {
		atOnce = min(atOnce, c.Plan.AtOnce)
	}
	batches := 0
	if atOnce > 0 {
		batches = rounds * ((n/2 + atOnce - 1) / atOnce)
	}
	each := c.Measure.Small + 3*c.Measure.Large
	_, err := fmt.Fprintf(w, "%d hosts: %d rounds of %d pairs, %d at the same time, over %s; about %v, and for each suspect about %v more\n",
		n, rounds, n/2, atOnce, c.Measure.Transport, (time.Duration(batches) * each).Round(100*time.Millisecond), (27 * each).Round(100*time.Millisecond))
	return err
}

func (f *pairsFlags) print(w io.Writer, r *pairwise.Result, changes []pairs.Change) error {
	switch {
	case f.csv:
		return report.Write(w, report.CSV, r.Verdict, r.Samples, time.Time{})
	case f.json:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			pairs.Verdict
			Facts   []pairs.Facts  `json:"hosts"`
			Remarks []pairs.Remark `json:"notes,omitempty"`
			Since   []pairs.Change `json:"slower_than_baseline,omitempty"`
		}{r.Verdict, r.Facts, r.Remarks, changes})
	}
	if err := report.Print(w, r.Verdict, terminal.Of(w).Width); err != nil {
		return err
	}
	for _, c := range changes {
		if _, err := fmt.Fprintln(w, c); err != nil {
			return err
		}
	}
	return nil
}
