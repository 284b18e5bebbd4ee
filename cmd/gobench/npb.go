package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gobench/cmd/gobench/measure"
	"gobench/internal/exit"
)

func newNPB(args []string) *cobra.Command {
	asked := measure.DefaultKernels
	asked.Command = append([]string{"gobench"}, args...)
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "npb KERNEL... [flags]",
		Short: "NAS Parallel Benchmarks: cg, ep, ft, is, mg, verified",
		Example: `  gobench npb cg                                class A over shared memory, a rank on each of up to 4 cores
  gobench npb ep is --class=B -n 1,2,4          strong scaling: speedup and efficiency
  gobench npb cg --class=A -n 1,4 --weak        the class grows with the ranks: efficiency against serial copies
  gobench npb cg --transport=tcp --threads=2 -n 2
  gobench npb all --class=S --official          with the output that NPB is known for
  gobench npb cg --class=D --dry-run            what it needs`,
		Long: "Kernels of NPB 3.4, with its problems, timing rules and tolerances. A run that is not verified has no result and ends with exit code 3. " +
			"Speedup and efficiency refer to the last run on one rank in the file of records.",
		RunE: func(cmd *cobra.Command, kernels []string) error {
			if len(kernels) == 0 {
				return &exit.UsageError{Err: fmt.Errorf("npb needs a kernel, or all: gobench npb cg")}
			}
			asked.Kernels = kernels
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
	kernelFlags(cmd.Flags(), &asked)
	launchFlags(cmd.Flags(), &asked)
	format.register(cmd.Flags())
	cmd.Flags().SortFlags = false
	return cmd
}
