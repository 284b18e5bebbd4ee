package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/record"
	"gobench/report"
)

func newShow() *cobra.Command {
	var csv bool
	var json string
	var chosen report.Selection
	var selected selectionFlags
	var exports, failIf []string
	var markdown, listed bool
	var view report.View
	cmd := &cobra.Command{
		Use:   "show FILE...",
		Short: "Print the tables again, from files or folders of records",
		Example: `  gobench show results/host-2026-11-21.jsonl
  gobench show results/ --bench=pingpong --transport=tcp --sizes=8,64K
  gobench show results/ --list                  which commands measured
  gobench show results/ --last=1 --markdown     what the last one measured
  ssh host cat results.jsonl | gobench show -   records of standard input
  gobench show results/*.jsonl --csv > all.csv`,
		Args:        cli.OneOrMore("file"),
		Annotations: readsFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			form, err := showForm(json, csv, markdown, listed)
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
			var list []report.Export
			for _, e := range exports {
				list = append(list, report.Export(e))
			}
			out := cmd.OutOrStdout()
			err = report.Show(report.Output{W: out, Remarks: cmd.ErrOrStderr(), Terminal: report.TerminalOf(out), Form: form, View: view}, files, chosen, list)
			if _, nothing := errors.AsType[*record.SelectionError](err); nothing {
				return &exit.UsageError{Err: err}
			}
			return err
		},
	}
	f := cmd.Flags()
	selected.register(f, &chosen.Selection)
	f.IntVar(&chosen.Last, "last", 0, "`N` only the last N commands")
	f.BoolVar(&listed, "list", false, "list the commands that measured: series, time, launches, results, label")
	failIfFlag(f, &failIf)
	exportFlag(f, &exports)
	viewFlags(f, &view)
	f.StringVar(&json, "json", "", "`WHAT` print JSON Lines instead of a table: its rows (--json), or all records as in the files (--json=all)")
	f.Lookup("json").NoOptDefVal = jsonRows
	f.BoolVar(&csv, "csv", false, "print the rows as CSV instead of a table")
	f.BoolVar(&markdown, "markdown", false, "print Markdown instead of a table")
	f.SortFlags = false
	return cmd
}

// showForm returns the form that the flags of show select.
func showForm(json string, csv, markdown, listed bool) (report.Form, error) {
	var flags []string
	form := report.Text
	for _, of := range []struct {
		flag string
		set  bool
		form report.Form
	}{{"--markdown", markdown, report.Markdown}, {"--json", json == jsonRows, report.Rows}, {"--json=all", json == jsonAll, report.JSON}, {"--csv", csv, report.CSV}, {"--list", listed, report.List}} {
		if of.set {
			flags, form = append(flags, of.flag), of.form
		}
	}
	switch {
	case json != "" && json != jsonRows && json != jsonAll:
		return "", fmt.Errorf("--json=%s: want --json for the rows of the table, or --json=all for all records", json)
	case len(flags) > 1:
		return "", fmt.Errorf("%s exclude each other: choose one", strings.Join(flags, " and "))
	}
	return form, nil
}
