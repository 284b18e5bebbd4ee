package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/internal/collect"
	"gobench/internal/exit"
)

// manVerb returns the hidden verb that writes the manual pages of all verbs.
func (p *Program) manVerb() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIRECTORY",
		Short:  "Writes the manual pages gobench.1 and gobench-VERB.1 into a directory",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			date, err := SourceDate(time.Now())
			if err != nil {
				return err
			}
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			root := cmd.Root()
			for _, c := range append(available(root), root) {
				if err := os.WriteFile(filepath.Join(args[0], pageName(c)+".1"), []byte(p.page(c, date)), 0o666); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// SourceDate returns the date of SOURCE_DATE_EPOCH, in seconds since 1970, or another one if that
// is not set. Source: reproducible-builds.org.
func SourceDate(without time.Time) (time.Time, error) {
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return without.UTC(), nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, Usagef("SOURCE_DATE_EPOCH is %q, want seconds since 1970", epoch)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// pageName returns the name of the page of a command: gobench-p2p.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// page returns the manual page of a command, for the macros man(7). It has the words of the help,
// with the examples first.
func (p *Program) page(c *cobra.Command, date time.Time) string {
	var b strings.Builder
	name := pageName(c)
	fmt.Fprintf(&b, ".TH %s 1 %s %s \"gobench manual\"\n", strings.ToUpper(roff(name)), date.Format(time.DateOnly), quoted("gobench "+p.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n")
	if c.HasParent() {
		fmt.Fprintf(&b, ".B %s\n", roff(c.UseLine()))
	} else {
		fmt.Fprintf(&b, ".B gobench\nCOMMAND [flags]\n")
	}
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		for i, line := range strings.Split(c.Example, "\n") {
			if i > 0 {
				b.WriteString(".PP\n")
			}
			command, text := SplitExample(line)
			fmt.Fprintf(&b, ".B %s\n", roff(strings.TrimSpace(command)))
			if text != "" {
				fmt.Fprintf(&b, ".RS\n%s\n.RE\n", textLine(text))
			}
		}
	}
	if c.Long != "" {
		b.WriteString(".SH DESCRIPTION\n" + paragraphs(c.Long))
	}
	if c.HasParent() {
		if flags := c.NonInheritedFlags(); flags.HasAvailableFlags() {
			b.WriteString(".SH OPTIONS\n" + pageFlags(flags))
		}
	} else {
		b.WriteString(".SH COMMANDS\n")
		for _, below := range available(c) {
			fmt.Fprintf(&b, ".TP\n.BR gobench\\-%s (1)\n%s\n", roff(below.Name()), textLine(below.Short))
		}
	}
	b.WriteString(".SH EXIT STATUS\n")
	for code, about := range exit.Meanings {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", code, about)
	}
	b.WriteString(".SH SEE ALSO\n")
	if c.HasParent() {
		b.WriteString(".BR gobench (1),\n")
	}
	b.WriteString("gobench explain WORD defines the words of tables and flags.\n")
	return b.String()
}

// pageFlags returns the entries of flags, in the order of their declaration.
func pageFlags(flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, text := usage(f)
		if value != "" {
			value = " \\fI" + roff(value) + "\\fR"
		}
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR%s\n%s\n", roff(names(f)), value, textLine(text))
	})
	return b.String()
}

// paragraphs returns a text as paragraphs, one for each line that is not empty.
func paragraphs(text string) string {
	lines := collect.If(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) != "" })
	return strings.Join(collect.Each(lines, textLine), "\n.PP\n") + "\n"
}

// textLine escapes a line of text so that its beginning is not read as a request.
func textLine(s string) string {
	s = roff(strings.TrimSpace(s))
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}

// roff escapes text: a backslash, and a hyphen that must stay one when it is copied.
func roff(s string) string { return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s) }

// quoted returns text as one argument of a request.
func quoted(s string) string { return `"` + strings.ReplaceAll(roff(s), `"`, `\(dq`) + `"` }
