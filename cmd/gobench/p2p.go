package main

import (
	"github.com/spf13/cobra"

	"gobench/experiment"
)

func newP2P(args []string) *cobra.Command {
	options := experiment.NewP2P()
	options.Command = append([]string{programName()}, args...)
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "p2p [BENCHMARK...] [flags]",
		Short: "Point-to-point: latency, bandwidth and message rate of two or more ranks",
		Example: `  gobench p2p                                   shared memory, 0 B to 4 MiB
  gobench p2p --transport=smem,tcp --sizes=8,1KiB,1MiB
  gobench p2p --bench=pingpong,uniband --level=raw --pin=far
  gobench p2p --transport=tcp --set=engine=net  an option of the transport
  gobench p2p --dry-run                         the plan and its expected time
  gobench p2p --fault=corrupt                   self-test: ends with exit code 3`,
		Long: "Without a launcher it forks its ranks on this machine. The answer is printed after the last launch; with --json=all, records go to standard output as they are measured. " +
			"A file that gobench show reads gets the records in any case, unless --no-records is given. Ctrl-C keeps what was measured.",
		Args: namesIn(experiment.CheckBenchmarks),
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := listed(cmd, "bench", &options.Benchmarks, names); err != nil {
				return err
			}
			return runCounts(cmd, options, &options.Launch, format, []int{options.Ranks})
		},
		Annotations: map[string]string{measures: ""},
	}
	p2pFlags(cmd.Flags(), options)
	messageFlags(cmd.Flags(), &options.Messages, "")
	format.register(cmd.Flags())
	cmd.Flags().SortFlags = false
	return cmd
}
