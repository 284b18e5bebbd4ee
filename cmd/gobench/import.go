package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gobench/device"
	"gobench/experiment"
	"gobench/importer"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/internal/human"
	"gobench/report"
)

// importFlags are the flags of gobench import.
type importFlags struct {
	given    importer.Given
	skipBad  bool   // import the other logs if some cannot be read
	distinct bool   // logs with equal text are different runs
	size     string // of messages, "" = as in the log
	file     string // of records
	form     report.Form
	view     report.View
}

func newImport() *cobra.Command {
	var flags importFlags
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "import LOG...",
		Short: "Import logs of IMB, OSU, NPB, HPL, perftest, UCX, NCCL, netperf and others",
		Example: `  mpirun -n 2 IMB-MPI1 PingPong > imb.log
  gobench import imb.log --library="Open MPI 4.1.4" --transport=smem -o mpi.jsonl
  mpirun -n 4 osu_allreduce -f | gobench import - -n 4 --library=MPICH -o mpi.jsonl
  gobench compare mpi.jsonl results/ --by=library`,
		Long: "Logs of " + importer.Programs() + ". The format of a log is recognised from its contents. A log may hold several programs, of several formats: each is a launch. " +
			"Records that a pod of gobench manifest has written into its log are added unchanged. " +
			"Prefixes of launchers (mpirun --tag-output, srun -l) and time stamps are removed. A LOG is a file, also one of gzip, bzip2 or zstd, a directory, or - for standard input.\n\n" +
			"Flags set what a log does not state; its own number of ranks, library and benchmark take precedence. " +
			"No log names the transport by its gobench name: --transport sets it, " +
			"so that other libraries appear beside gobench in the same table and figure. " +
			"A row that cannot be read is left out with a warning that names it; --strict makes that an error. " +
			"Nothing is added unless all logs can be read, or --skip-bad is given; a launch that the file contains already is not added again, nor is one whose text another log has, unless --distinct says that different files are different runs.",
		Args:        cli.OneOrMore("log"),
		Annotations: readsFiles,
		RunE: func(cmd *cobra.Command, logs []string) error {
			var err error
			if flags.form, err = format.form(); err != nil {
				return &exit.UsageError{Err: err}
			}
			if n := flags.given.Ranks; n < 0 {
				return cli.Usagef("-n is %d, want the number of ranks that ran", n)
			}
			if err := flags.sized(); err != nil {
				return &exit.UsageError{Err: err}
			}
			if err := experiment.CheckFile(flags.file); err != nil {
				return &exit.UsageError{Err: err}
			}
			flags.file = cmp.Or(flags.file, experiment.DefaultFile())
			return flags.run(logs, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.given.Library, "library", "", "`NAME` library that was measured, such as \"Open MPI 4.1.4\" (default the program that wrote the log)")
	f.StringVar(&flags.given.Transport, "transport", "", "`NAME` transport that was measured, by its gobench name: smem, tcp, ibv ...")
	f.IntVarP(&flags.given.Ranks, "np", "n", 0, "`N` number of ranks, if the log does not state it (OSU's collectives)")
	f.StringVar(&flags.given.Bench, "bench", "", "`NAME` benchmark, if the log does not contain it (nccl-tests, fabtests)")
	f.StringVar(&flags.size, "size", "", "`BYTES` size of messages, if the log does not state it (sockperf ping-pong)")
	f.BoolVar(&flags.given.Strict, "strict", false, "a row or table that cannot be read is an error")
	f.BoolVar(&flags.skipBad, "skip-bad", false, "import the other logs if some cannot be read")
	f.BoolVar(&flags.distinct, "distinct", false, "logs with equal text are different runs")
	f.StringVarP(&flags.file, "output", "o", "", "`FILE` append records to this file (default results/HOST-DATE.jsonl)")
	viewFlags(f, &flags.view)
	format.register(f)
	f.SortFlags = false
	return cmd
}

// sized parses the size of messages.
func (i *importFlags) sized() error {
	if i.size == "" {
		return nil
	}
	n, err := device.ParseBytes(i.size)
	if err != nil || n < 1 {
		return fmt.Errorf("--size is %q, want bytes such as 64 or 4KiB", i.size)
	}
	i.given.Size = int64(n)
	return nil
}

// run appends the records of all logs to the file and prints them. A log that the file contains
// already adds nothing, because it is not another launch.
func (i *importFlags) run(paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	logs, others, err := importer.Load(paths, stdin, i.given)
	if unreadable, ok := errors.AsType[*importer.UnreadableError](err); ok {
		what := "nothing is imported; --skip-bad imports the others"
		if i.skipBad && len(logs) > 0 {
			what = "they are left out"
		}
		if unreadable.Of > 1 {
			err = fmt.Errorf("%w\n%d of %d logs cannot be read: %s", err, len(unreadable.Errs), unreadable.Of, what)
		}
		if !i.skipBad || len(logs) == 0 {
			return err
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintln(stderr, "gobench:", line)
		}
	} else if err != nil {
		return err
	}
	if len(others) > 0 {
		fmt.Fprintf(stderr, "gobench: %s of the directories: not a log of a known program, left out: %s\n", human.Count(len(others), "file", "files"), shortList(others))
	}
	added, repeats, warnings, err := importer.Append(i.file, logs, i.distinct)
	printWarnings(stderr, append(warnings, repeats...))
	if err != nil || len(added.Runs) == 0 {
		return err
	}
	added.DropLeftovers()
	i.view.Records = i.file
	return report.Output{W: stdout, Remarks: stderr, Terminal: report.TerminalOf(stdout), Form: i.form, View: i.view}.Print(added)
}

// shortList joins at most five names.
func shortList(names []string) string {
	const largest = 5
	if more := len(names) - largest; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:largest], ", "), more)
	}
	return strings.Join(names, ", ")
}
