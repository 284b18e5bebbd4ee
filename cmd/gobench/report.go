package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"gobench/bench/compare"
	"gobench/bench/record"
	"gobench/internal/nearest"
	"gobench/report/cell"
	"gobench/report/document"
	"gobench/report/figure"
)

func newReport() *cobra.Command {
	out := document.Output{Path: "report.html"}
	var prices, cluster, floor string
	var ask compare.Options
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Figures and a document with the answer, from files of records",
		Example: `  gobench report results/*.jsonl                     report.html, one file for a browser
  gobench report results/ -o report.pdf              the same on paper
  gobench report p2p.jsonl -o latency.svg            one figure
  gobench report p2p.jsonl --figure=combined -o combined.png`,
		Long: "Without --figure it is a document: what differs, machines, figures, tables, how to measure it again, and which rules of good practice are kept. " +
			"Kinds of figures: " + kinds() + ". --figure=thesis-1.3 and the like draw figures of the thesis again, with the numbers of its text beside ours.",
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
			if err := pay(set, prices, cluster); err != nil {
				return usageError{err}
			}
			if floor != "" {
				file, err := record.Load(floor)
				if err != nil {
					return err
				}
				ask.Floor = compare.NewFloor(file)
			}
			if err := set.Choose(ask); err != nil {
				return usageError{err}
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
	cmd.Flags().StringVar(&ask.By, "by", "", "`FACTOR` that the first page compares: file, transport, library, level, host, commit, options.NAME ... (default the first of them that has two values)")
	cmd.Flags().StringVar(&ask.Base, "base", "", "`VALUE` of it with which the others are compared (default the first)")
	cmd.Flags().StringVar(&floor, "floor", "", "`FILE` of records of gobench sweep --aa: differences below what the machine shows against itself do not count")
	cmd.Flags().StringVar(&prices, "prices", "", "`FILE` price book (configs/prices): what a node costs for an hour")
	cmd.Flags().StringVar(&cluster, "cluster", "", "`FILE` description of the cluster (configs/clusters): which nodes a job takes")
	cmd.Flags().SortFlags = false
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

// pay tells the set what runs cost, where both files are given.
func pay(set *cell.Set, prices, cluster string) (err error) {
	switch {
	case prices == "" && cluster == "":
		return nil
	case prices == "" || cluster == "":
		return errors.New("--prices and --cluster belong together: what a node costs, and which nodes a job takes")
	}
	set.Cost, err = cell.LoadCost(prices, cluster)
	return err
}

// wrong reports that the command line asks for what does not exist.
func wrong(err error) bool {
	_, path := errors.AsType[*document.PathError](err)
	_, name := errors.AsType[*nearest.UnknownError](err)
	return path || name
}
