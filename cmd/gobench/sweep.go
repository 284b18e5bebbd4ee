package main

import (
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/bench/sweep"
	"gobench/cmd/gobench/comparing"
	"gobench/cmd/gobench/measure"
	"gobench/cmd/gobench/sweeping"
	"gobench/device"
)

func newSweep() *cobra.Command {
	var asked sweeping.Asked
	var detect string
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "sweep FILE.toml [flags]",
		Short: "A plan of many launches: factors crossed, random blocks, resumable",
		Example: `  gobench sweep configs/quick.toml              one minute, both transports of this machine
  gobench sweep configs/ci.toml -o new.jsonl && gobench compare --gate old.jsonl new.jsonl
  gobench sweep configs/ci.toml --aa -o aa.jsonl    the machine against itself: its noise floor
  gobench sweep configs/thesis.toml --dry-run   the plan, and how long it takes`,
		Long: "The tables of the file are verbs, their keys the flags of the verb; lists are crossed. Each combination is launched once in each block, in a random order. " +
			"Interrupted, the same command goes on from the file of records.",
		Args: exactlyOne("file"),
		RunE: func(cmd *cobra.Command, files []string) error {
			var err error
			if asked.Form, err = format.form(); err != nil {
				return usageError{err}
			}
			asked.Path = files[0]
			if detect != "" {
				if asked.Detect, err = comparing.Share("--detect", detect); err != nil {
					return usageError{err}
				}
			}
			asked.Verbs = sweepVerbs(cmd.Root())
			asked.Version = measure.Version()
			asked.Host, _ = os.Hostname()
			asked.Available = available
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			err = sweeping.Sweep(ctx, asked, cmd.OutOrStdout(), cmd.ErrOrStderr())
			var usage *sweeping.UsageError
			if errors.As(err, &usage) {
				return usageError{usage.Err}
			}
			return err
		},
	}
	f := cmd.Flags()
	f.IntVar(&asked.Launches, "launches", 0, "`N` launches of each combination; 0 = as the file says")
	f.Int64Var(&asked.Seed, "seed", 0, "`N` the order of launches, the same for the same number; 0 = as the file says, or drawn")
	f.DurationVar(&asked.Budget, "budget", 0, "`TIME` of the whole sweep, after which no launch is started; 0 = as the file says")
	f.BoolVar(&asked.AA, "aa", false, "launch everything twice in each block: what the machine shows against itself, for compare --floor")
	f.StringVar(&detect, "detect", "", "`SHARE` at its end, say how many launches a comparison needs to find a slowdown of this share, such as 10%")
	f.StringVarP(&asked.File, "output", "o", "", "`FILE` records are appended to it, and what is in it is not measured again (default results/SWEEP-HOST.jsonl)")
	f.BoolVar(&asked.DryRun, "dry-run", false, "print the plan, the number of cells and the expected time; run no program that the file names")
	format.register(f)
	f.SortFlags = false
	return cmd
}

// sweepVerbs are the verbs that measure, with the flags that a file may set.
func sweepVerbs(root *cobra.Command) []sweep.Verb {
	var list []sweep.Verb
	for _, c := range root.Commands() {
		if !slices.Contains([]string{"p2p", "coll", "npb", "fdtd"}, c.Name()) {
			continue
		}
		v := sweep.Verb{Name: c.Name()}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				v.Flags = append(v.Flags, f.Name)
			}
		})
		if c.Name() == "npb" {
			v.Positional = "kernel"
		}
		list = append(list, v)
	}
	return list
}

// available says why a transport does not work on this machine. A name that nobody
// knows is left to the launch itself, which says so better.
func available(transport string) error {
	d, err := device.Lookup(transport)
	if err != nil {
		return nil
	}
	return d.Probe()
}

func exactlyOne(what string) cobra.PositionalArgs {
	few, many := atLeastOne(what), atMostOne(what)
	return func(cmd *cobra.Command, args []string) error {
		if err := few(cmd, args); err != nil {
			return err
		}
		return many(cmd, args)
	}
}
