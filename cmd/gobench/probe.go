package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gobench/cmd/gobench/survey"
	"gobench/experiment"
	"gobench/internal/exit"
	"gobench/internal/nearest"
)

func newProbe() *cobra.Command {
	var asJSON, reset, full bool
	cmd := &cobra.Command{
		Use:   "probe [TRANSPORT] [flags]",
		Short: "Show what works on this machine, and why the rest does not",
		Example: `  gobench probe
  gobench probe smem                           its options, for --set
  gobench probe --json | jq .transports
  gobench probe --reset                        forget the stored state of the cores of this host`,
		Args: atMostOne("transport"),
		RunE: func(cmd *cobra.Command, names []string) error {
			if reset {
				return forget(cmd.OutOrStdout())
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead of text")
	cmd.Flags().BoolVar(&full, "full", false, "print everything, with the options of all transports that work")
	cmd.Flags().BoolVar(&reset, "reset", false, "forget the best state of the cores that earlier commands saw on this host")
	cmd.MarkFlagsMutuallyExclusive("json", "reset", "full")
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
