package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/experiment/survey"
)

func newProbe() *cobra.Command {
	var asJSON, reset bool
	cmd := &cobra.Command{
		Use:   "probe [flags]",
		Short: "Show what works on this machine, and why the rest does not",
		Example: `  gobench probe
  gobench probe --json | jq .transports
  gobench probe --reset                        forget the stored state of the cores of this host`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if reset {
				return forget(cmd.OutOrStdout())
			}
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
	cmd.Flags().BoolVar(&reset, "reset", false, "forget the best state of the cores that earlier commands saw on this host")
	cmd.MarkFlagsMutuallyExclusive("json", "reset")
	return cmd
}

// forget removes the stored state of the cores of this host.
func forget(w io.Writer) error {
	known, err := experiment.ForgetScale()
	if err != nil {
		return err
	}
	if known == "" {
		known = "nothing was known"
	}
	_, err = fmt.Fprintf(w, "the state of the cores of this host is forgotten: %s\n", known)
	return err
}
