package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gobench/bench/compare"
	"gobench/bench/record"
	"gobench/internal/exit"
	"gobench/internal/nearest"
	"gobench/report/cell"
	"gobench/report/document"
	"gobench/report/figure"
	"gobench/report/published"
)

// reportFlags are the flags of gobench report.
type reportFlags struct {
	output  document.Output
	only    record.Selection
	options compare.Options
	effect  effectFlags
	prices  string // price book and cluster: files, both or none
	cluster string
}

func newReport() *cobra.Command {
	flags := reportFlags{output: document.Output{Path: "report.html"}}
	var selected selectionFlags
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Write figures, or a document with figures and tables, from records",
		Example: `  gobench report results/*.jsonl                     report.html, one file for a browser
  gobench report results/ -o report.pdf              the same as PDF
  gobench report p2p.jsonl -o latency.svg            one figure
  gobench report p2p.jsonl --figure=combined -o combined.png`,
		Long: "Without --figure it writes a document: differences, machines, figures, tables, commands to reproduce it, and which rules of good practice are kept. " +
			"Kinds of figures: " + figureKinds() + ". Figures of the thesis and its papers are redrawn with the numbers of their text beside ours: --figure=thesis-1.3, or all figures of a work by " + strings.Join(published.Works(), ", ") + ".",
		Args: atLeastOne("file"),
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := selected.set(&flags.only); err != nil {
				return err
			}
			setReaderGC()
			return flags.report(files, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVarP(&flags.output.Path, "output", "o", flags.output.Path, "`FILE` output file: .html, .pdf, .md, .png, .svg, or a folder (with / at the end) for separate files")
	f.StringVar(&flags.output.Figure, "figure", "", "`NAME` draw only this figure, or this kind of figures")
	f.StringVar(&flags.options.By, "by", "", "`FACTOR` factor compared on the first page: file, transport, library, level, host, commit, options.NAME ... (default: the first one with two values)")
	f.StringVar(&flags.options.Base, "base", "", "`VALUE` value of the factor that is the baseline (default: the first)")
	flags.effect.register(f)
	selected.register(f, &flags.only)
	f.StringVar(&flags.prices, "prices", "", "`FILE` price book (configs/prices) with the cost of a node per hour")
	f.StringVar(&flags.cluster, "cluster", "", "`FILE` cluster description (configs/clusters) with the nodes that a job needs")
	f.SortFlags = false
	return cmd
}

// figureKinds lists the kinds of figures with their contents.
func figureKinds() string {
	var list []string
	for _, k := range figure.Kinds {
		list = append(list, k.Name+" ("+k.Shows+")")
	}
	return strings.Join(list, "; ")
}

// report draws and prints the names of the files that it wrote. If a file cannot be read to its
// end, the records before that point are drawn, and the error is returned.
func (r *reportFlags) report(paths []string, stdout, stderr io.Writer) error {
	set, unreadable := cell.Load(paths, r.only)
	printWarnings(stderr, set.Warnings)
	if _, nothing := errors.AsType[*record.SelectionError](unreadable); nothing {
		return &exit.UsageError{Err: unreadable}
	}
	if unreadable != nil && len(set.Points) == 0 {
		return unreadable
	}
	if (r.prices == "") != (r.cluster == "") {
		return &exit.UsageError{Err: errors.New("--prices and --cluster belong together: the cost of a node, and the nodes that a job takes")}
	}
	if r.prices != "" {
		var err error
		if set.Cost, err = cell.LoadCost(r.prices, r.cluster); err != nil {
			return &exit.UsageError{Err: err}
		}
	}
	if err := r.effect.set(&r.options, stderr); err != nil {
		return err
	}
	if err := set.Choose(r.options); err != nil {
		return &exit.UsageError{Err: err}
	}
	written, notes, err := document.Write(set, r.output)
	printWarnings(stderr, notes)
	for _, name := range written {
		fmt.Fprintln(stdout, name)
	}
	_, badPath := errors.AsType[*document.PathError](err)
	_, badName := errors.AsType[*nearest.UnknownError](err)
	switch {
	case badPath || badName:
		return &exit.UsageError{Err: err}
	case err != nil:
		return err
	}
	return unreadable
}
