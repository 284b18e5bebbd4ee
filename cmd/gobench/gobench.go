package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/cmd/gobench/glossary"
	"gobench/configs"
	"gobench/internal/exit"
	"gobench/internal/simd"
	"gobench/internal/terminal"
	_ "gobench/kernels/all" // every application
	"gobench/kernels/application"
	"gobench/launch/host"
	"gobench/micro/collective"
	"gobench/nearest"
	"gobench/record"
)

// gobench runs a command line and returns the exit code. Errors are printed to stderr as one
// sentence, never as a stack trace.
func gobench(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if bug := recover(); bug != nil {
			fmt.Fprintf(stderr, "gobench: this is a defect of gobench, please report it with the command line: %v (%s)\n", bug, origin())
			code = exit.Failed
		}
	}()
	root := newRoot(args)
	out := &output{to: stdout}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	err := checkVerb(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil && !errors.Is(out.err, syscall.EPIPE) { // a reader may close a pipe
		err = out.err
	}
	if _, reported := errors.AsType[*exit.ReportedError](err); err != nil && !reported {
		fmt.Fprintf(stderr, "gobench: %s\n", strings.ReplaceAll(terminal.Plain(err.Error(), '\n', '\t'), "\n", "\ngobench: ")) // joined errors, and words of other hosts
	}
	if code = exitCode(err); code == exit.Usage && out.err != nil {
		code = exit.Failed // the command line was valid
	}
	return code
}

// output is the standard output of a verb. It keeps the first write error, because not every verb
// returns it, as when it prints help or a plan. It is used by one goroutine at a time.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// Unwrap implements terminal.Wrapper.
func (o *output) Unwrap() io.Writer { return o.to }

// origin returns the function and line that panicked. It must be called by a deferred function.
func origin() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") || !more {
			return fmt.Sprintf("%s, line %d", frame.Function, frame.Line)
		}
	}
}

func newRoot(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "gobench",
		Short: "Measures how fast machines communicate",
		Example: `  gobench probe                     what works here, and why the rest does not
  gobench p2p                       latency and bandwidth between two processes
  gobench p2p --transport=smem,tcp --sizes=8,64K,1MiB
  gobench coll                      allreduce of four processes
  gobench npb cg                    a NAS Parallel Benchmark, verified
  gobench fdtd -n 1,2,4             a finite-difference solver on 1, 2 and 4 ranks
  gobench sweep quick               a plan of many launches, in random order
  gobench show results/*.jsonl      the tables again, from records
  gobench compare a.jsonl b.jsonl   what differs, and whether it is significant
  gobench report results/           a document with figures, from records
  gobench explain half_rtt          the definition of a metric, with its formula`,
		Args: cobra.ArbitraryArgs, // checkVerb
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := simd.Check(); err != nil {
				return &exit.UsageError{Err: err}
			}
			return nil
		},
		Version:       host.Version() + ", vector loops: " + simd.Describe(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetHelpFunc(help)
	root.SetHelpCommand(newHelp())
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newP2P(args), newColl(args), newStartup(args))
	for _, a := range application.Applications() {
		root.AddCommand(newApplication(a, args))
	}
	root.AddCommand(newSweep(args), newTime(args), newTune(), newShow(), newCompare(), newImport(), newReport(), newProbe(), newPairs(), newExplain(), newManifest(), newVersion(), newAgent(), newBridge(), newTrial(), newMan(), newPairsWorker())
	complete(root)
	return root
}

// newVersion returns the verb version: what --version prints.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of this program", Hidden: true, Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "gobench version %s\n", cmd.Root().Version)
			return err
		},
	}
}

// programName returns the name under which the user started this program, for the command lines in
// records: builds with an MPI library have names of their own.
func programName() string { return filepath.Base(os.Args[0]) }

// checkVerb returns an error if the first word of a command line is no verb, or if words beside
// --help are no arguments of the verb. It is called before cobra, which answers a flag such as
// --help whatever the words beside it are.
func checkVerb(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	about, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 && strings.HasPrefix(rest[0], cobra.ShellCompRequestCmd) {
		return err
	}
	if about.HasParent() {
		return checkArguments(args)
	}
	for _, word := range rest {
		switch {
		case slices.Contains([]string{"-h", "--help", "-v", "--version", "--"}, word):
		case strings.HasPrefix(word, "-"):
			return nil // cobra names the unknown flag
		default:
			return unknownVerb(root, word)
		}
	}
	return nil
}

