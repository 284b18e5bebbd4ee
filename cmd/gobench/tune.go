package main

import (
	"github.com/spf13/cobra"

	"gobench/cmd/gobench/measure"
	"gobench/cmd/gobench/tuning"
)

func newTune() *cobra.Command {
	asked := tuning.Default
	asked.Version = measure.Version()
	cmd := &cobra.Command{
		Use:   "tune [flags]",
		Short: "Finds the best algorithm of each collective for this machine",
		Example: `  gobench tune                                  every operation over shared memory, a rank on each of up to 4 cores
  gobench tune --op=allreduce,bcast --transport=smem,tcp -n 2,4
  gobench tune -o table.toml && gobench coll --table=table.toml
  gobench tune --dry-run                        the plan, and how long it takes`,
		Long: "It measures all algorithms as gobench coll --algo=all does, chooses for each size, and writes the choice as a file that can be read and edited. " +
			"The file is loaded at start, if it was made for this machine. Sizes that divide by 4 suit all operations.",
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asked.Records == "" {
				asked.Records = measure.DefaultFile()
			}
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return tuning.Tune(ctx, asked, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&asked.Operations, "op", asked.Operations, "`LIST` operations, or all")
	f.StringVar(&asked.Transports, "transport", asked.Transports, "`LIST` transports")
	f.StringVarP(&asked.Ranks, "np", "n", asked.Ranks, "`LIST` numbers of ranks"+usual)
	f.StringVar(&asked.Sizes, "sizes", asked.Sizes, "`LIST` sizes: 8, 64K, 1MiB, or 1:4MiB for both ends and the powers of two between them")
	f.DurationVar(&asked.Budget, "budget", asked.Budget, "`TIME` of one cell in all launches")
	f.IntVar(&asked.Launches, "launches", asked.Launches, "`N` launches, each with new ranks; with fewer than 6 the defaults stay")
	f.StringVarP(&asked.File, "output", "o", "", "`FILE` of the table (default $GOBENCH_TABLE, else gobench/table.toml in the folder of this user's settings)")
	f.StringVar(&asked.Records, "records", "", "`FILE` records are appended to it (default results/HOST-DATE.jsonl)")
	f.BoolVar(&asked.DryRun, "dry-run", false, "print the plan, the number of cells and the expected time")
	f.SortFlags = false
	return cmd
}
