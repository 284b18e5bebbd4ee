package main

import (
	"github.com/spf13/cobra"

	"gobench/internal/cli"
	"gobench/launch/remote"
)

// newAgent returns the hidden verb that gobench runs on the hosts of --hosts.
func newAgent() *cobra.Command {
	return &cobra.Command{
		Use:    "agent",
		Short:  "Starts ranks on this host for a gobench on another one (used by --hosts)",
		Hidden: true,
		Args:   cli.None,
		RunE: func(*cobra.Command, []string) error {
			stream, err := remote.StandardStream()
			if err != nil {
				return err
			}
			return remote.Agent(stream)
		},
	}
}
