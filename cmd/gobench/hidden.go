package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/internal/cli"
	"gobench/internal/experiment/trial"
	"gobench/internal/launch/bridge"
	"gobench/internal/launch/detect"
	"gobench/internal/launch/remote"
	"gobench/internal/launch/signals"
	"gobench/launch/rendezvous"
)

// newHidden returns a verb for gobench itself, without arguments.
func newHidden(name, short string, run func(*cobra.Command) error) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Hidden: true, Args: cli.None,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd) },
	}
}

// newAgent returns the verb that gobench runs on the hosts of --hosts.
func newAgent() *cobra.Command {
	return newHidden("agent", "Starts ranks on this host for a gobench on another one (used by --hosts)", func(*cobra.Command) error {
		stream, err := remote.StandardStream()
		if err != nil {
			return err
		}
		return remote.Agent(stream)
	})
}

func init() {
	experiment.RegisterTrials()
	if bridge.Built {
		detect.RegisterBridge()
	}
}

// newBridge returns the verb that ranks of a launcher with PMIx start.
func newBridge() *cobra.Command {
	return newHidden(rendezvous.BridgeVerb, "Connects a rank to the PMIx server of its launcher (used by ranks)", func(*cobra.Command) error {
		// A signal to both must not end the bridge before its rank has finished.
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		return bridge.Serve(os.NewFile(rendezvous.BridgeFD, "rank"), bridge.Open)
	})
}

// newTrial returns the verb by which gobench measures the profile of this machine.
func newTrial() *cobra.Command {
	return newHidden(experiment.TrialVerb, "Measures the profile of this machine (used by the verbs that measure)", func(cmd *cobra.Command) error {
		ctx, stop := signals.Context(cmd.Context())
		defer stop()
		return trial.Verb(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
}
