package main

import (
	"github.com/spf13/cobra"

	"gobench/internal/terminal"
	"gobench/report"
)

func newShow() *cobra.Command {
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "show FILE...",
		Short: "The tables again, from files of records, or folders of them",
		Example: `  gobench show results/host-2026-11-21.jsonl
  gobench show results/*.jsonl --csv > all.csv`,
		Args: atLeastOne("file"),
		RunE: func(cmd *cobra.Command, files []string) error {
			form, err := format.form()
			if err != nil {
				return usageError{err}
			}
			out := cmd.OutOrStdout()
			return report.Show(out, cmd.ErrOrStderr(), terminal.Of(out), form, files)
		},
	}
	format.register(cmd.Flags())
	return cmd
}
