package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"gobench/internal/cli"
	"gobench/launch/bridge"
	"gobench/launch/detect"
	"gobench/launch/rendezvous"
)

func init() {
	if bridge.Built {
		detect.RegisterBridge()
	}
}

// newBridge returns the hidden verb that ranks of a launcher with PMIx start.
func newBridge() *cobra.Command {
	return &cobra.Command{
		Use:    rendezvous.BridgeVerb,
		Short:  "Connects a rank to the PMIx server of its launcher (used by ranks)",
		Hidden: true,
		Args:   cli.None,
		RunE: func(*cobra.Command, []string) error {
			// A signal to both must not end the bridge before its rank has finished.
			signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
			return bridge.Serve(os.NewFile(rendezvous.BridgeFD, "rank"), bridge.Open)
		},
	}
}
