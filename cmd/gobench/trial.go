package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gobench/cmd/gobench/measure"
	"gobench/device"
	"gobench/internal/profile"
	"gobench/launch"
)

// newTrial returns the hidden verb by which gobench measures a profile of this machine: it starts a
// pair of ranks at each distance of cores, and prints the choices as JSON.
func newTrial() *cobra.Command {
	return &cobra.Command{
		Use:    measure.TrialVerb,
		Short:  "Measures the profile of this machine (used by the verbs that measure)",
		Hidden: true,
		Args:   none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			rank, err := launch.FromEnv()
			switch {
			case err != nil:
				return err
			case rank != nil:
				return trialRank(ctx, rank, cmd.OutOrStdout())
			}
			return trialPairs(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

// trialPairs starts the pairs. A machine with one core has none.
func trialPairs(ctx context.Context, stdout, stderr io.Writer) error {
	launch.Leave()
	pairs, err := measure.TrialPairs()
	if err != nil {
		return err
	}
	for _, cores := range pairs {
		result, err := launch.Local(ctx, launch.Spec{
			Ranks: 2, Cores: cores, Args: []string{measure.TrialVerb}, Stdout: stdout, Stderr: stderr,
			Env: append(os.Environ(), fmt.Sprintf("%s=%v", trialTime, measure.TrialTime/time.Duration(len(pairs)))),
		})
		if err != nil {
			return err
		}
		if result.ExitCode != 0 {
			return result.Err()
		}
	}
	return nil
}

// trialTime is the environment variable with the time of the trials of a pair.
const trialTime = "GOBENCH_TRIAL_TIME"

// trialRank runs one rank of a pair. Rank 0 prints the choices.
func trialRank(ctx context.Context, rank *launch.Rank, stdout io.Writer) error {
	defer rank.Close()
	if err := rank.Pin(); err != nil {
		return err
	}
	within, err := time.ParseDuration(os.Getenv(trialTime))
	if err != nil {
		return err
	}
	var found []profile.Choice
	for _, d := range device.Drivers() {
		trier, ok := d.(device.Trier)
		if !ok {
			continue
		}
		choices, err := trier.Try(ctx, rank, within)
		if err != nil && !errors.As(err, new(*device.UnavailableError)) {
			return err
		}
		found = append(found, choices...)
	}
	if rank.Rank() > 0 {
		return nil
	}
	return json.NewEncoder(stdout).Encode(found)
}
