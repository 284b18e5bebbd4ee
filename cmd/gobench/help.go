package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/internal/terminal"
)

// helpWidth is the width of the help if the output is not a terminal.
const helpWidth = 100

// help shows an example first, then everything else.
func help(cmd *cobra.Command, _ []string) {
	width := terminal.Of(cmd.OutOrStdout()).Width
	if width == 0 || width > helpWidth {
		width = helpWidth
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n", cmd.Short)
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExample:\n%s\n", cmd.Example)
	}
	if cmd.Long != "" {
		b.WriteString("\n" + terminal.Hang("", cmd.Long, width))
	}
	if cmd.HasParent() {
		fmt.Fprintf(&b, "\nUsage: %s\n\n%s", cmd.UseLine(), flagTable(cmd.LocalFlags(), width))
	} else {
		b.WriteString("\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-9s %s\n", c.Name(), c.Short)
			}
		}
		b.WriteString("\nFlags of a command: gobench COMMAND --help\n")
	}
	b.WriteString("\n" + terminal.Hang("Exit codes: ", "0 fine, 1 failed, 2 usage, 3 data wrong, 4 regression, 5 inconclusive.", width))
	b.WriteString("Ctrl-C ends with 1; what was measured until then is kept.\n")
	cmd.Print(b.String())
}

// newHelp returns the verb help: "gobench help VERB" is the same as "gobench VERB --help".
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:    "help [COMMAND]",
		Short:  "What a command does",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownVerb(cmd.Root(), args[0])
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
		if zero := f.DefValue == "" || f.DefValue == "0" || f.DefValue == "0s" || f.DefValue == "false" || f.DefValue == "[]"; !zero {
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
