package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gobench/compare"
	"gobench/experiment/rerun"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/internal/terminal"
	"gobench/launch/signals"
	"gobench/record"
	"gobench/report/capsule"
	"gobench/report/cell"
	"gobench/report/document"
)

// archiveSuffix ends the names of capsules.
const archiveSuffix = ".tar.zst"

func newCapsule() *cobra.Command {
	var o capsule.Options
	var out, license string
	cmd := &cobra.Command{
		Use:   "capsule FILE...",
		Short: "Pack records with all that repeats them into an archive to publish",
		Example: `  gobench capsule results/ -o paper.tar.zst --author="Ada Lovelace" --title="Latency of X"
  gobench rerun paper.tar.zst          measure the same on another machine`,
		Long:        "The archive has the records, plans, facts of the hosts, commands with launchers, claims with tolerances, README, LICENSE, CITATION.cff and SHA256SUMS. Equal records give equal bytes; SOURCE_DATE_EPOCH sets the date, which is that of the last record otherwise.",
		Args:        cli.OneOrMore("file"),
		Annotations: readsFiles,
		RunE: func(cmd *cobra.Command, files []string) (err error) {
			if !strings.HasSuffix(out, archiveSuffix) {
				return &exit.UsageError{Err: fmt.Errorf("--output is %q, want a name that ends in %s", out, archiveSuffix)}
			}
			if license != "" {
				text, err := os.ReadFile(license)
				if err != nil {
					return &exit.UsageError{Err: err}
				}
				o.License = string(text)
			}
			if o.Time, err = cli.SourceDate(time.Time{}); err != nil {
				return err
			}
			if o.Authors == nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "gobench: CITATION.cff names no author: give --author before you publish")
			}
			if err := document.Create(out, func(f *os.File) error { return capsule.Write(f, files, o) }); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), out)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "capsule"+archiveSuffix, "`FILE` the archive")
	f.StringVar(&o.Title, "title", "", "`TEXT` title of README.md and CITATION.cff")
	f.StringArrayVar(&o.Authors, "author", nil, "`NAME` author; may be repeated")
	f.StringVar(&license, "license", "", "`FILE` licence of the records (default: CC-BY-4.0)")
	f.SortFlags = false
	return cmd
}

func newRerun() *cobra.Command {
	var directory, tolerance string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "rerun FILE" + archiveSuffix,
		Short: "Repeat the measurements of a capsule here, and test its claims",
		Example: `  gobench rerun paper.tar.zst --dry-run    the commands, and how long they take
  gobench rerun paper.tar.zst              exit code 0: all claims hold, 4: some fail, 5: some are not measured`,
		Long:        "It checks the sums, runs the commands of the records without a shell (sweeps may name further programs: look at them with --dry-run first), and keeps the new records.",
		Args:        cli.One("file"),
		Annotations: readsFiles,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			tolerated := 0.0
			if tolerance != "" {
				if tolerated, err = compare.ParseShare("--tolerance", tolerance); err != nil {
					return &exit.UsageError{Err: err}
				}
			}
			if err := unaccompanied(cmd.Name()); err != nil {
				return err
			}
			if directory == "" {
				directory = strings.TrimSuffix(filepath.Base(args[0]), archiveSuffix) + "-rerun"
			}
			if dryRun {
				if directory, err = os.MkdirTemp("", "gobench-"); err != nil {
					return err
				}
				defer os.RemoveAll(directory)
			} else if err := os.Mkdir(directory, 0o777); err != nil {
				return fmt.Errorf("cannot keep the records of the repetition: %w; name another directory with --output", err)
			}
			return repeat(cmd, args[0], directory, tolerated, dryRun)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&directory, "output", "o", "", "`DIRECTORY` new one, for the capsule and the new records (default FILE-rerun)")
	f.StringVar(&tolerance, "tolerance", "", "`SHARE` difference that claims allow, such as 20% (default: that of each claim)")
	f.BoolVar(&dryRun, "dry-run", false, "check the capsule and print its commands and their expected time")
	f.SortFlags = false
	return cmd
}

// repeat unpacks a capsule into a directory, repeats its measurements there, and prints the claims.
func repeat(cmd *cobra.Command, archive, directory string, tolerated float64, dryRun bool) error {
	then, err := capsule.Open(archive, filepath.Join(directory, "capsule"))
	if err != nil {
		return err
	}
	steps, names := document.Repeat(then)
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	if dryRun {
		fmt.Fprintf(stdout, "%s\n# about %v\n", terminal.Plain(strings.Join(document.Shell(steps), "\n"), '\n'), capsule.Expected(then))
		return nil
	}
	directory = filepath.Join(directory, "new")
	if err := os.Mkdir(directory, 0o777); err != nil {
		return err
	}
	ctx, stop := signals.Context(cmd.Context())
	defer stop()
	failed, err := rerun.Run(ctx, steps, rerun.Options{Directory: directory, Stderr: stderr, Progress: func(line string) { fmt.Fprintln(stderr, "gobench: "+terminal.Plain(line)) }})
	printWarnings(stderr, failed)
	if err != nil {
		return fmt.Errorf("%w; the records so far are in %s", err, directory)
	}
	return judge(then, directory, names, tolerated, stdout)
}

// judge prints the claims of records, as the files names in a directory repeat them.
func judge(then *cell.Set, directory string, names []string, tolerated float64, stdout io.Writer) error {
	var paths []string
	for _, name := range names {
		if path := filepath.Join(directory, name); exists(path) {
			paths = append(paths, path)
		}
	}
	now, err := cell.Load(paths, record.Selection{})
	if err != nil {
		return err
	}
	results, err := capsule.Judge(then, now, tolerated)
	if err != nil {
		return err
	}
	if err := capsule.Print(stdout, then, now, results, terminal.Of(stdout).Width); err != nil {
		return err
	}
	switch counts := capsule.Count(results); {
	case counts[capsule.Fails] > 0:
		return &exit.ReportedError{Code: exit.Regression, Err: errors.New("some claims fail")}
	case counts[capsule.Holds] < len(results) || len(results) == 0:
		return &exit.ReportedError{Code: exit.Noisy, Err: errors.New("some claims are not measured")}
	}
	return nil
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }
