package main

import (
	"github.com/spf13/cobra"

	"gobench/internal/cli"
	"gobench/internal/experiment/tuner"
)

func newTune() *cobra.Command {
	flags := tuner.New()
	cmd := &cobra.Command{
		Use:   "tune [flags]",
		Short: "Select the fastest algorithms and transport options on this machine",
		Example: `  gobench tune                                  every operation over shared memory, a rank on each of up to 4 cores
  gobench tune --op=allreduce,bcast --transport=smem,tcp -n 2,4
  gobench tune --op=none                        the options of the transport alone
  gobench tune --hosts=a:4,b:4 --transport=smem+tcp    also the algorithms of two levels
  gobench tune -o table.toml && gobench coll --profile=table.toml
  gobench tune --dry-run                        the plan and its expected time`,
		Long: "It measures the profile of the machine again, then messages of two ranks with each value of the options that matter, near and far cores apart, and keeps a value that is significantly faster. Then it measures all algorithms as gobench coll --algo=all does, chooses one for each size, and writes the choice to a file that can be read and edited. " +
			"The file is loaded at start if it was made for this machine. Sizes that are multiples of 4 suit all operations.",
		Args: cli.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := unaccompanied(cmd.Name()); err != nil {
				return err
			}
			if flags.On.List != "" || flags.On.File != "" { // then gobench coll has other defaults
				for _, f := range []struct {
					name  string
					value *string
				}{{"transport", &flags.Transports}, {"np", &flags.Ranks}} {
					if !cmd.Flags().Changed(f.name) {
						*f.value = ""
					}
				}
			}
			ctx, stop := interruptible(cmd)
			defer stop()
			flags.Quiet = cli.Quiet(cmd)
			return flags.Run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.Operations, "op", flags.Operations, "`LIST` operations, all, or none")
	f.StringVar(&flags.Settings, "settings", flags.Settings, "`LIST` transport options to tune, all, or none")
	f.StringVar(&flags.Transports, "transport", flags.Transports, "`LIST` transports")
	hostFlags(f, &flags.On)
	f.StringVarP(&flags.Ranks, "np", "n", flags.Ranks, "`LIST` numbers of ranks"+usual)
	f.StringVar(&flags.Sizes, "sizes", flags.Sizes, "`LIST` message sizes: 8,64K,1MiB, or 1:4MiB; that is both ends and the powers of two between them")
	cli.TimeVar(f, &flags.Budget, "budget", "`TIME` measuring time of one cell over all launches")
	f.IntVar(&flags.Launches, "launches", flags.Launches, "`N` launches, each with new ranks; below 6 the defaults are kept")
	f.StringVarP(&flags.File, "output", "o", "", "`FILE` write the table to this file (default $GOBENCH_PROFILE, else gobench/table.toml in the user's configuration directory)")
	f.StringVar(&flags.Records, "records", "", "`FILE` append records to this file (default results/HOST-DATE.jsonl)")
	f.BoolVar(&flags.DryRun, "dry-run", false, "print the plan: cells and expected time of the algorithms, launches of the options")
	cli.EndFlags(f)
	f.SortFlags = false
	return cmd
}
