package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/compare"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/internal/report/comparison"
	"gobench/report"
)

// compareFlags are the flags of gobench compare.
type compareFlags struct {
	options compare.Options
	effect  effectFlags
	detect  string // "" = the default of compare.Options
	form    report.Form
	view    report.View
	files   comparison.Files
}

func newCompare() *cobra.Command {
	var flags compareFlags
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "compare [flags] FILE...",
		Short: "Compare records: ratios with intervals, and whether they are significant",
		Example: `  gobench compare old.jsonl new.jsonl           each cell of the second file against the first
  gobench compare results/ --by=transport       any factor within files or directories
  gobench compare sweep.jsonl --by=program      two programs measured in alternation, the most sensitive comparison
  gobench compare all.jsonl --by=label --base=before
  gobench compare old.jsonl new.jsonl --gate --detect=15% --floor=aa.jsonl
  gobench compare old.jsonl new.jsonl --benchfmt=out && benchstat out/old.txt out/new.txt`,
		Long: "Cells that have all other factors in common are compared. Each launch counts as one value; a side with one launch gets a ratio and no verdict.\n\n" +
			"Exit codes: 2 if there is nothing to compare. With --gate 4 if a slowdown is shown (Holm's correction over all cells), " +
			"5 if the comparison is inconclusive (a slowdown of --detect would not have been found in most cells, or one of a factor of 2 in any, " +
			"machines differ, cells are missing, or both sides have launches in common), else 0, with the slowdown that would have been found.",
		Args:        cli.OneOrMore("file"),
		Annotations: readsFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			var err error
			if flags.form, err = format.records(); err != nil {
				return &exit.UsageError{Err: err}
			}
			setReaderGC()
			return flags.compare(files, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f, o := cmd.Flags(), &flags.options
	f.StringVar(&o.By, "by", "", "`FACTOR` factor to compare: file (default), transport, level, host, commit, program, label, tag.NAME, options.NAME ...")
	f.StringVar(&o.Base, "base", "", "`VALUE` baseline: a value of the factor, or the last part of a path or the beginning of a commit (default: the first file, or the first value by name)")
	f.StringVar(&o.Metric, "metric", "", "`NAME` metric to compare (default: the main metric of each benchmark)")
	flags.effect.register(f)
	f.BoolVar(&o.Gate, "gate", false, "one verdict for all cells, as exit code: 0 (no regression), 4 (regression) or 5 (inconclusive)")
	f.StringVar(&flags.detect, "detect", "", "`SHARE` slowdown that a gate must be able to detect in half of the cells (default 30%, or 1.5 times --min-effect if that is more)")
	f.BoolVar(&o.Each, "each", false, "a gate must be able to detect that slowdown in each cell, not in half of them")
	f.BoolVar(&o.SelfTests, "self-tests", false, "include results of --fault, which are left out otherwise: an injected delay shows whether a gate would fail")
	f.BoolVar(&o.AcrossMachines, "across-machines", false, "allow a gate to compare machines that differ in processor, caches, cores or hypervisor")
	flags.fileFlags(f)
	f.StringVar(&flags.files.Benchfmt, "benchfmt", "", "`DIRECTORY` also write one file per side for benchstat")
	f.BoolVar(&flags.view.Full, "full", false, "print all rows and notes instead of the first screen")
	f.BoolVar(&flags.view.Warnings, "warnings", false, "print all warnings on the first screen")
	format.register(f)
	f.SortFlags = false
	return cmd
}

// fileFlags registers the flags of files for other programs.
func (c *compareFlags) fileFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.files.JUnit, "junit", "", "`FILE` also write JUnit XML to this file")
	flags.StringVar(&c.files.Markdown, "markdown", "", "`FILE` also write a comment for a pull request to this file")
}

// effectFlags select the differences that count. They are the same for every verb that compares.
type effectFlags struct {
	minimum string // "2%" or "0.02", "" = the default of compare.Options
	floor   string // file or directory of records of the machine against itself, "" = none
}

func (e *effectFlags) register(flags *pflag.FlagSet) {
	e.registerMinimum(flags)
	flags.StringVar(&e.floor, "floor", "", "`FILE` compute the noise floor from this file or directory: records of one program on this machine at several times (gobench sweep --aa)")
}

