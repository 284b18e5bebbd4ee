package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const helpWidth = 100

// help shows an example first, then everything else.
func help(cmd *cobra.Command, _ []string) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\nExample:\n%s\n", cmd.Short, cmd.Example)
	if cmd.Long != "" {
		fmt.Fprintf(&b, "\n%s\n", cmd.Long)
	}
	if cmd.HasParent() {
		fmt.Fprintf(&b, "\nUsage: %s\n\n%s", cmd.UseLine(), flagTable(cmd.LocalFlags()))
	} else {
		b.WriteString("\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-9s %s\n", c.Name(), c.Short)
			}
		}
		b.WriteString("\nFlags of a command: gobench COMMAND --help\n")
	}
	b.WriteString("\nExit codes: 0 fine, 1 failed, 2 usage, 3 data wrong, 4 regression, 5 too noisy to tell.\n")
	cmd.Print(b.String())
}

// flagTable is one line or more for each flag, in the order of declaration.
// The name of its value is the word in back quotes that begins its usage.
func flagTable(flags *pflag.FlagSet) string {
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
		if zero := f.DefValue == "" || f.DefValue == "0" || f.DefValue == "false" || f.DefValue == "[]"; !zero {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		lines := strings.Split(text.WrapSoft(usage, helpWidth-column), "\n")
		if len(head) >= column {
			b.WriteString(head + "\n")
			head = ""
		}
		for _, line := range lines {
			b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s%s", column, head, line), " ") + "\n")
			head = ""
		}
	})
	return b.String()
}
