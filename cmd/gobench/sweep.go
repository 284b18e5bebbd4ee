package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/configs"
	"gobench/experiment"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/internal/experiment/sweep"
	"gobench/internal/launch/host"
	"gobench/internal/terminal"
	"gobench/record"
	"gobench/report"
)

func newSweep(args []string) *cobra.Command {
	var options sweep.Options
	var detect string
	var listed bool
	var failIf []string
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "sweep FILE.toml|NAME [flags]",
		Short: "Run a plan of many launches: crossed factors, random blocks, resumable",
		Example: `  gobench sweep quick                           one minute, both transports of this machine
  gobench sweep configs/ci.toml -o new.jsonl && gobench compare --gate old.jsonl new.jsonl
  gobench sweep configs/ci.toml --aa -o aa.jsonl    two equal programs: the noise floor of the machine
  gobench sweep configs/thesis.toml --dry-run   the plan and its expected time`,
		Long: "NAME is a sweep that this program contains; --list prints them. In a file, a table is a command and its keys are the flags of the command; a key with a list is a factor, and factors are crossed. Each combination is launched once in each block, in a random order. " +
			"After an interruption the same command continues from the file of records.",
		Annotations: readsSweep,
		Args: func(cmd *cobra.Command, files []string) error {
			if listed {
				return cli.OneOrNone("file")(cmd, files)
			}
			return cobra.MatchAll(cli.OneOrMore("file"), cli.OneOrNone("file"))(cmd, files)
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			if listed {
				for _, s := range configs.Sweeps() {
					fmt.Fprint(cmd.OutOrStdout(), terminal.Hang(fmt.Sprintf("%-16s ", s.Name), s.About, terminal.Of(cmd.OutOrStdout()).Width))
				}
				return nil
			}
			if err := checkNoLauncher(cmd.Name()); err != nil {
				return err
			}
			form, err := format.records()
			if err == nil && len(failIf) > 0 {
				var limits experiment.Limits
				limits, err = experiment.ParseLimits(failIf)
				options.Judge = func(file, plan string) error {
					only := report.Selection{Judge: limits.Check, Selection: record.Selection{Series: plan}}
					return report.Show(report.Output{W: io.Discard, Remarks: io.Discard, Form: report.Text}, []string{file}, only, nil)
				}
			}
			if err == nil && detect != "" {
				options.Detect, err = parseDetect(detect)
			}
			if err == nil && options.DryRun && form != report.Text {
				err = errors.New("the plan of a sweep is text: leave out --json and --csv")
			}
			if err != nil {
				return &exit.UsageError{Err: err}
			}
			if err := sweepProgram(&options, cmd, args); err != nil {
				return err
			}
			options.Path = files[0]
			if _, err := os.Stat(options.Path); err != nil {
				options.Text, _ = configs.Read(options.Path) // nil: sweep.Run reports that there is no file
			}
			printer := &sweep.Printer{Form: form, Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(), Quiet: cli.Quiet(cmd) && !options.DryRun}
			ctx, stop := interruptible(cmd)
			stop = sync.OnceFunc(stop)
			defer stop()
			options.Measured = stop
			err = sweep.Run(ctx, options, printer)
			err = cmp.Or(err, printer.End())
			if os.Getenv(record.LogVariable) == "1" && options.File != "" {
				err = errors.Join(err, record.WriteLog(cmd.OutOrStdout(), options.File))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.IntVar(&options.Launches, "launches", 0, "`N` launches of each combination; 0 = as in the file")
	f.Int64Var(&options.Seed, "seed", 0, "`N` seed of the order of launches; 0 = as in the file, or random")
	cli.TimeVar(f, &options.Budget, "budget", "`TIME` budget of the whole sweep: a launch that would probably exceed it is not started, but the first; 0 = as in the file")
	f.BoolVar(&options.AA, "aa", false, "launch everything twice in each block, to measure the machine against itself for compare --floor")
	f.StringVar(&detect, "detect", "", "`SHARE` print at the end how many launches a comparison needs to detect a slowdown of this size, such as 10%")
	failIfFlag(f, &failIf)
	f.StringVarP(&options.File, "output", "o", "", "`FILE` append records to this file; launches that it contains are not repeated (default results/SWEEP-HOST.jsonl)")
	f.BoolVar(&listed, "list", false, "list the sweeps that this program has by name")
	f.BoolVar(&options.DryRun, "dry-run", false, "print the plan, the number of cells and the expected time; run no program that the file names")
	format.register(f)
	cli.EndFlags(f)
	f.SortFlags = false
	return cmd
}

// sweepProgram sets the options of a sweep by this program. Its error is about the file of records,
// and one of usage.
func sweepProgram(o *sweep.Options, cmd *cobra.Command, args []string) error {
	if err := experiment.CheckFile(o.File); err != nil {
		return &exit.UsageError{Err: err}
	}
	o.Command, o.Verbs, o.Available, o.Stderr = append([]string{programName()}, args...), sweepVerbs(cmd.Root()), available, cmd.ErrOrStderr()
	o.Version = host.Version()
	o.Host, _ = os.Hostname()
	return nil
}

// sweepVerbs returns the verbs that measure, with the flags that a file may set.
func sweepVerbs(root *cobra.Command) []sweep.Verb {
	var list []sweep.Verb
	for _, c := range root.Commands() {
		argument, ok := c.Annotations[measures]
		if !ok {
			continue
		}
		v := sweep.Verb{Name: c.Name(), Positional: argument}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				v.Flags = append(v.Flags, f.Name)
			}
		})
		list = append(list, v)
	}
	return list
}

// available returns why the transport of a command does not work on this machine. Ranks on hosts of
// the command say that themselves.
func available(c sweep.Command) error {
	for _, flag := range experiment.FlagsOfHosts {
		if c.Flag(flag) != "" {
			return nil
		}
	}
	return experiment.Available(c.Flag("transport"), c.Values("set"))
}
