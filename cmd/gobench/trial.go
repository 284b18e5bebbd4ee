package main

import (
	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/experiment/trial"
	"gobench/internal/cli"
	"gobench/launch/signals"
)

// newTrial returns the hidden verb by which gobench measures the profile of this machine.
func newTrial() *cobra.Command {
	return &cobra.Command{
		Use:    experiment.TrialVerb,
		Short:  "Measures the profile of this machine (used by the verbs that measure)",
		Hidden: true,
		Args:   cli.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signals.Context(cmd.Context())
			defer stop()
			return trial.Verb(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}
