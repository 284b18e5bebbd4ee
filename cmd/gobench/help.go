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

// help prints the help of a command, at most as wide as the terminal.
func help(cmd *cobra.Command, _ []string) {
	width := terminal.Of(cmd.OutOrStdout()).Width
	if width == 0 {
		width = usualWidth
	}
	cmd.Print(helpText(cmd, min(width, helpWidth)))
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
		fmt.Fprintf(&b, "\n%s\n%s", terminal.Hang("Usage: ", cmd.UseLine(), width), flagTable(cmd.LocalFlags(), width))
	} else {
		b.WriteString("\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				b.WriteString(terminal.Hang(fmt.Sprintf("  %-9s ", c.Name()), c.Short, width))
			}
		}
		b.WriteString("\nFlags of a command: gobench COMMAND --help\n")
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
		name, usage := pflag.UnquoteUsage(f)
		usage = strings.TrimPrefix(usage, name+" ")
		head := "  --" + f.Name
		if f.Shorthand != "" {
			head = "  -" + f.Shorthand + ", --" + f.Name
		}
		if name != "" {
			head += " " + name
		}
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
