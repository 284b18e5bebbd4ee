package main

import (
	"github.com/spf13/cobra"

	"gobench/cmd/gobench/survey"
)

func newProbe() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "probe [flags]",
		Short: "Show what works on this machine, and why the rest does not",
		Example: `  gobench probe
  gobench probe --json | jq .transports`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := survey.Take()
			if err != nil {
				return err
			}
			if asJSON {
				return s.JSON(cmd.OutOrStdout())
			}
			return s.Print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead of text")
	return cmd
}
