package main

import (
	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/internal/cli"
	"gobench/internal/exit"
)

const startupVerb = "startup"

func newStartup(args []string) *cobra.Command {
	options := experiment.NewStartup()
	options.Command = append([]string{programName()}, args...)
	var format formatFlags
	cmd := &cobra.Command{
		Use:   startupVerb + " [flags]",
		Short: "Start-up: time to start ranks, connect them and deliver the first message",
		Example: `  gobench startup -n 1,2,4,8,16                 ranks of this host, over shared memory
  gobench startup -n 8,32,128 --transport=tcp
  gobench startup -n 8,32,128 --hosts=a,b,c,d   the same over ssh`,
		Long: "A launch starts the ranks, opens the transport on all of them, does a barrier, and ends. The hosts are connected once, before the first launch.",
		Args: cli.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			counts, err := experiment.ParseCounts(options.Counts)
			if err != nil {
				return &exit.UsageError{Err: err}
			}
			return runCounts(cmd, options, &options.Launch, format, counts)
		},
		Annotations: map[string]string{measures: ""},
	}
	f := cmd.Flags()
	f.StringVarP(&options.Counts, "np", "n", options.Counts, "`LIST` numbers of ranks, one after the other: 4, or 1,2,4"+usual)
	launchFlags(f, &options.Launch)
	format.register(f)
	f.SortFlags = false
	return cmd
}
