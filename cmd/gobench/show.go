package main

import (
	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/internal/cli"
	"gobench/internal/collect"
	"gobench/internal/exit"
	"gobench/report"
)

func newShow() *cobra.Command {
	var format formatFlags
	var chosen report.Selection
	var selected selectionFlags
	var exports, failIf []string
	var view report.View
	cmd := &cobra.Command{
		Use:   "show FILE...",
		Short: "Print the tables again, from files or directories of records",
		Example: `  gobench show results/host-2026-11-21.jsonl
  gobench show results/ --bench=pingpong --transport=tcp --sizes=8,64K
  gobench show results/ --list                  which commands measured
  gobench show results/ --last=1 --markdown     what the last one measured
  ssh host cat results.jsonl | gobench show -   records of standard input
  gobench show results/*.jsonl --csv > all.csv`,
		Args:        cli.OneOrMore("file"),
		Annotations: readsFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			form, err := format.form()
			if err != nil {
				return &exit.UsageError{Err: err}
			}
			if err := selected.set(&chosen.Selection); err != nil {
				return err
			}
			if len(failIf) > 0 {
				limits, err := experiment.ParseLimits(failIf)
				if err != nil {
					return &exit.UsageError{Err: err}
				}
				chosen.Judge = limits.Check
			}
			setReaderGC()
			if chosen.Last < 0 {
				return cli.Usagef("--last is %d, want a number of commands", chosen.Last)
			}
			list := collect.Each(exports, func(e string) report.Export { return report.Export(e) })
			out := cmd.OutOrStdout()
			return report.Show(report.Output{W: out, Remarks: cmd.ErrOrStderr(), Terminal: report.TerminalOf(out), Form: form, View: view}, files, chosen, list)
		},
	}
	f := cmd.Flags()
	selected.register(f, &chosen.Selection)
	f.IntVar(&chosen.Last, "last", 0, "`N` only the last N commands")
	f.BoolVar(&format.list, "list", false, "list the commands that measured: series, time, launches, results, label")
	failIfFlag(f, &failIf)
	exportFlag(f, &exports)
	viewFlags(f, &view)
	format.register(f)
	f.BoolVar(&format.markdown, "markdown", false, "print Markdown instead of a table")
	f.SortFlags = false
	return cmd
}
