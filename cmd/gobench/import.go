package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gobench/cmd/gobench/importing"
	"gobench/cmd/gobench/measure"
)

func newImport() *cobra.Command {
	var asked importing.Asked
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "import [flags] LOG...",
		Short: "Records from logs of IMB, OSU, NPB, perftest and NetPIPE",
		Example: `  mpirun -n 2 IMB-MPI1 PingPong > imb.log
  gobench import imb.log --library="Open MPI 4.1.4" --transport=smem -o mpi.jsonl
  mpirun -n 4 osu_allreduce -f | gobench import - -n 4 --library=MPICH -o mpi.jsonl
  gobench compare mpi.jsonl results/ --by=library`,
		Long: "Whose log it is is told from what stands in it. A log does not say over what its messages went: --transport does, " +
			"and then native libraries stand beside gobench in the same table and figure. - is standard input. " +
			"Unless all logs can be read, nothing is added; a log that the file holds already is not added again.",
		Args: atLeastOne("log"),
		RunE: func(cmd *cobra.Command, logs []string) error {
			var err error
			if asked.Form, err = format.form(); err != nil {
				return usageError{err}
			}
			if asked.Ranks < 0 {
				return usageError{fmt.Errorf("-n is %d, want the number of ranks that ran", asked.Ranks)}
			}
			if asked.File == "" {
				asked.File = measure.DefaultFile()
			}
			return importing.Import(asked, logs, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&asked.Library, "library", "", "`NAME` of what was measured, such as \"Open MPI 4.1.4\" (default the program that wrote the log)")
	f.StringVar(&asked.Transport, "transport", "", "`NAME` of what the messages went over, as gobench calls it: smem, tcp, ibv ...")
	f.IntVarP(&asked.Ranks, "np", "n", 0, "`N` number of ranks, where the log does not say it")
	f.StringVarP(&asked.File, "output", "o", "", "`FILE` records are appended to it (default results/HOST-DATE.jsonl)")
	format.register(f)
	f.SortFlags = false
	return cmd
}