// checkArguments returns an error if a command line that asks for the help of a verb has arguments
// that the verb refuses, or any command line of the verbs that cobra adds. It parses the flags, so
// it makes the commands anew.
func checkArguments(args []string) error {
	root := newRoot(args)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	verb, rest, err := root.Find(args)
	helps := slices.ContainsFunc(rest, func(word string) bool { return word == "-h" || word == "--help" })
	if err != nil || verb.DisableFlagParsing || !helps && !verb.HasSubCommands() && verb.Parent() == root {
		return err
	}
	verb.InitDefaultHelpFlag()
	if verb.ParseFlags(rest) != nil {
		return nil // cobra returns the same error
	}
	words := verb.Flags().Args()
	switch {
	case len(words) == 0:
		return nil
	case verb.HasSubCommands():
		return &exit.UsageError{Err: &nearest.UnknownError{What: "command of " + verb.Name(), Name: words[0], Known: verbs(verb)}}
	}
	if err = verb.ValidateArgs(words); err == nil {
		err = missingFile(verb, words)
	}
	if err != nil && !errors.As(err, new(*exit.UsageError)) {
		err = &exit.UsageError{Err: err}
	}
	return err
}

// reads marks the verbs whose arguments are files, or names of sweeps.
const reads = "reads"

var (
	readsFiles = map[string]string{reads: "files"}
	readsSweep = map[string]string{reads: "sweep"}
)

// missingFile returns an error if an argument of a verb that reads files is no file. Without --help
// the verb itself names it.
func missingFile(verb *cobra.Command, words []string) error {
	kind := verb.Annotations[reads]
	if kind == "" {
		return nil
	}
	for _, word := range words {
		if _, err := configs.Read(word); err == nil && kind == readsSweep[reads] {
			continue
		}
		if _, err := os.Stat(word); word != record.Stdin && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no file or folder %q: %s --help alone explains the command", word, verb.CommandPath())
		}
	}
	return nil
}

// unknownVerb returns the error for an unknown verb. It suggests a verb with a similar name, or a
// command that measures the benchmark, kernel or other subject of that name.
func unknownVerb(root *cobra.Command, name string) error {
	if _, near := nearest.Name(name, verbs(root)); !near {
		meant := foreignCommands[strings.ToLower(name)]
		if kind, ok := collective.Lookup(name); ok {
			meant = "gobench coll " + kind.String()
		} else if entry, err := glossary.Lookup(name); meant == "" && err == nil {
			meant = entry.Example()
		}
		for _, a := range application.Applications() {
			if argument := strings.ToLower(name); meant == "" && slices.Contains(a.Values, argument) {
				meant = "gobench " + a.Name + " " + argument
			}
		}
		if meant != "" {
			return &exit.UsageError{Err: fmt.Errorf("unknown command %q: did you mean %s? gobench --help lists all commands", name, meant)}
		}
	}
	return &exit.UsageError{Err: &nearest.UnknownError{What: "command", Name: name, Known: verbs(root), List: "commands"}}
}

func verbs(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// flagError rephrases errors of package pflag.
func flagError(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		value   *pflag.InvalidValueError
		missing *pflag.ValueRequiredError
	)
	switch {
	case errors.As(err, &unknown):
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		name := "--" + unknown.GetSpecifiedName()
		if s := unknown.GetSpecifiedShortnames(); s != "" {
			name, _, _ = strings.Cut("-"+s, "=")
		}
		if answer := foreignFlags[name]; answer != "" && hasFlagsOf(cmd, answer) {
			return &exit.UsageError{Err: fmt.Errorf("unknown flag %q: %s", name, answer)}
		}
		err = &nearest.UnknownError{What: "flag", Name: name, Known: known, List: "flags of " + cmd.Name(), Where: cmd.CommandPath() + " --help lists all flags"}
	case errors.As(err, &value) && flagName(value.GetFlag()) == "-n" && strings.HasPrefix(value.GetValue(), "p"):
		err = errors.New("-np has one dash too few or a letter too many: write -n 4 or --np=4")
	case errors.As(err, &value):
		err = fmt.Errorf("%s is %q, want %s", flagName(value.GetFlag()), value.GetValue(), wanted(value.GetFlag()))
	case errors.As(err, &missing):
		err = fmt.Errorf("%s needs a value: %s", flagName(missing.GetFlag()), wanted(missing.GetFlag()))
	}
	return &exit.UsageError{Err: err}
}

func flagName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// wanted describes the values of a flag, by its type.
func wanted(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64", "uint64":
		return "a whole number"
	case "duration":
		return "a time such as 500ms, 2s, or 2 for seconds"
	case "bool":
		return "true or false"
	default:
		name, usage := pflag.UnquoteUsage(f)
		about, _, _ := strings.Cut(usage, ":")
		return name + ": " + strings.TrimPrefix(about, name+" ")
	}
}
