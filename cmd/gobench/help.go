package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/internal/exit"
	"gobench/internal/lazyregexp"
	"gobench/internal/terminal"
)

// Width of the help: at most helpWidth columns on a terminal, and usualWidth if the output is not a
// terminal, such as in a pager.
const (
	helpWidth  = 100
	usualWidth = 80
)

// help prints the help of a command, at most as wide as the terminal: one screen if args, the
// command line, has -h, everything otherwise.
func help(cmd *cobra.Command, args []string) {
	width := terminal.Of(cmd.OutOrStdout()).Width
	if width == 0 {
		width = usualWidth
	}
	width = min(width, helpWidth)
	if !cmd.HasParent() && !slices.Contains(args, "--help") || slices.Contains(args, "-h") && countFlags(cmd) > manyFlags {
		cmd.Print(shortHelp(cmd, width))
		return
	}
	cmd.Print(helpText(cmd, width))
}

// commonFlags lists the flags of the short help, where the command has them, in a few words.
var commonFlags = []struct{ name, about string }{
	{"bench", "benchmarks: pingpong, uniband, exchange ... or all"},
	{"op", "operations: allreduce, bcast, alltoall ... or all"},
	{"algo", "algorithms: auto, all, or names"},
	{"class", "problem class: S, W, A, B, C ..."},
	{"grid", "points of the grid: 512x512"},
	{"sizes", "message sizes: 8,64K,1MiB, or 0:4MiB, or all"},
	{"transport", "transports: smem, tcp ... (gobench probe lists them)"},
	{"np", "number of ranks"},
	{"hosts", "hosts that run the ranks, by ssh: a,b:4"},
	{"launches", "launches (8 unless set; ± needs 6)"},
	{"output", "append records to this file"},
	{"json", "rows as JSON Lines; --json=all: all records"},
	{"full", "all columns, states of the cores and notes"},
	{"dry-run", "the plan and its expected time"},
}

// manyFlags is the number of flags from which on a command has a short help, with someExamples.
const (
	manyFlags    = 14
	someExamples = 3
)

func countFlags(cmd *cobra.Command) (n int) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			n++
		}
	})
	return n
}

// shortHelp returns the flags that people use, or of the program its commands, with examples, on one
// screen.
func shortHelp(cmd *cobra.Command, width int) string {
	var b strings.Builder
	lines := strings.Split(cmd.Example, "\n")
	fmt.Fprintf(&b, "%s.\n\n%s\n", cmd.Short, examples(strings.Join(lines[:min(someExamples, len(lines))], "\n"), width))
	if !cmd.HasParent() {
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-9s %s\n", c.Name(), terminal.Snip(c.Short, width-12))
			}
		}
		return b.String() + "A command: gobench COMMAND -h. More examples, exit codes: gobench --help\n"
	}
	flags := cmd.LocalFlags()
	for _, common := range commonFlags {
		if f := flags.Lookup(common.name); f != nil && !f.Hidden {
			b.WriteString(terminal.Hang(fmt.Sprintf("  %-19s ", flagHead(f)), common.about, width))
		}
	}
	fmt.Fprintf(&b, "\nAll %d flags, in groups: %s --help\n", countFlags(cmd), cmd.CommandPath())
	return b.String()
}

// A flagGroup is a heading of the help with its flags. Flags of no group are what is measured.
type flagGroup struct {
	title string
	names []string
}

var flagGroups = []flagGroup{
	{"Ranks and hosts", []string{"np", "ranks", "threads", "pin", "hosts", "hostfile", "map", "copy", "ssh", "env", "node", "meet", "insecure-meet"}},
	{"Number and length of launches", []string{"launches", "duration", "timeout", "precision", "budget", "iterations", "warmup", "batch", "repeat", "seed"}},
	{"Options of transports and buffers", []string{"set", "profile", "memory", "cache", "buffers"}},
	{"Results", []string{"output", "no-records", "json", "csv", "markdown", "export", "full", "states", "warnings", "quiet", "label", "tag", "fail-if", "verbose", "dry-run"}},
	{"Tests of gobench itself", []string{"fault"}},
}

// groupedFlags describes all flags below the headings of their groups, or without headings if there
// are few.
func groupedFlags(cmd *cobra.Command, width int) string {
	flags := cmd.LocalFlags()
	if countFlags(cmd) <= manyFlags {
		return "\n" + flagTable(flags, width)
	}
	rest := pflag.NewFlagSet("", pflag.ContinueOnError)
	rest.SortFlags = false
	grouped := map[string]bool{}
	for _, g := range flagGroups {
		for _, name := range g.names {
			grouped[name] = true
		}
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if !grouped[f.Name] && f.Name != "help" {
			rest.AddFlag(f)
		}
	})
	var b strings.Builder
	fmt.Fprintf(&b, "\nWhat is measured:\n%s", flagTable(rest, width))
	for _, g := range flagGroups {
		of := pflag.NewFlagSet("", pflag.ContinueOnError)
		of.SortFlags = false
		for _, name := range g.names {
			if f := flags.Lookup(name); f != nil {
				of.AddFlag(f)
			}
		}
		if of.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", g.title, flagTable(of, width))
		}
	}
	return b.String()
}

