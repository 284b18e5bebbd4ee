package main

import (
	"github.com/spf13/cobra"

	"gobench/cmd/gobench/measure"
	"gobench/internal/exit"
)

func newFDTD(args []string) *cobra.Command {
	asked := measure.DefaultFDTD()
	asked.Command = append([]string{"gobench"}, args...)
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "fdtd [flags]",
		Short: "A wave in a box by the finite-difference time-domain method, verified",
		Example: `  gobench fdtd                                   512x512 points over shared memory, a rank on each of up to 4 cores
  gobench fdtd --grid=4096x4096 --steps=200 -n 1,2,4   strong scaling: speedup and efficiency
  gobench fdtd --size=large --real=double -n 4 --dry-run   what it needs
  gobench fdtd --weak -n 4                       512x512 points for each rank: efficiency against serial copies
  gobench fdtd --transport=tcp --blocks=1x4 --every=100 --pictures=field`,
		Long: "Maxwell's equations in two dimensions by Yee's scheme: a Ricker wavelet in free space within perfectly conducting walls, in blocks that exchange their sides in every step. " +
			"A run that is not verified has no result and ends with exit code 3. Speedup and efficiency refer to the last run on one rank in the file of records.",
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if asked.Form, err = format.form(); err != nil {
				return &exit.UsageError{Err: err}
			}
			counts, err := measure.ParseCounts(asked.Counts)
			if err != nil {
				return &exit.UsageError{Err: err}
			}
			return carryOutEach(cmd, asked, counts)
		},
	}
	fdtdFlags(cmd.Flags(), &asked)
	launchFlags(cmd.Flags(), &asked)
	format.register(cmd.Flags())
	cmd.Flags().SortFlags = false
	return cmd
}
