package cli

import (
	"cmp"
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

// Widths of the help: at most MaxWidth columns on a terminal, and usualWidth if the output is not a
// terminal, such as in a pager.
const (
	MaxWidth   = 100
	usualWidth = 80
)

// A verb with manyFlags or fewer has no short help and no headings of flags. The short help has the
// first shortExamples examples; that of the program, which has a line for each command, has one.
const (
	manyFlags     = 14
	shortExamples = 3
)

// Help prints the help of a command, at most as wide as the terminal: one screen if args, the
// command line, has -h, everything otherwise. It is a help function of cobra.
func (p *Program) Help(cmd *cobra.Command, args []string) {
	width := min(cmp.Or(terminal.Of(cmd.OutOrStdout()).Width, usualWidth), MaxWidth)
	if !cmd.HasParent() && !slices.Contains(args, "--help") || slices.Contains(args, "-h") && countFlags(cmd) > manyFlags {
		cmd.Print(p.Short(cmd, width))
		return
	}
	cmd.Print(p.Text(cmd, width))
}

func countFlags(cmd *cobra.Command) (n int) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			n++
		}
	})
	return n
}

// Short returns the flags that people use, each with its text up to a semicolon, or of the program
// its commands, with examples, on one screen.
func (p *Program) Short(cmd *cobra.Command, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n", cmd.Short)
	if lines := strings.Split(cmd.Example, "\n"); cmd.Example != "" {
		n := min(shortExamples, len(lines))
		if !cmd.HasParent() {
			n = 1
		}
		b.WriteString(examples(strings.Join(lines[:n], "\n"), width) + "\n")
	}
	if !cmd.HasParent() {
		for _, c := range available(cmd) {
			fmt.Fprintf(&b, "  %-9s %s\n", c.Name(), terminal.Snip(c.Short, width-12))
		}
		return b.String() + fmt.Sprintf("A command: %s COMMAND -h. More examples, exit codes: %[1]s --help\n", cmd.Name())
	}
	for _, name := range p.Common {
		if f := cmd.LocalFlags().Lookup(name); f != nil && !f.Hidden {
			_, text := usage(f)
			text, _, _ = strings.Cut(text, "; ")
			text, _, _ = strings.Cut(text, " (default")
			b.WriteString(terminal.Hang(fmt.Sprintf("  %-19s ", typed(f)), text, width))
		}
	}
	fmt.Fprintf(&b, "\nAll %d flags, in groups: %s --help\n", countFlags(cmd), cmd.CommandPath())
	return b.String()
}

// Text returns the help of a command: examples first, then everything else.
func (p *Program) Text(cmd *cobra.Command, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n", cmd.Short)
	if cmd.Example != "" {
		b.WriteString("\nExample:\n" + examples(cmd.Example, width))
	}
	if cmd.Long != "" {
		b.WriteString("\n" + terminal.Hang("", cmd.Long, width))
	}
	if cmd.HasParent() {
		b.WriteString("\n" + terminal.Hang("Usage: ", cmd.UseLine(), width) + p.flags(cmd, width))
	} else {
		b.WriteString("\nCommands:\n")
		for _, c := range available(cmd) {
			b.WriteString(terminal.Hang(fmt.Sprintf("  %-9s ", c.Name()), c.Short, width))
		}
		b.WriteString("\n" + p.Closing)
	}
	var codes []string
	for code, about := range exit.Meanings {
		codes = append(codes, fmt.Sprint(code, " ", about))
	}
	b.WriteString("\n" + terminal.Hang("Exit codes: ", strings.Join(codes, ", ")+".", width))
	return b.String() + p.Remark(cmd)
}

// flags describes all flags below the headings of their groups, or without headings if there are
// few.
func (p *Program) flags(cmd *cobra.Command, width int) string {
	flags := cmd.LocalFlags()
	if countFlags(cmd) <= manyFlags {
		return "\n" + table(flags, nil, width)
	}
	var grouped []string
	for _, g := range p.Groups {
		grouped = append(grouped, g.Names...)
	}
	rest := []string{}
	flags.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(grouped, f.Name) && f.Name != "help" {
			rest = append(rest, f.Name)
		}
	})
	var b strings.Builder
	for _, g := range append([]Group{{p.Rest, rest}}, p.Groups...) {
		if t := table(flags, g.Names, width); t != "" {
			fmt.Fprintf(&b, "\n%s:\n%s", g.Title, t)
		}
	}
	return b.String()
}

// table describes the flags with these names, or all in the order of their declaration if names is
// nil.
func table(flags *pflag.FlagSet, names []string, width int) string {
	const column = 20
	var b strings.Builder
	line := func(f *pflag.Flag) {
		if f == nil || f.Hidden {
			return
		}
		_, text := usage(f)
		head := "  " + typed(f)
		if len(head) >= column {
			b.WriteString(head + "\n")
			head = ""
		}
		b.WriteString(terminal.Hang(fmt.Sprintf("%-*s", column, head), text, width))
	}
	if names == nil {
		flags.VisitAll(line)
	}
	for _, name := range names {
		line(flags.Lookup(name))
	}
	return b.String()
}

// typed returns a flag as it is typed: "-n, --np N".
func typed(f *pflag.Flag) string {
	value, _ := usage(f)
	return strings.TrimSuffix(names(f)+" "+value, " ")
}

// example matches a command and, after two or more spaces, the text about it.
var example = lazyregexp.New(`^( *\S.*?)  +(\S.*)$`)

// SplitExample splits a line of examples into the command and the text about it, "" if none.
func SplitExample(line string) (command, text string) {
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
		if _, text := SplitExample(line); text != "" {
			fits = fits && utf8.RuneCountInString(line) <= width
			column = max(column, utf8.RuneCountInString(strings.TrimSuffix(line, text)))
		}
	}
	if fits {
		return list + "\n"
	}
	var b strings.Builder
	for line := range strings.SplitSeq(list, "\n") {
		switch command, text := SplitExample(line); {
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

// helpVerb returns the verb help: "help VERB" is the same as "VERB --help".
func (p *Program) helpVerb() *cobra.Command {
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
				return p.Unknown(cmd.Root(), args[0])
			case len(rest) > 0:
				return Usagef("help takes one command: %q is too much", rest[0])
			}
			return about.Help()
		},
	}
}
