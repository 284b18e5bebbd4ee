package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"gobench/cmd/gobench/comparing"
	"gobench/cmd/gobench/reporting"
	"gobench/report/figure"
)

func newReport() *cobra.Command {
	asked := reporting.Default
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Figures and a document with the answer, from files of records",
		Example: `  gobench report results/*.jsonl                     report.html, one file for a browser
  gobench report results/ -o report.pdf              the same on paper
  gobench report p2p.jsonl -o latency.svg            one figure
  gobench report p2p.jsonl --figure=combined -o combined.png`,
		Long: "Without --figure it is a document: what differs, machines, figures, tables, how to reproduce it, and which rules of good practice are kept. " +
			"Kinds of figures: " + kinds() + ". --figure=thesis-1.3 and the like draw figures of the thesis again, with the numbers of its text beside ours.",
		Args: atLeastOne("file"),
		RunE: func(cmd *cobra.Command, files []string) error {
			beFrugal()
			err := reporting.Report(asked, files, cmd.OutOrStdout(), cmd.ErrOrStderr())
			if usage, ok := errors.AsType[*comparing.UsageError](err); ok {
				return usageError{usage.Err}
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&asked.Output.Path, "output", "o", asked.Output.Path, "`FILE` to write: .html, .pdf, .md, .png, .svg, or a folder that ends in / for everything in files of its own")
	f.StringVar(&asked.Output.Figure, "figure", "", "`NAME` of a figure or of a kind of figures: only these are drawn")
	f.StringVar(&asked.By, "by", "", "`FACTOR` that the first page compares: file, transport, library, level, host, commit, options.NAME ... (default the first of them that has two values)")
	f.StringVar(&asked.Base, "base", "", "`VALUE` of it with which the others are compared (default the first)")
	effectFlags(f, &asked.Effect)
	f.StringVar(&asked.Prices, "prices", "", "`FILE` price book (configs/prices): what a node costs for an hour")
	f.StringVar(&asked.Cluster, "cluster", "", "`FILE` description of the cluster (configs/clusters): which nodes a job takes")
	f.SortFlags = false
	return cmd
}

// kinds names the kinds of figures with what they show.
func kinds() string {
	var list []string
	for _, k := range figure.Kinds {
		list = append(list, k.Name+" ("+k.Shows+")")
	}
	return strings.Join(list, "; ")
}
