package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gobench/compare"
	"gobench/internal/cli"
	"gobench/internal/collect"
	"gobench/internal/exit"
	"gobench/internal/report/cell"
	"gobench/internal/report/claims"
	"gobench/internal/report/document"
	"gobench/internal/report/figure"
	"gobench/internal/report/published"
	"gobench/internal/report/style"
	"gobench/internal/terminal"
	"gobench/nearest"
	"gobench/record"
)

// reportFlags are the flags of gobench report.
type reportFlags struct {
	output  document.Output
	only    record.Selection
	options compare.Options
	effect  effectFlags
	style   styleFlags
	prices  string // price book and cluster: files, both or none
	cluster string
	date    string // of the prices
}

func newReport() *cobra.Command {
	var flags reportFlags
	var selected selectionFlags
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Write figures, or a document with figures and tables, from records",
		Example: `  gobench report results/*.jsonl                     report.html, one file for a browser
  gobench report results/ -o report.pdf              the same as PDF
  gobench report p2p.jsonl -o latency.svg            one figure
  gobench report p2p.jsonl --figure=combined -o combined.png
  gobench report p2p.jsonl --figure=pingpong -o pingpong.csv        its values
  gobench report results/ --bench=allreduce --ranks=2,4             a part of the records
  gobench report p2p.jsonl --table=results -o results.tex           a table of a paper`,
		Long: "Without --figure it writes a document: differences, machines, figures, tables, commands to reproduce it, and which rules of good practice are kept. " +
			"Kinds of figures: " + figureKinds() + ". Figures of the thesis and its papers are redrawn with the numbers of their text beside ours: --figure=thesis-1.3, or all figures of a work by " + strings.Join(published.Works(), ", ") + ".",
		Args:        cli.OneOrMore("file"),
		Annotations: readsFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := selected.set(&flags.only); err != nil {
				return err
			}
			setReaderGC()
			switch {
			case flags.output.Path != "" || flags.output.Work != "":
			case len(flags.output.Tables) > 0:
				flags.output.Path = "report-" + strings.Join(flags.output.Tables, "-") + ".md"
			case len(flags.output.Figures) == 0:
				flags.output.Path = "report.html"
			default: // the report of all figures stays
				flags.output.Path = "report-" + strings.Join(flags.output.Figures, "-") + ".html"
			}
			flags.output.Command.Flags = cli.Typed(cmd, "output", "prices", "cluster")
			return flags.report(files, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVarP(&flags.output.Path, "output", "o", flags.output.Path, "`FILE` output file: .html, .pdf, .md, .png, .svg or .csv; .csv has the values of figures, .tex (pgfplots), .gp (gnuplot), .py (matplotlib), .R and .vl.json (Vega-Lite) draw them, and a directory (with / at the end) gets separate files (default report.html, with --figure report-NAME.html)")
	f.StringSliceVar(&flags.output.Figures, "figure", nil, "`LIST` draw only these figures or kinds of figures; may be repeated; list prints the names of all")
	f.StringSliceVar(&flags.output.Tables, "table", nil, "`LIST` write only these tables, as .tex (booktabs), .md or .csv: methods (a paragraph), machines, results, comparison, rules; list describes them")
	f.StringVar(&flags.output.Work, "claims", "", "`NAME` test what this publication states ("+strings.Join(claims.Works(), ", ")+"): printed, or with -o as .csv, .md or a section of a document; list prints all claims")
	f.StringVar(&flags.options.By, "by", "", "`FACTOR` factor compared on the first page: file, transport, library, level, host, commit, options.NAME ... (default: the first one with two values)")
	f.StringVar(&flags.options.Base, "base", "", "`VALUE` value of the factor that is the baseline (default: the first); of speedups: the series whose one rank they refer to, or own for that of each (default: the fastest)")
	flags.effect.register(f)
	flags.style.register(f)
	selected.register(f, &flags.only)
	f.StringVar(&flags.prices, "prices", "", "`FILE` price book (configs/prices) with the cost of a node per hour")
	f.StringVar(&flags.cluster, "cluster", "", "`FILE` cluster description (configs/clusters) with the nodes that a job needs")
	f.StringVar(&flags.date, "price-date", "", "`DATE` year, month or day whose prices count, such as 2012 or 2012-07 (default: the latest of the price book)")
	f.SortFlags = false
	return cmd
}

// listFigures is the value of --figure, --table and --claims that lists all.
const listFigures = "list"

// figureKinds lists the kinds of figures with their contents.
func figureKinds() string {
	list := collect.Each(figure.Kinds, func(k figure.Kind) string { return k.Name + " (" + k.Shows + ")" })
	return strings.Join(list, "; ")
}

// claims tests the claims of a publication. It prints them, and reports so, unless there is an
// output file.
func (r *reportFlags) claims(set *cell.Set, stdout io.Writer) (done bool, err error) {
	if r.output.Work == listFigures {
		return true, claims.List(stdout, terminal.Of(stdout).Width)
	}
	list, err := claims.Of(r.output.Work)
	if err != nil {
		return false, &exit.UsageError{Err: err}
	}
	r.output.Claims = claims.Judge(set, list)
	if r.output.Path != "" {
		return false, nil
	}
	return true, claims.Print(stdout, r.output.Claims, terminal.Of(stdout).Width)
}

// report draws and prints the names of the files that it wrote. If a file of records cannot be read
// to its end, nothing is drawn.
func (r *reportFlags) report(paths []string, stdout, stderr io.Writer) error {
	set, err := cell.Load(paths, r.only)
	printWarnings(stderr, set.Warnings)
	if err != nil {
		return err
	}
	if (r.prices == "") != (r.cluster == "") {
		return cli.Usagef("--prices and --cluster belong together: the cost of a node, and the nodes that a job takes")
	}
	if r.date != "" && r.prices == "" {
		return cli.Usagef("--price-date selects prices of a book: add --prices and --cluster")
	}
	if r.prices != "" {
		var err error
		if set.Cost, err = cell.LoadCost(r.prices, r.cluster, r.date); err != nil {
			return &exit.UsageError{Err: err}
		}
		for _, in := range []document.Input{{Flag: "--prices", Path: r.prices}, {Flag: "--cluster", Path: r.cluster}} {
			if in.Text, err = os.ReadFile(in.Path); err != nil {
				return err
			}
			r.output.Command.Inputs = append(r.output.Command.Inputs, in)
		}
	}
	if r.output.Style, err = r.style.sheet(r.options.Base); err != nil {
		return &exit.UsageError{Err: err}
	}
	if r.options.Base == style.OwnBase {
		r.options.Base = ""
	}
	r.output.Command.Output = r.output.Path
	if err := r.effect.set(&r.options, stderr); err != nil {
		return err
	}
	if err := set.Choose(r.options); err != nil {
		return &exit.UsageError{Err: err}
	}
	if len(r.output.Tables) > 0 && (len(r.output.Figures) > 0 || r.output.Work != "") {
		return cli.Usagef("--table is not written together with --figure or --claims: write one after the other")
	}
	if slices.Contains(r.output.Tables, listFigures) {
		for _, line := range document.Parts() {
			fmt.Fprintln(stdout, line)
		}
		return nil
	}
	if slices.Contains(r.output.Figures, listFigures) {
		for _, line := range document.Names(set) {
			fmt.Fprintln(stdout, terminal.Plain(line))
		}
		return nil
	}
	if r.output.Work != "" {
		if done, err := r.claims(set, stdout); done || err != nil {
			return err
		}
	}
	written, remarks, err := document.Write(set, r.output)
	printWarnings(stderr, remarks)
	for _, name := range written {
		fmt.Fprintln(stdout, name)
	}
	if errors.As(err, new(*nearest.UnknownError)) { // of --figure
		return &exit.UsageError{Err: err}
	}
	return err
}
