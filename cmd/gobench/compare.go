package main

import (
	"errors"

	"github.com/spf13/cobra"

	"gobench/cmd/gobench/comparing"
)

func newCompare() *cobra.Command {
	var asked comparing.Asked
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "compare [flags] FILE...",
		Short: "What differs, by how much, and whether it is real",
		Example: `  gobench compare old.jsonl new.jsonl           each cell of the second against the first
  gobench compare results/ --by=transport       any factor inside of files or folders
  gobench compare sweep.jsonl --by=program      two programs whose launches took turns: this tells most
  gobench compare all.jsonl --by=label --base=before
  gobench compare old.jsonl new.jsonl --gate --detect=15% --floor=aa.jsonl
  gobench compare old.jsonl new.jsonl --benchfmt=out && benchstat out/old.txt out/new.txt`,
		Long: "Cells that have all other factors in common are compared. Each launch counts as one value; one launch of a side gets a ratio and no verdict.\n\n" +
			"Exit codes: 2 where there is nothing to compare. With --gate 4 where a slowdown is shown (Holm's correction over all cells), " +
			"5 where the comparison is inconclusive (a slowdown of --detect would not have been found in most cells, " +
			"machines are unlike, cells are missing), else 0, with the slowdown that would have been found.",
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
	f.StringVar(&asked.By, "by", "", "`FACTOR` that is compared: file (default), transport, level, host, commit, program, label, tag.NAME, options.NAME ...")
	f.StringVar(&asked.Base, "base", "", "`VALUE` of it, or the last part of a path, with which the others are compared (default the first)")
	f.StringVar(&asked.Metric, "metric", "", "`NAME` of what is compared (default the main one of each benchmark)")
	effectFlags(f, &asked.Effect)
	f.BoolVar(&asked.Gate, "gate", false, "judge all cells together and end with exit code 4 (regression), 5 (inconclusive) or 0")
	f.StringVar(&asked.Detect, "detect", "", "`SHARE` slowdown that a gate must be able to find in half of the cells (default 30%)")
	f.BoolVar(&asked.Across, "across-machines", false, "a gate may compare machines that differ in processor, caches, cores or hypervisor")
	f.StringVar(&asked.JUnit, "junit", "", "`FILE` for JUnit XML as well")
	f.StringVar(&asked.Markdown, "markdown", "", "`FILE` for the comment of a pull request as well")
	f.StringVar(&asked.Benchfmt, "benchfmt", "", "`FOLDER` for one file of each side as well that benchstat reads")
	format.register(f)
	f.SortFlags = false
	return cmd
}
