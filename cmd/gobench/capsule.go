package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gobench/compare"
	"gobench/internal/cli"
	"gobench/internal/experiment/rerun"
	"gobench/internal/terminal"
	"gobench/report/capsule"
)

func newCapsule() *cobra.Command {
	var o capsule.Options
	var out string
	cmd := &cobra.Command{
		Use:   "capsule FILE...",
		Short: "Pack records, and all that is needed to repeat them, into an archive",
		Example: `  gobench capsule results/ -o paper.tar.zst --author="Ada Lovelace" --title="Latency of X"
  gobench rerun paper.tar.zst          measure the same on another machine`,
		Long:        "The archive has the records, plans, facts of the hosts, commands with launchers, claims with tolerances, README, LICENSE, CITATION.cff and SHA256SUMS. The same records give the same bytes. The date is that of the last record, or SOURCE_DATE_EPOCH if it is set.",
		Args:        cli.OneOrMore("file"),
		Annotations: readsFiles,
		RunE: func(cmd *cobra.Command, files []string) (err error) {
			if o.Time, err = cli.SourceDate(time.Time{}); err != nil {
				return err
			}
			warnings, err := capsule.Create(out, files, o)
			if printWarnings(cmd.ErrOrStderr(), warnings); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), out)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "capsule"+capsule.Suffix, "`FILE` the archive")
	f.StringVar(&o.Title, "title", "", "`TEXT` title of README.md and CITATION.cff")
	f.StringArrayVar(&o.Authors, "author", nil, "`NAME` author; may be repeated")
	f.StringVar(&o.License, "license", "", "`FILE` text of the licence of the records (default CC-BY-4.0)")
	f.SortFlags = false
	return cmd
}

func newRerun() *cobra.Command {
	var o rerun.Options
	var tolerance string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "rerun FILE" + capsule.Suffix,
		Short: "Repeat the measurements of a capsule here, and test its claims",
		Example: `  gobench rerun paper.tar.zst --dry-run    the commands, and how long they take
  gobench rerun paper.tar.zst              exit code 0: all claims hold, 4: some fail, 5: some are not measured`,
		Long:        "It checks the sums, runs the commands of the records without a shell, and keeps the new records. Commands may name further programs, as launchers, sweeps and gobench time do: look at them with --dry-run first.",
		Args:        cli.One("file"),
		Annotations: readsFiles,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.Tolerance, err = compare.ParseShare("--tolerance", cmp.Or(tolerance, "0"))
			if err != nil || tolerance != "" && o.Tolerance == 0 {
				return cli.Usagef("--tolerance is %q, want a share above 0 such as 5%% or 0.05", tolerance)
			}
			if err := checkNoLauncher(cmd.Name()); err != nil {
				return err
			}
			stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
			if dryRun {
				return rerun.Commands(args[0], stdout)
			}
			ctx, stop := interruptible(cmd)
			defer stop()
			if cli.Quiet(cmd) {
				o.More = []string{"--quiet"}
			}
			o.Stderr, o.Progress = stderr, func(line string) { printWarnings(cli.Notices(cmd), []string{line}) }
			outcome, err := rerun.Capsule(ctx, args[0], o)
			if printWarnings(stderr, outcome.Warnings()); err != nil {
				return err
			}
			return outcome.Print(stdout, terminal.Of(stdout).Width)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Directory, "output", "o", "", "`DIRECTORY` new directory, for the capsule and the new records (default FILE-rerun)")
	f.StringVar(&tolerance, "tolerance", "", "`SHARE` difference that claims allow, such as 20% (default: that of each claim)")
	f.BoolVar(&dryRun, "dry-run", false, "check the capsule and print its commands and their expected time")
	cli.EndFlags(f)
	f.SortFlags = false
	return cmd
}