// helpText returns the help of a command: examples first, then everything else.
func helpText(cmd *cobra.Command, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n", cmd.Short)
	if cmd.Example != "" {
		b.WriteString("\nExample:\n" + examples(cmd.Example, width))
	}
	if cmd.Long != "" {
		b.WriteString("\n" + terminal.Hang("", cmd.Long, width))
	}
	if cmd.HasParent() {
		b.WriteString("\n" + terminal.Hang("Usage: ", cmd.UseLine(), width) + groupedFlags(cmd, width))
	} else {
		b.WriteString("\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				b.WriteString(terminal.Hang(fmt.Sprintf("  %-9s ", c.Name()), c.Short, width))
			}
		}
		b.WriteString("\nFlags of a command: gobench COMMAND -h, all of them --help\n" +
			"Completion of commands and values: gobench completion bash, zsh or fish\n")
	}
	b.WriteString("\n" + terminal.Hang("Exit codes: ", "0 fine, 1 failed, 2 usage, 3 data wrong, 4 regression, 5 inconclusive.", width))
	if _, ok := cmd.Annotations[measures]; ok {
		b.WriteString("Ctrl-C ends with 1; what was measured until then is kept.\n")
	}
	return b.String()
}

// example matches a command and, after two or more spaces, the text about it.
var example = lazyregexp.New(`^( *\S.*?)  +(\S.*)$`)

// splitExample splits a line of examples into the command and the text about it, "" if none.
func splitExample(line string) (command, text string) {
	if m := example.FindStringSubmatch(line); m != nil {
		return m[1], m[2]
	}
	return line, ""
}

// examples formats examples for the width. If a line is too long, all texts about commands are
// wrapped: in their column if it begins in the left half, else below the command. Commands are not
// wrapped.
func examples(list string, width int) string {
	fits, column := true, 0
	for line := range strings.SplitSeq(list, "\n") {
		if _, text := splitExample(line); text != "" {
			fits = fits && utf8.RuneCountInString(line) <= width
			column = max(column, utf8.RuneCountInString(strings.TrimSuffix(line, text)))
		}
	}
	if fits {
		return list + "\n"
	}
	var b strings.Builder
	for line := range strings.SplitSeq(list, "\n") {
		switch command, text := splitExample(line); {
		case text == "":
			b.WriteString(command + "\n")
		case column <= width/2:
			b.WriteString(terminal.Hang(strings.TrimSuffix(line, text), text, width))
		default:
			b.WriteString(command + "\n" + terminal.Hang("      ", text, width))
		}
	}
	return b.String()
}

// newHelp returns the verb help: "gobench help VERB" is the same as "gobench VERB --help".
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:    "help [COMMAND]",
		Short:  "Help about a command",
		Hidden: true,
		// The flag --help does not hide an unknown command.
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			args = slices.DeleteFunc(args, func(word string) bool { return strings.HasPrefix(word, "-") })
			about, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil || !about.HasParent() && len(rest) > 0:
				return unknownVerb(cmd.Root(), args[0])
			case len(rest) > 0:
				return &exit.UsageError{Err: fmt.Errorf("help takes one command: %q is too much", rest[0])}
			}
			return about.Help()
		},
	}
}

// flagTable describes flags in the order of their declaration. The name of the value of a flag is
// the word in back quotes at the beginning of its usage.
func flagTable(flags *pflag.FlagSet, width int) string {
	const column = 20
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		_, usage := pflag.UnquoteUsage(f)
		usage = strings.TrimPrefix(usage, valueName(f)+" ")
		head := "  " + flagHead(f)
		if hasDefault(f) {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		if len(head) >= column {
			b.WriteString(head + "\n")
			head = ""
		}
		b.WriteString(terminal.Hang(fmt.Sprintf("%-*s", column, head), usage, width))
	})
	return b.String()
}

// hasDefault reports whether a flag has a default value that is worth a word.
func hasDefault(f *pflag.Flag) bool {
	return !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue)
}

// valueName returns the name of the value of a flag, "" if it lacks one.
func valueName(f *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(f)
	return name
}

// flagHead returns a flag as it is typed: "-n, --np N".
func flagHead(f *pflag.Flag) string {
	head := "--" + f.Name
	if f.Shorthand != "" {
		head = "-" + f.Shorthand + ", --" + f.Name
	}
	if name := valueName(f); name != "" {
		head += " " + name
	}
	return head
}
