package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/configs"
	"gobench/experiment"
	"gobench/experiment/sweep"
	"gobench/internal/exit"
	"gobench/internal/terminal"
	"gobench/launch/host"
	"gobench/record"
	"gobench/report"
)

func newSweep(args []string) *cobra.Command {
	options := sweep.Options{Command: append([]string{programName()}, args...)}
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
		Long: "A name is that of a sweep of this program, which --list lists. The tables of the file are verbs, their keys the flags of the verb; lists are crossed. Each combination is launched once in each block, in a random order. " +
			"After an interruption the same command continues from the file of records.",
		Annotations: readsSweep,
		Args: func(cmd *cobra.Command, files []string) error {
			if listed {
				return atMostOne("file")(cmd, files)
			}
			return exactlyOne("file")(cmd, files)
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			if listed {
				for _, s := range configs.Sweeps() {
					fmt.Fprint(cmd.OutOrStdout(), terminal.Hang(fmt.Sprintf("%-16s ", s.Name), s.About, terminal.Of(cmd.OutOrStdout()).Width))
				}
				return nil
			}
			if err := unaccompanied(cmd.Name()); err != nil {
				return err
			}
			form, err := format.records()
			if err == nil && len(failIf) > 0 {
				var limits experiment.Limits
				limits, err = experiment.ParseLimits(failIf)
				options.Judge = func(file string) error {
					return report.Show(report.Output{W: io.Discard, Remarks: io.Discard, Form: report.Text}, []string{file}, report.Selection{Judge: limits.Check}, nil)
				}
			}
			if err == nil && detect != "" {
				options.Detect, err = parseDetect(detect)
			}
			if err == nil {
				err = experiment.CheckFile(options.File)
			}
			switch {
			case err != nil:
			case options.DryRun && form != report.Text:
				err = errors.New("the plan of a sweep is text: leave out --json and --csv")
			case options.Launches < 0:
				err = fmt.Errorf("--launches is %d, want 1 or more, or 0 for those of the file", options.Launches)
			case options.Budget < 0:
				err = fmt.Errorf("--budget is %v, must not be negative", options.Budget)
			case options.Seed < 0:
				err = fmt.Errorf("--seed is %d, must not be negative", options.Seed)
			}
			if err != nil {
				return &exit.UsageError{Err: err}
			}
			options.Path = files[0]
			if _, err := os.Stat(options.Path); err != nil {
				options.Text, _ = configs.Read(options.Path) // nil: sweep.Run reports that there is no file
			}
			options.Verbs = sweepVerbs(cmd.Root())
			options.Version = host.Version()
			options.Host, _ = os.Hostname()
			options.Available = available
			options.Stderr = cmd.ErrOrStderr()
			printer := &sweepPrinter{form: form, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			err = sweep.Run(ctx, options, printer)
			if e := printer.end(); err == nil {
				err = e
			}
			if os.Getenv(record.LogVariable) == "1" && options.File != "" {
				err = errors.Join(err, record.WriteLog(cmd.OutOrStdout(), options.File))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.IntVar(&options.Launches, "launches", 0, "`N` launches of each combination; 0 = as in the file")
	f.Int64Var(&options.Seed, "seed", 0, "`N` seed of the order of launches; 0 = as in the file, or random")
	timeVar(f, &options.Budget, "budget", "`TIME` budget of the whole sweep: no launch is started after it; 0 = as in the file")
	f.BoolVar(&options.AA, "aa", false, "launch everything twice in each block, to measure the machine against itself for compare --floor")
	f.StringVar(&detect, "detect", "", "`SHARE` print at the end how many launches a comparison needs to detect a slowdown of this size, such as 10%")
	failIfFlag(f, &failIf)
	f.StringVarP(&options.File, "output", "o", "", "`FILE` append records to this file; launches that it contains are not repeated (default results/SWEEP-HOST.jsonl)")
	f.BoolVar(&listed, "list", false, "list the sweeps that this program has by name")
	f.BoolVar(&options.DryRun, "dry-run", false, "print the plan, the number of cells and the expected time; run no program that the file names")
	format.register(f)
	f.SortFlags = false
	return cmd
}

// sweepPrinter prints the progress of a sweep as text, or the records of its launches as JSON or
// CSV.
type sweepPrinter struct {
	form           report.Form
	stdout, stderr io.Writer
	records        report.Printer // nil before the first record, and in the form Text
	shown          bool           // the progress, on a terminal
}

// Line implements sweep.Observer.
func (p *sweepPrinter) Line(name, text string) {
	p.erase()
	if p.form == report.Text {
		fmt.Fprint(p.stdout, terminal.Hang(fmt.Sprintf("# %-8s ", name), text, terminal.Of(p.stdout).Width))
	}
}

// Progress implements sweep.Observer: one line that is written again, or a line for each launch
// where standard error is no terminal.
func (p *sweepPrinter) Progress(text string) {
	t := terminal.Of(p.stderr)
	if !t.Live {
		fmt.Fprintln(p.stderr, "gobench: "+text)
		return
	}
	p.erase()
	fmt.Fprint(p.stderr, terminal.Snip(text, t.Width-1))
	p.shown = true
}

// erase removes the line of the progress from the terminal.
func (p *sweepPrinter) erase() {
	if p.shown {
		fmt.Fprint(p.stderr, "\r\x1b[2K")
		p.shown = false
	}
}

// Warning implements sweep.Observer.
func (p *sweepPrinter) Warning(text string) {
	p.erase()
	fmt.Fprintln(p.stderr, "gobench: "+text)
}

// Records implements sweep.Observer.
func (p *sweepPrinter) Records(rows *record.File) error {
	if p.form == report.Text {
		return nil
	}
	if p.records == nil {
		var keys []string
		for _, m := range record.Metrics {
			keys = append(keys, m.Key)
		}
		var err error
		if p.records, err = report.NewPrinter(p.stdout, report.TerminalOf(p.stdout), p.form, keys); err != nil {
			return err
		}
	}
	for _, run := range rows.Runs {
		if err := p.records.Run(run); err != nil {
			return err
		}
	}
	for _, point := range rows.Points {
		if err := p.records.Point(point); err != nil {
			return err
		}
	}
	return nil
}

// maxLines is the greatest length of the comparison and of the tables that a sweep ends with.
const maxLines = 100

// Results implements sweep.Observer: it prints the comparison that the plan asks for, if it varies
// something else than the transport, and the tables, or where they are if they are long.
func (p *sweepPrinter) Results(file, by string) error {
	p.erase()
	if p.form != report.Text {
		return nil
	}
	if factor := strings.Fields(by); factor[0] != "transport" {
		var verdicts bytes.Buffer
		compare := newCompare()
		compare.SilenceErrors, compare.SilenceUsage = true, true
		compare.SetArgs(append([]string{file, "--by=" + factor[0]}, factor[1:]...))
		compare.SetOut(&sized{&verdicts, p.stdout})
		compare.SetErr(io.Discard) // Show prints the warnings about the file
		// An error means that there is nothing to compare, or too little: the tables show that.
		if err := compare.Execute(); err == nil && bytes.Count(verdicts.Bytes(), []byte("\n")) <= maxLines {
			if _, err := p.stdout.Write(append(verdicts.Bytes(), '\n')); err != nil {
				return err
			}
			if terminal.Of(p.stdout).Width > 0 { // the answer stays on the screen
				p.Line("tables", "gobench show "+file)
				return nil
			}
		}
	}
	var tables bytes.Buffer
	screen := report.TerminalOf(p.stdout)
	screen.Height = cmp.Or(screen.Height, report.UsualHeight) - 2 // what to do next is below
	if err := report.Show(report.Output{W: &tables, Remarks: p.stderr, Terminal: screen, Form: report.Text}, []string{file}, report.Selection{}, nil); err != nil {
		return err
	}
	if n := bytes.Count(tables.Bytes(), []byte("\n")); n > maxLines {
		p.Line("results", fmt.Sprintf("%d lines of tables: gobench show %s", n, file))
		return nil
	}
	_, err := p.stdout.Write(tables.Bytes())
	return err
}

// sized is a buffer with the width of an output.
type sized struct {
	*bytes.Buffer
	of io.Writer
}

// Unwrap implements terminal.Wrapper.
func (s *sized) Unwrap() io.Writer { return s.of }

func (p *sweepPrinter) end() error {
	if p.records == nil {
		return nil
	}
	return p.records.End()
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

func exactlyOne(what string) cobra.PositionalArgs {
	few, many := atLeastOne(what), atMostOne(what)
	return func(cmd *cobra.Command, args []string) error {
		if err := few(cmd, args); err != nil {
			return err
		}
		return many(cmd, args)
	}
}
