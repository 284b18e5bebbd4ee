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
