package main

import (
	"github.com/spf13/cobra"

	"gobench/cmd/gobench/internal/glossary"
	"gobench/internal/cli"
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
		Args: func(cmd *cobra.Command, args []string) error {
			err := cli.OneOrNone("name")(cmd, args)
			if err == nil && len(args) > 0 {
				_, err = entryOf(cmd, args[0])
			}
			return err
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return glossary.List(cmd.OutOrStdout())
			}
			entry, err := entryOf(cmd, args[0])
			if err != nil {
				return err
			}
			return entry.Print(cmd.OutOrStdout())
		},
	}
}

// entryOf returns the entry of a word of the glossary, or of a verb.
func entryOf(cmd *cobra.Command, word string) (glossary.Entry, error) {
	entry, err := glossary.Lookup(word)
	if err == nil {
		return entry, nil
	}
	for _, verb := range cmd.Root().Commands() {
		if verb.Name() == word && verb.IsAvailableCommand() {
			help := [2]string{"help", verb.CommandPath() + " --help"}
			return glossary.Entry{Name: verb.Name(), Kind: "command", About: verb.Short, Facts: [][2]string{help}}, nil
		}
	}
	return entry, &exit.UsageError{Err: err}
}
