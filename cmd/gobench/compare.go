package main

import (
	"errors"

	"github.com/spf13/cobra"

	"gobench/cmd/gobench/comparing"
)

func newCompare() *cobra.Command {
	asked := comparing.Default
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "compare [flags] FILE...",
		Short: "What differs, by how much, and whether it is real",
		Example: `  gobench compare old.jsonl new.jsonl           each cell of the second against the first
  gobench compare results/ --by=transport       any factor inside of files or folders
  gobench compare all.jsonl --by=host --base=n1
  gobench compare old.jsonl new.jsonl --gate --min-effect=5% --floor=aa.jsonl
  gobench compare old.jsonl new.jsonl --benchfmt=out && benchstat out/old.txt out/new.txt`,
		Long: "Cells that have all other factors in common are compared. Several launches of each side tell most: each counts as one value. " +
			"With --gate the exit code is 4 where a cell is slower, and 5 where it cannot be told.",
		Args: atLeastOne("file"),
		RunE: func(cmd *cobra.Command, files []string) error {
			var err error
			if asked.Form, err = format.form(); err != nil {
				return usageError{err}
			}
			beFrugal()
			err = comparing.Compare(asked, files, cmd.OutOrStdout(), cmd.ErrOrStderr())
			if usage, ok := errors.AsType[*comparing.UsageError](err); ok {
				return usageError{usage.Err}
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&asked.By, "by", "", "`FACTOR` that is compared: file (default), transport, level, host, commit, options.NAME ...")
	f.StringVar(&asked.Base, "base", "", "`VALUE` of it with which the others are compared (default the first)")
	f.StringVar(&asked.Metric, "metric", "", "`NAME` of what is compared (default the main one of each benchmark)")
	effectFlags(f, &asked.Effect)
	f.BoolVar(&asked.Gate, "gate", false, "judge all cells together (Holm) and end with exit code 4 or 5 unless all is well")
	f.StringVar(&asked.JUnit, "junit", "", "`FILE` for JUnit XML as well")
	f.StringVar(&asked.Markdown, "markdown", "", "`FILE` for the comment of a pull request as well")
	f.StringVar(&asked.Benchfmt, "benchfmt", "", "`FOLDER` for one file of each side as well that benchstat reads")
	format.register(f)
	f.SortFlags = false
	return cmd
}
