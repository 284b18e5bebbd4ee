package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/kernels/application"
)

// newApplication returns the verb of an application.
func newApplication(verb application.Application, args []string) *cobra.Command {
	options := experiment.NewApplication(verb)
	options.Command = append([]string{programName()}, args...)
	var format formatFlags
	cmd := &cobra.Command{
		Use: verb.Name + " [flags]", Short: verb.Short, Example: verb.Example, Long: verb.Long,
		Args: cli.None,
		RunE: func(cmd *cobra.Command, arguments []string) error {
			options.Arguments = arguments
			counts, err := experiment.ParseCounts(options.Counts)
			if err != nil {
				return &exit.UsageError{Err: err}
			}
			return runCounts(cmd, options, &options.Launch, format, counts)
		},
		Annotations: map[string]string{measures: verb.Argument},
	}
	if verb.Argument != "" {
		cmd.Use = fmt.Sprintf("%s %s... [flags]", verb.Name, verb.Argument)
		cmd.Args = func(_ *cobra.Command, words []string) error {
			if err := verb.Check(words); err != nil {
				return &exit.UsageError{Err: err}
			}
			return nil
		}
	}
	f := cmd.Flags()
	options.Flags.Flags(f)
	f.StringVarP(&options.Counts, "np", "n", options.Counts, "`LIST` numbers of ranks, one after the other: 4, or 1,2,4 for strong scaling"+usual)
	f.IntVar(&options.Threads, "threads", options.Threads, "`N` threads per rank")
	f.IntVar(&options.Repeat, "repeat", options.Repeat, "`N` runs per launch; the result is their median (default: as many as fit into 0.2 s)")
	launchFlags(f, &options.Launch)
	format.register(f)
	f.SortFlags = false
	return cmd
}