func (e *effectFlags) registerMinimum(flags *pflag.FlagSet) {
	flags.StringVar(&e.minimum, "min-effect", "", "`SHARE` smallest difference that counts (default 2%, with --gate 10%)")
}

// set copies the flags to o and prints warnings about the records of the floor.
func (e *effectFlags) set(o *compare.Options, stderr io.Writer) error {
	if e.minimum != "" {
		v, err := compare.ParseShare("--min-effect", e.minimum)
		if err != nil {
			return &exit.UsageError{Err: err}
		}
		if o.Minimum = v; v == 0 {
			o.Minimum = -1
		}
	}
	if e.floor == "" {
		return nil
	}
	floor, warnings, err := compare.LoadFloor(e.floor)
	printWarnings(stderr, warnings)
	o.Floor = floor
	return err
}

// check returns an error for flags that do not fit together, or would replace records.
func (c *compareFlags) check(paths []string) error {
	for _, f := range [][2]string{{"--junit", c.files.JUnit}, {"--markdown", c.files.Markdown}} {
		// A file of records behind --markdown, which is no flag without a value as in show, is not
		// among the paths.
		if filepath.Ext(f[1]) == ".jsonl" || slices.Contains(paths, f[1]) {
			return fmt.Errorf("%s %s would replace records: name another file", f[0], f[1])
		}
	}
	if o := &c.options; !o.Gate && (o.AcrossMachines || o.Each || c.detect != "" && c.files.JUnit == "") {
		return errors.New("--detect, --each and --across-machines are for a gate: add --gate")
	}
	return nil
}

// parseDetect parses the value of --detect.
func parseDetect(text string) (float64, error) {
	share, err := compare.ParseShare("--detect", text)
	if err == nil && share == 0 {
		err = errors.New("--detect is 0: no number of launches finds every slowdown")
	}
	return share, err
}

// compare compares and prints. If a file cannot be read to its end, nothing is compared: the rest
// of it may decide the verdict.
func (c *compareFlags) compare(paths []string, stdout, stderr io.Writer) error {
	if err := c.check(paths); err != nil {
		return &exit.UsageError{Err: err}
	}
	if c.options.By == "" && len(paths) < 2 {
		return cli.Usagef("compare needs two files or directories, or a factor within one, such as --by=transport")
	}
	if err := c.effect.set(&c.options, stderr); err != nil {
		return err
	}
	if c.detect != "" {
		var err error
		if c.options.Detect, err = parseDetect(c.detect); err != nil {
			return &exit.UsageError{Err: err}
		}
	}
	sources, warnings, unreadable := compare.Load(paths, c.options)
	printWarnings(stderr, warnings)
	if unreadable != nil {
		return unreadable
	}
	result, err := compare.Compare(sources, c.options)
	if err != nil {
		return &exit.UsageError{Err: err}
	}
	c.view.Records = report.Pointer(paths)
	if err := c.print(stdout, result); err != nil {
		return err
	}
	switch {
	case result.Nothing() != "":
		return &exit.UsageError{Err: errors.New(result.Nothing())}
	case result.Gate != nil:
		return gateError(result.Gate.Conclusion)
	}
	return nil
}

// gateError returns the error of a gate that did not pass. The result has been printed.
func gateError(c compare.Conclusion) error {
	switch c {
	case compare.Passed:
		return nil
	case compare.Failed:
		return &exit.ReportedError{Code: exit.Regression, Err: errors.New("the gate failed")}
	}
	return &exit.ReportedError{Code: exit.Noisy, Err: errors.New("the gate is inconclusive")}
}

// print prints the result in the selected form and writes the other forms to their files.
func (c *compareFlags) print(stdout io.Writer, r *compare.Result) error {
	var err error
	switch c.form {
	case report.JSON:
		err = comparison.JSON(stdout, r)
	case report.CSV:
		err = comparison.CSV(stdout, r)
	default:
		if r.Nothing() == "" { // else the error is all there is to say
			err = comparison.Text(stdout, report.TerminalOf(stdout), r, c.view)
		}
	}
	if err != nil {
		return err
	}
	return c.files.Write(r)
}
