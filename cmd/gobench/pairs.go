package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/spf13/cobra"

	"gobench/device"
	"gobench/experiment"
	"gobench/experiment/pairwise"
	"gobench/internal/exit"
	"gobench/internal/terminal"
	"gobench/launch/hostlist"
	"gobench/launch/remote"
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
		Args:   none,
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
	on      experiment.Hosts
	measure pairwise.Options
	plan    pairs.Options
	set     []string
	all     bool
	json    bool
}

func newPairs() *cobra.Command {
	f := pairsFlags{measure: pairwise.Defaults, on: experiment.NewP2P().On}
	cmd := &cobra.Command{
		Use:   "pairs [flags]",
		Short: "Pairs: which host, link or switch of a cluster is slow, over ssh alone",
		Example: `  gobench pairs --hosts=h[1-16]
  gobench pairs                                 in an allocation: its hosts
  gobench pairs --hostfile=hosts --all          every two hosts`,
		Long: "Each round measures disjoint pairs of hosts at the same time: small messages, and large messages in each direction and in both. Hosts that deviate are measured again, alone and under load, with two hosts that do not. " +
			"Exit code 4 means that something was found.",
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return f.run(ctx, cmd)
		},
	}
	flags := cmd.Flags()
	hostFlags(flags, &f.on)
	flags.StringVar(&f.measure.Transport, "transport", f.measure.Transport, "`NAME` transport between the hosts")
	flags.StringArrayVar(&f.set, "set", nil, "`NAME=VALUE` option of the transport (gobench probe lists them); may be repeated")
	flags.IntVar(&f.plan.Rounds, "rounds", 0, "`N` rounds of disjoint pairs (default: 2 log2 of the number of hosts, at least 6)")
	flags.BoolVar(&f.all, "all", false, "measure every two hosts once")
	flags.IntVar(&f.plan.AtOnce, "at-once", 0, "`N` pairs that are measured at the same time; with 1, nothing is measured under load (default: all pairs of a round)")
	flags.Float64Var(&f.plan.Least, "factor", 0, "`X` smallest factor of times and bandwidths that is named (default 1.15)")
	flags.Uint64Var(&f.plan.Seed, "seed", 0, "`N` seed of the random partners (default: random)")
	flags.BoolVar(&f.json, "json", false, "print the verdict as one JSON object")
	flags.SortFlags = false
	return cmd
}

func (f *pairsFlags) run(ctx context.Context, cmd *cobra.Command) error {
	hosts, note, err := f.on.Find(ctx)
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return &exit.UsageError{Err: err}
	}
	notice := func(s string) { fmt.Fprintf(cmd.ErrOrStderr(), "gobench: %s\n", terminal.Plain(s)) }
	if note != "" {
		notice(note)
	}
	unreachable := map[string]string{}
	how := f.on.Remote()
	how.Notice = notice
	how.Skip = func(e *remote.MemberError) { unreachable[e.Host] = e.Problem }
	cluster, err := remote.Connect(ctx, hosts, how)
	if err != nil {
		return err
	}
	defer cluster.Close()
	workers := pairwise.Start(ctx, cluster, []string{workerVerb}, f.measure, func(host string, err error) { unreachable[host] = err.Error() })
	defer workers.Close()
	study, members := f.study(cluster.Hosts(), unreachable)
	err = workers.Run(ctx, members, study, nil, func([]pairs.Sample) {})
	interrupted := ctx.Err() != nil
	if err != nil && !interrupted {
		return err
	}
	var notes []pairs.Note
	for _, h := range members {
		if why, ok := unreachable[h.Name]; ok {
			notes = append(notes, pairs.Note{Host: h.Name, Kind: pairs.NoAnswer, Text: why})
		} else if err := workers.Lost()[h.Name]; err != nil {
			notes = append(notes, pairs.Note{Host: h.Name, Kind: pairs.NoAnswer, Text: err.Error()})
		}
	}
	v := study.Verdict(notes)
	if err := f.print(cmd.OutOrStdout(), v); err != nil {
		return err
	}
	switch {
	case len(v.Findings) > 0:
		return &exit.ReportedError{Code: exit.Regression, Err: errors.New("some hosts are not like the others")}
	case interrupted:
		return &exit.ReportedError{Code: exit.Failed, Err: context.Cause(ctx)}
	}
	return nil
}

// check completes the options.
func (f *pairsFlags) check() error {
	driver, err := device.Lookup(f.measure.Transport)
	if err != nil {
		return err
	}
	f.measure.Transport = driver.Name()
	if f.measure.Set, err = experiment.OptionsOf(driver, f.set); err != nil {
		return err
	}
	// A peer that is silent is named before the deadline of the pair, with the reason.
	declares := slices.ContainsFunc(driver.Options(), func(o device.Option) bool { return o.Name == "peer_timeout" && o.Default == "10000" })
	if _, typed := f.measure.Set["peer_timeout"]; declares && !typed {
		f.measure.Set["peer_timeout"] = fmt.Sprint(f.measure.Deadline.Milliseconds() / 2)
	}
	if f.plan.Seed == 0 {
		f.plan.Seed = rand.Uint64()
	}
	return nil
}

// study plans the measurement of the members of a cluster, and of those that are unreachable, which
// are left out at once.
func (f *pairsFlags) study(members []hostlist.Host, unreachable map[string]string) (*pairs.Study, []pairs.Host) {
	var hosts []pairs.Host
	for _, m := range members {
		hosts = append(hosts, pairs.Host{Name: m.Name})
	}
	for name := range unreachable {
		if !slices.ContainsFunc(hosts, func(h pairs.Host) bool { return h.Name == name }) {
			hosts = append(hosts, pairs.Host{Name: name})
		}
	}
	if f.all {
		f.plan.Rounds = max(len(hosts)-1+len(hosts)%2, f.plan.Rounds)
	}
	study := pairs.NewStudy(hosts, f.plan)
	for name := range unreachable {
		study.Drop(name)
	}
	return study, hosts
}

func (f *pairsFlags) print(w io.Writer, v pairs.Verdict) error {
	if f.json {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	}
	return report.Print(w, v, terminal.Of(w).Width)
}
