package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"gobench/bench/importer"
	"gobench/bench/record"
	"gobench/cmd/gobench/measure"
	"gobench/internal/exit"
	"gobench/internal/terminal"
	"gobench/report"
)

// importFlags are the flags of gobench import.
type importFlags struct {
	given importer.Given
	file  string // of records
	form  report.Form
}

func newImport() *cobra.Command {
	var flags importFlags
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "import [flags] LOG...",
		Short: "Import logs of IMB, OSU, NPB, perftest, NetPIPE, UCX, libfabric and NCCL",
		Example: `  mpirun -n 2 IMB-MPI1 PingPong > imb.log
  gobench import imb.log --library="Open MPI 4.1.4" --transport=smem -o mpi.jsonl
  mpirun -n 4 osu_allreduce -f | gobench import - -n 4 --library=MPICH -o mpi.jsonl
  gobench compare mpi.jsonl results/ --by=library`,
		Long: "The format of a log is recognised from its contents. A log does not contain the transport of its messages: --transport sets it, " +
			"so that native libraries appear beside gobench in the same table and figure. - is standard input. " +
			"Nothing is added unless all logs can be read; a log that the file contains already is not added again.",
		Args: atLeastOne("log"),
		RunE: func(cmd *cobra.Command, logs []string) error {
			var err error
			if flags.form, err = format.form(); err != nil {
				return &exit.UsageError{Err: err}
			}
			if n := flags.given.Ranks; n < 0 {
				return &exit.UsageError{Err: fmt.Errorf("-n is %d, want the number of ranks that ran", n)}
			}
			if err := measure.CheckFile(flags.file); err != nil {
				return &exit.UsageError{Err: err}
			}
			if flags.file == "" {
				flags.file = measure.DefaultFile()
			}
			return flags.run(logs, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.given.Library, "library", "", "`NAME` library that was measured, such as \"Open MPI 4.1.4\" (default the program that wrote the log)")
	f.StringVar(&flags.given.Transport, "transport", "", "`NAME` transport that was measured, by its gobench name: smem, tcp, ibv ...")
	f.IntVarP(&flags.given.Ranks, "np", "n", 0, "`N` number of ranks, if the log does not contain it")
	f.StringVar(&flags.given.Bench, "bench", "", "`NAME` benchmark, if the log does not contain it (nccl-tests)")
	f.StringVarP(&flags.file, "output", "o", "", "`FILE` append records to this file (default results/HOST-DATE.jsonl)")
	format.register(f)
	f.SortFlags = false
	return cmd
}

// run appends the records of all logs to the file and prints them. A log that the file contains
// already adds nothing, because it is not another launch.
func (i *importFlags) run(paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	logs, err := importer.Load(paths, stdin, i.given)
	if err != nil {
		return err
	}
	out, err := record.Open(i.file)
	if err != nil {
		return err
	}
	printWarnings(stderr, out.Warnings())
	return errors.Join(i.add(out, logs, stdout, stderr), out.Close())
}

// add appends the logs that are new to the file and prints them.
func (i *importFlags) add(out *record.Writer, logs []importer.Imported, stdout, stderr io.Writer) error {
	held := &record.File{}
	if info, err := os.Stat(i.file); err == nil && info.Mode().IsRegular() { // not a pipe
		if held, err = record.ReadFile(i.file); err != nil {
			return err
		}
	}
	var fresh []importer.Imported
	var keys []string
	for _, l := range logs {
		if other := held.Imported(l.Run.Source.SHA256); other != nil {
			fmt.Fprintf(stderr, "gobench: %s is in %s already, imported from %s: nothing is added\n", l.Run.Source.Name, i.file, other.Source.Name)
			continue
		}
		held.Runs = append(held.Runs, l.Run)
		fresh = append(fresh, l)
		for _, p := range l.Points {
			for key := range p.Metrics {
				keys = append(keys, key)
			}
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	printer, err := report.NewPrinter(stdout, terminal.Of(stdout), i.form, keys)
	if err != nil {
		return err
	}
	for i := range fresh {
		l := &fresh[i]
		err := errors.Join(out.WriteAll(&l.Run, l.Points), printer.Run(l.Run))
		for _, p := range l.Points {
			err = errors.Join(err, printer.Point(p))
		}
		if err != nil {
			return err
		}
	}
	return printer.End()
}
