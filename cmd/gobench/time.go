package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gobench/experiment/sweep"
	"gobench/internal/exit"
	"gobench/launch/host"
	"gobench/nearest"
	"gobench/record"
	"gobench/report"
)

// A timing holds the options of gobench time.
type timing struct {
	runs, warmup            int
	names                   []string
	setup, prepare, cleanup string // command lines of a shell, "" = none
	success                 string // exit codes, "" = 0
	limit                   time.Duration
	file                    string
	gate                    bool
	effect, metric          string
	junit, markdown         string
}

func newTime(args []string) *cobra.Command {
	t := timing{runs: 10, limit: time.Minute}
	cmd := &cobra.Command{
		Use:   "time [flags] COMMAND...",
		Short: "Time commands of any kind in turns, and compare them: wall and processor time, memory",
		Example: `  gobench time './old --size=1M' './new --size=1M'
  gobench time --gate --min-effect=5% --warmup=2 ./old ./new
  gobench time -- ./program --its-flag       one command: the words behind --`,
		Long: "Each COMMAND is one argument, as for hyperfine; with --, all words behind it are one command. The first command is the baseline. " +
			"All commands are run once in each block, in a random order, each as a new process and not by a shell. " +
			"A command that fails is named, and repeated up to twice. It is a sweep of [[program]] tables with importer = \"time\", which has more options. " +
			"With --gate the exit code is the verdict: 0, 4 (a command is slower) or 5 (too noisy to tell).",
		Args: atLeastOne("command"),
		RunE: func(cmd *cobra.Command, words []string) error {
			commands := words
			if cmd.ArgsLenAtDash() == 0 {
				commands = []string{strings.Join(words, " ")}
			}
			if err := t.check(commands); err != nil {
				return &exit.UsageError{Err: err}
			}
			return t.run(cmd, args, commands)
		},
	}
	f := cmd.Flags()
	f.IntVarP(&t.runs, "runs", "r", t.runs, "`N` runs of each command; a verdict needs 6")
	f.IntVarP(&t.warmup, "warmup", "w", 0, "`N` runs of each command before, which do not count")
	f.StringArrayVarP(&t.names, "command-name", "n", nil, "`NAME` name of a command in the tables (default the command); may be repeated, in their order")
	f.StringVarP(&t.setup, "setup", "s", "", "`COMMAND` run this by sh once for each command, before its first run")
	f.StringVarP(&t.prepare, "prepare", "p", "", "`COMMAND` run this by sh before each run; its time does not count")
	f.StringVarP(&t.cleanup, "cleanup", "c", "", "`COMMAND` run this by sh once for each command, after all runs")
	f.StringVar(&t.success, "success", "", "`CODES` exit codes with which a run counts, such as 0,1 (default 0)")
	f.DurationVar(&t.limit, "limit", t.limit, "`TIME` end a run after this time")
	f.StringVarP(&t.file, "output", "o", "", "`FILE` append records to this file (default results/time-DATE.jsonl)")
	f.BoolVar(&t.gate, "gate", false, "end with the verdict as exit code")
	f.StringVar(&t.effect, "min-effect", "", "`SHARE` smallest difference that counts (default 2%, with --gate 10%)")
	f.StringVar(&t.metric, "metric", "", "`NAME` what is compared: run (wall time, the default), user, system or peak_memory")
	f.StringVar(&t.junit, "junit", "", "`FILE` also write JUnit XML to this file")
	f.StringVar(&t.markdown, "markdown", "", "`FILE` also write a comment for a pull request to this file")
	f.SortFlags = false
	return cmd
}

// check returns an error for values that no run can have.
func (t *timing) check(commands []string) error {
	switch {
	case t.runs < 1:
		return fmt.Errorf("--runs is %d, want 1 or more", t.runs)
	case t.warmup < 0:
		return fmt.Errorf("--warmup is %d, must not be negative", t.warmup)
	case t.limit <= 0:
		return fmt.Errorf("--limit is %v, want a time above 0", t.limit)
	case len(t.names) > len(commands):
		return fmt.Errorf("there are %d names and %d commands", len(t.names), len(commands))
	case t.gate && len(commands) < 2:
		return fmt.Errorf("--gate compares commands: name the baseline first, and another one")
	}
	if _, ok := record.Lookup(t.metric); !ok && t.metric != "" {
		return &nearest.UnknownError{What: "metric", Name: t.metric, Known: []string{"run", "user", "system", "peak_memory"}}
	}
	names := slices.Concat(t.names, commands[len(t.names):])
	for i, name := range names {
		if strings.TrimSpace(commands[i]) == "" {
			return fmt.Errorf("command %d is empty", i+1)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("two commands are called %q: name them with --command-name", name)
		}
	}
	return nil
}

// plan returns the sweep of the commands.
func (t *timing) plan(commands []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name = \"time\"\nlaunches = %d\n", t.runs)
	for i, c := range commands {
		name := c
		if i < len(t.names) {
			name = t.names[i]
		}
		fmt.Fprintf(&b, "\n[[program]]\nlibrary = %q\ncommand = %q\nimporter = \"time\"\nlimit = \"%v\"\nwarmup = %d\n", name, c, t.limit, t.warmup)
		for _, key := range [][2]string{{"setup", t.setup}, {"prepare", t.prepare}, {"cleanup", t.cleanup}, {"success", t.success}} {
			if key[1] != "" {
				fmt.Fprintf(&b, "%s = %q\n", key[0], key[1])
			}
		}
	}
	return b.String()
}

// run times the commands, prints the rows, and compares the commands if there are several.
func (t *timing) run(cmd *cobra.Command, args, commands []string) error {
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	if t.file == "" {
		t.file = filepath.Join("results", "time-"+time.Now().UTC().Format("20060102T150405Z")+".jsonl")
	}
	options := sweep.Options{
		Path: "time", Text: []byte(t.plan(commands)), File: t.file, Command: append([]string{programName()}, args...), Verbs: sweepVerbs(cmd.Root()),
		Version: host.Version(), Available: available, Stderr: cmd.ErrOrStderr(),
	}
	options.Host, _ = os.Hostname()
	printer := &sweepPrinter{form: report.Text, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
	if err := sweep.Run(ctx, options, printer); err != nil || len(commands) < 2 {
		return err
	}
	base := commands[0]
	if len(t.names) > 0 {
		base = t.names[0]
	}
	compared := []string{"--by=library", "--base=" + base, t.file}
	for flag, value := range map[string]string{"min-effect": t.effect, "metric": t.metric, "junit": t.junit, "markdown": t.markdown} {
		if value != "" {
			compared = append(compared, "--"+flag+"="+value)
		}
	}
	if t.gate {
		compared = append(compared, "--gate")
	}
	compare := newCompare()
	compare.SetArgs(compared)
	compare.SetOut(cmd.OutOrStdout())
	compare.SetErr(cmd.ErrOrStderr())
	compare.SilenceErrors, compare.SilenceUsage = true, true
	return compare.ExecuteContext(ctx)
}
