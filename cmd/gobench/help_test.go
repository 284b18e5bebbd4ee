package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"gobench/internal/cli"
)

// commands returns a command and all below it.
func commands(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, below := range c.Commands() {
		all = append(all, commands(below)...)
	}
	return all
}

// Help fits the terminal. Only a command to copy may be longer, which a line break would damage.
func TestHelpFitsTheTerminal(t *testing.T) {
	for _, width := range []int{80, cli.MaxWidth} {
		for _, c := range commands(program.Root(nil)) {
			for line := range strings.Lines(program.Text(c, width)) {
				line = strings.TrimRight(line, "\n")
				command, text := cli.SplitExample(line)
				if utf8.RuneCountInString(line) > width && !(strings.Contains(command, "gobench ") && text == "") {
					t.Errorf("%s, %d columns: %q", c.Name(), width, line)
				}
			}
		}
	}
}

// The short help fits on a screen of 80 columns and 24 lines, with the prompt.
func TestShortHelpFitsTheScreen(t *testing.T) {
	for _, c := range commands(program.Root(nil)) {
		text := program.Short(c, 80)
		if n := strings.Count(text, "\n"); n > 23 {
			t.Errorf("%s: %d lines\n%s", c.Name(), n, text)
		}
		for line := range strings.Lines(text) {
			// a command to copy may be longer
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 && !strings.Contains(line, "gobench ") {
				t.Errorf("%s: %d columns in %q", c.Name(), n, line)
			}
		}
	}
}
