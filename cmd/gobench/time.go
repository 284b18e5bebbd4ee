package main

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/internal/experiment/sweep"
	"gobench/nearest"
	"gobench/record"
	"gobench/report"
)

func newTime(args []string) *cobra.Command {
	t := sweep.Timing{Runs: 10, Limit: time.Minute}
	var file string
	var compared compareFlags
	cmd := &cobra.Command{
		Use:   "time [flags] COMMAND...",
		Short: "Time commands in turns, and compare them: wall and processor time, memory",
		Example: `  gobench time './old --size=1M' './new --size=1M'
  gobench time --gate --min-effect=5% --warmup=2 ./old ./new
  gobench time -- ./program --its-flag       one command: the words behind --`,
		Long: "Each COMMAND is one argument, as for hyperfine; with --, all words behind it are one command. The first command is the baseline. " +
			"All commands are run once in each block, in a random order, each as a new process and not by a shell. " +
			"A command that fails is named, and repeated up to twice. It is a sweep of [[program]] tables with importer = \"time\", which has more options. " +
			"With --gate the exit code is the verdict: 0, 4 (a command is slower) or 5 (too noisy to tell).",
		Args: cli.OneOrMore("command"),
		RunE: func(cmd *cobra.Command, words []string) error {
			if t.Commands = words; cmd.ArgsLenAtDash() == 0 {
				t.Commands = []string{strings.Join(words, " ")}
				if i := slices.IndexFunc(words, func(word string) bool { return strings.ContainsAny(word, " \t\n") }); i >= 0 {
					return cli.Usagef("%q has blanks, at which commands are split: put the command into a script", words[i])
				}
			}
			if _, ok := record.Lookup(compared.options.Metric); !ok && compared.options.Metric != "" {
				return &exit.UsageError{Err: &nearest.UnknownError{What: "metric", Name: compared.options.Metric, Known: []string{"run", "user", "system", "peak_memory"}}}
			}
			if compared.options.Gate && len(t.Commands) < 2 {
				return cli.Usagef("--gate compares commands: name the baseline first, and another one")
			}
			options := sweep.Options{File: file}
			if err := sweepProgram(&options, cmd, args); err != nil {
				return err
			}
			ctx, stop := interruptible(cmd)
			stop = sync.OnceFunc(stop)
			defer stop()
			options.Measured = stop
			file, err := t.Run(ctx, options, &sweep.Printer{Form: report.Text, Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(), Quiet: cli.Quiet(cmd)})
			if err != nil || len(t.Commands) < 2 {
				return err
			}
			compared.options.By, compared.options.Base = "library", t.Base()
			return compared.compare([]string{file}, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.IntVarP(&t.Runs, "runs", "r", t.Runs, "`N` runs of each command; a verdict needs 4, an interval (±) 6")
	f.IntVarP(&t.WarmUp, "warmup", "w", 0, "`N` runs of each command before, which do not count")
	f.StringArrayVarP(&t.Names, "command-name", "n", nil, "`NAME` name of a command in the tables (default the command); may be repeated, in their order")
	f.StringVarP(&t.Setup, "setup", "s", "", "`COMMAND` run this by sh once for each command, before its first run")
	f.StringVarP(&t.Prepare, "prepare", "p", "", "`COMMAND` run this by sh before each run; its time does not count")
	f.StringVarP(&t.Cleanup, "cleanup", "c", "", "`COMMAND` run this by sh once for each command, after all runs")
	f.StringVar(&t.Success, "success", "", "`CODES` exit codes with which a run counts, such as 0,1 (default 0)")
	cli.TimeVar(f, &t.Limit, "limit", "`TIME` end a run after this time")
	f.StringVarP(&file, "output", "o", "", "`FILE` append records to this file (default results/time-DATE.jsonl)")
	f.BoolVar(&compared.options.Gate, "gate", false, "end with the verdict as exit code")
	compared.effect.registerMinimum(f)
	f.StringVar(&compared.options.Metric, "metric", "", "`NAME` what is compared: run (wall time, the default), user, system or peak_memory")
	compared.fileFlags(f)
	cli.EndFlags(f)
	f.SortFlags = false
	return cmd
}
