package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/internal/experiment/pairwise"
	"gobench/internal/experiment/survey"
	"gobench/internal/launch/remote"
	"gobench/internal/launch/signals"
	report "gobench/internal/report/pairwise"
	"gobench/internal/terminal"
	"gobench/nearest"
)

func newProbe() *cobra.Command {
	var asJSON, reset, full bool
	on := experiment.NewP2P().On
	cmd := &cobra.Command{
		Use:   "probe [TRANSPORT] [flags]",
		Short: "Show what works on this machine, and why the rest does not",
		Example: `  gobench probe
  gobench probe smem                           its options, for --set
  gobench probe --json | jq .transports
  gobench probe --hosts=h[1-16]                which hosts can be reached, and what differs on some
  gobench probe --reset                        forget the stored state of the cores of this host`,
		Args: cli.OneOrNone("transport"),
		RunE: func(cmd *cobra.Command, names []string) error {
			if reset {
				return forget(cmd.OutOrStdout())
			}
			if on.List != "" || on.File != "" {
				if len(names) > 0 {
					return cli.Usagef("%q is too much beside --hosts, which shows no options of a transport", names[0])
				}
				ctx, stop := signals.Context(cmd.Context())
				defer stop()
				return probeHosts(ctx, cmd, &on, asJSON)
			}
			s, err := survey.Take()
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			switch {
			case asJSON:
				return s.JSON(out)
			case len(names) > 0:
				if err := s.PrintTransport(out, names[0]); errors.As(err, new(*nearest.UnknownError)) {
					return &exit.UsageError{Err: err}
				} else {
					return err
				}
			case full:
				return s.PrintAll(out)
			}
			return s.Print(out)
		},
	}
	pairsHostFlags(cmd.Flags(), &on)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead of text")
	cmd.Flags().BoolVar(&full, "full", false, "print everything, with the options of all transports that work")
	cmd.Flags().BoolVar(&reset, "reset", false, "forget the best state of the cores that earlier commands saw on this host")
	cmd.Flags().SortFlags = false
	cmd.MarkFlagsMutuallyExclusive("json", "reset", "full")
	for _, of := range []string{"hosts", "hostfile"} {
		cmd.MarkFlagsMutuallyExclusive(of, "reset")
		cmd.MarkFlagsMutuallyExclusive(of, "full")
	}
	return cmd
}

// forget removes the stored state of the cores of this host.
func forget(w io.Writer) error {
	known, err := experiment.ForgetScale()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "the state of the cores of this host is forgotten: %s\n", cmp.Or(known, "nothing was known"))
	return err
}

// probeHosts looks at other hosts and the connections between them, before anything is measured.
func probeHosts(ctx context.Context, cmd *cobra.Command, on *experiment.Hosts, asJSON bool) error {
	hosts, _, err := on.Find(ctx)
	if err != nil {
		return &exit.UsageError{Err: err}
	}
	c := pairwise.Command{Hosts: hosts, How: remote.Options{SSH: on.SSH, Copy: on.Copy == "auto"}, Worker: []string{workerVerb}}
	c.How.Notice = func(s string) { fmt.Fprintf(cmd.ErrOrStderr(), "gobench: %s\n", terminal.Plain(s)) }
	r, err := c.Probe(ctx)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if asJSON {
		err = report.PrintJSON(out, r)
	} else {
		err = report.PrintProbe(out, r, terminal.Of(out).Width)
	}
	return errors.Join(err, report.Err(ctx, r))
}
