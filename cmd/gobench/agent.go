package main

import (
	"github.com/spf13/cobra"

	"gobench/launch"
)

// newAgent is the verb by which gobench runs on the hosts of --hosts; people do not type it.
func newAgent() *cobra.Command {
	return &cobra.Command{
		Use:    "agent",
		Short:  "Starts ranks on this host for a gobench on another one (used by --hosts)",
		Hidden: true,
		Args:   none,
		RunE: func(*cobra.Command, []string) error {
			stream, err := launch.StandardStream()
			if err != nil {
				return err
			}
			return launch.Agent(stream)
		},
	}
}
