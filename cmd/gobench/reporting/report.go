// Package reporting carries out gobench report: it reads the files and has them drawn.
package reporting

import (
	"errors"
	"fmt"
	"io"

	"gobench/bench/compare"
	"gobench/cmd/gobench/comparing"
	"gobench/internal/nearest"
	"gobench/report/cell"
	"gobench/report/document"
)

// Asked is the command line of gobench report.
type Asked struct {
	Output  document.Output
	By      string // factor that the first page compares; "" = the set looks for one
	Base    string
	Effect  comparing.Effect
	Prices  string // price book and cluster: files, both or none
	Cluster string
}

// Default is what is drawn where nothing is asked for.
var Default = Asked{Output: document.Output{Path: "report.html"}}

// Report draws and prints the names of the files that it wrote. Where a file cannot be read to
// its end, what stands before is drawn, and the error returned. A mistake of the person who
// asked is a *comparing.UsageError.
func Report(a Asked, paths []string, stdout, stderr io.Writer) error {
	set, unreadable := cell.Load(paths)
	for _, w := range set.Warnings {
		fmt.Fprintf(stderr, "gobench: %s\n", w)
	}
	if unreadable != nil && len(set.Points) == 0 {
		return unreadable
	}
	if err := a.pay(set); err != nil {
		return &comparing.UsageError{Err: err}
	}
	ask := compare.Options{By: a.By, Base: a.Base}
	if err := a.Effect.Fill(&ask, stderr); err != nil {
		return err
	}
	if err := set.Choose(ask); err != nil {
		return &comparing.UsageError{Err: err}
	}
	written, notes, err := document.Write(set, a.Output)
	for _, note := range notes {
		fmt.Fprintf(stderr, "gobench: %s\n", note)
	}
	for _, name := range written {
		fmt.Fprintln(stdout, name)
	}
	switch {
	case wrong(err):
		return &comparing.UsageError{Err: err}
	case err != nil:
		return err
	}
	return unreadable
}

// pay tells the set what runs cost, where both files are given.
func (a *Asked) pay(set *cell.Set) (err error) {
	switch {
	case a.Prices == "" && a.Cluster == "":
		return nil
	case a.Prices == "" || a.Cluster == "":
		return errors.New("--prices and --cluster belong together: what a node costs, and which nodes a job takes")
	}
	set.Cost, err = cell.LoadCost(a.Prices, a.Cluster)
	return err
}

// wrong reports that the command line asks for what does not exist.
func wrong(err error) bool {
	_, path := errors.AsType[*document.PathError](err)
	_, name := errors.AsType[*nearest.UnknownError](err)
	return path || name
}
