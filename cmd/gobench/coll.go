package main

import (
	"github.com/spf13/cobra"

	"gobench/experiment"
)

func newColl(args []string) *cobra.Command {
	options := experiment.NewCollective()
	options.Command = append([]string{programName()}, args...)
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "coll [OPERATION...] [flags]",
		Short: "Collectives: barrier, bcast, allreduce, alltoall ... by every algorithm",
		Example: `  gobench coll                                  allreduce over shared memory, a rank on each of up to 4 cores
  gobench coll --op=barrier,bcast,alltoall -n 4 --sizes=8,64K
  gobench coll --op=allreduce --algo=all        every algorithm, and the fastest one at each size
  gobench coll --op=bcast --algo=mst,knomial:4 --transport=tcp
  gobench coll --op=all --dry-run               the plan and its expected time`,
		Long: "An event is timed on one clock from the first rank in to the last rank out (global), and as the longest time of a rank (local). " +
			"The size is one rank's block for scatter, gather, allgather and alltoall, else the vector.",
		Args: namesIn(experiment.CheckOperations),
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := listed(cmd, "op", &options.Operations, names); err != nil {
				return err
			}
			return runCounts(cmd, options, &options.Launch, format, []int{options.Ranks})
		},
		Annotations: map[string]string{measures: ""},
	}
	collectiveFlags(cmd.Flags(), options)
	messageFlags(cmd.Flags(), &options.Messages, usual)
	format.register(cmd.Flags())
	cmd.Flags().SortFlags = false
	return cmd
}
