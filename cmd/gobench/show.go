package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gobench/bench"
	"gobench/internal/exit"
	"gobench/internal/terminal"
	"gobench/report"
)

func newShow() *cobra.Command {
	var format formatFlags
	var chosen report.Selection
	var operations, exports []string
	var sizes string
	var markdown bool
	cmd := &cobra.Command{
		Use:   "show FILE...",
		Short: "Print the tables again, from files or folders of records",
		Example: `  gobench show results/host-2026-11-21.jsonl
  gobench show results/ --bench=pingpong --transport=tcp --sizes=8,64K
  gobench show results/ --last=1 --markdown     what the last command measured
  gobench show results/*.jsonl --csv > all.csv`,
		Args: atLeastOne("file"),
		RunE: func(cmd *cobra.Command, files []string) error {
			form, err := format.form()
			if err != nil {
				return &exit.UsageError{Err: err}
			}
			if markdown && form != report.Text {
				return &exit.UsageError{Err: fmt.Errorf("--markdown and --%s exclude each other: choose one", form)}
			} else if markdown {
				form = report.Markdown
			}
			if sizes != "" {
				if chosen.Sizes, err = bench.ParseSizes(sizes); err != nil {
					return &exit.UsageError{Err: err}
				}
			}
			if chosen.Last < 0 {
				return &exit.UsageError{Err: fmt.Errorf("--last is %d, want a number of commands", chosen.Last)}
			}
			chosen.Benches = append(chosen.Benches, operations...)
			for i, name := range chosen.Benches {
				chosen.Benches[i] = benchName(name)
			}
			for i, name := range chosen.Transports {
				chosen.Transports[i] = transportName(name)
			}
			var list []report.Export
			for _, e := range exports {
				list = append(list, report.Export(e))
			}
			out := cmd.OutOrStdout()
			err = report.Show(out, cmd.ErrOrStderr(), terminal.Of(out), form, files, chosen, list)
			if _, nothing := errors.AsType[*report.SelectionError](err); nothing {
				return &exit.UsageError{Err: err}
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&chosen.Benches, "bench", nil, "`LIST` show only these benchmarks, operations or kernels")
	f.StringSliceVar(&operations, "op", nil, "`LIST` synonym of --bench")
	f.StringSliceVar(&chosen.Transports, "transport", nil, "`LIST` show only these transports")
	f.StringVar(&sizes, "sizes", "", "`LIST` show only these message sizes: 8, 64K, 1MiB, or 1:4MiB for both ends and the powers of two between them")
	f.IntVar(&chosen.Last, "last", 0, "`N` show only the last N commands")
	f.StringVar(&chosen.Series, "series", "", "`ID` show only the command with this series, or a prefix of it, as printed below its table")
	f.StringVar(&chosen.Label, "label", "", "`NAME` show only measurements with this label")
	exportFlag(f, &exports)
	format.register(f)
	f.BoolVar(&markdown, "markdown", false, "print Markdown instead of a table")
	f.SortFlags = false
	return cmd
}
