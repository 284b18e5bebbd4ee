package main

import (
	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/experiment/trial"
)

// newTrial returns the hidden verb by which gobench measures the profile of this machine.
func newTrial() *cobra.Command {
	return &cobra.Command{
		Use:    experiment.TrialVerb,
		Short:  "Measures the profile of this machine (used by the verbs that measure)",
		Hidden: true,
		Args:   none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return trial.Verb(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}
