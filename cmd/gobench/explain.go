package main

import (
	"github.com/spf13/cobra"

	"gobench/cmd/gobench/glossary"
	"gobench/internal/exit"
)

func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [WORD]",
		Short: "Define a metric, a benchmark, an algorithm or a word of a table",
		Example: `  gobench explain                lists all words
  gobench explain half_rtt
  gobench explain pingpong
  gobench explain rabenseifner`,
		Args: atMostOne("name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return glossary.List(cmd.OutOrStdout())
			}
			entry, err := glossary.Lookup(args[0])
			for _, verb := range cmd.Root().Commands() {
				if err != nil && verb.Name() == args[0] && verb.IsAvailableCommand() {
					help := [2]string{"help", verb.CommandPath() + " --help"}
					entry, err = glossary.Entry{Name: verb.Name(), Kind: "command", About: verb.Short, Facts: [][2]string{help}}, nil
				}
			}
			if err != nil {
				return &exit.UsageError{Err: err}
			}
			return entry.Print(cmd.OutOrStdout())
		},
	}
}
