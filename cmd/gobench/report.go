package main

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"gobench/internal/nearest"
	"gobench/report/cell"
	"gobench/report/document"
)

func newReport() *cobra.Command {
	out := document.Output{Path: "report.html"}
	var prices, cluster string
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Figures and a document with the answer, from files of records",
		Example: `  gobench report results/*.jsonl                     report.html, one file for a browser
  gobench report results/ -o report.pdf              the same on paper
  gobench report p2p.jsonl -o latency.svg            one figure
  gobench report p2p.jsonl --figure=combined -o combined.png`,
		Args: atLeastOne("file"),
		RunE: func(cmd *cobra.Command, files []string) error {
			debug.SetGCPercent(50) // many records are kept and little is thrown away
			set, unreadable := cell.Load(files)
			for _, w := range set.Warnings {
				fmt.Fprintf(cmd.ErrOrStderr(), "gobench: %s\n", w)
			}
			if unreadable != nil && len(set.Points) == 0 {
				return unreadable
			}
			if prices != "" || cluster != "" {
				if prices == "" || cluster == "" {
					return usageError{errors.New("--prices and --cluster belong together: what a node costs, and which nodes a job takes")}
				}
				var err error
				if set.Cost, err = cell.LoadCost(prices, cluster); err != nil {
					return usageError{err}
				}
			}
			written, notes, err := document.Write(set, out)
			for _, note := range notes {
				fmt.Fprintf(cmd.ErrOrStderr(), "gobench: %s\n", note)
			}
			for _, name := range written {
				fmt.Fprintln(cmd.OutOrStdout(), name)
			}
			if wrong(err) {
				err = usageError{err}
			}
			if err != nil {
				return err
			}
			return unreadable
		},
	}
	cmd.Flags().StringVarP(&out.Path, "output", "o", out.Path, "`FILE` to write: .html, .pdf, .md, .png, .svg, or a folder that ends in / for everything in files of its own")
	cmd.Flags().StringVar(&out.Figure, "figure", "", "`NAME` of a figure or of a kind of figures: only these are drawn")
	cmd.Flags().StringVar(&prices, "prices", "", "`FILE` price book (configs/prices): what a node costs for an hour")
	cmd.Flags().StringVar(&cluster, "cluster", "", "`FILE` description of the cluster (configs/clusters): which nodes a job takes")
	cmd.Flags().SortFlags = false
	return cmd
}

// wrong reports that the command line asks for what does not exist.
func wrong(err error) bool {
	_, path := errors.AsType[*document.PathError](err)
	_, name := errors.AsType[*nearest.UnknownError](err)
	return path || name
}
