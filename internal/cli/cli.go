// Package cli has what a program of verbs needs beside cobra: help that fits the terminal, manual
// pages, completion of values, and errors of the command line as sentences with a remedy.
package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/internal/collect"
)

// A Program is a program of verbs, and what cobra does not know of it.
type Program struct {
	New func(args []string) *cobra.Command // makes the commands for a command line

	Common  []string // flags of the short help
	Groups  []Group  // headings of the help of a verb with many flags
	Rest    string   // heading of the flags of no group
	Closing string   // last lines of the help of the program
	Version string   // of the manual pages
	// Remark returns a line at the end of the help of a verb, "" for none.
	Remark func(verb *cobra.Command) string

	// Unknown returns the error for a first word that is no verb.
	Unknown func(root *cobra.Command, word string) error
	// Embedded reports whether a word names a file that the program contains, for verbs whose
	// annotation Reads is not "files".
	Embedded func(word string) bool
	// Foreign answers flags of other programs, by their names as pflag reports them.
	Foreign map[string]string
}

// Root returns the commands for a command line, with help and completion.
func (p *Program) Root(args []string) *cobra.Command {
	root := p.New(args)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetHelpFunc(p.Help)
	root.SetHelpCommand(p.helpVerb())
	root.SetFlagErrorFunc(p.FlagError)
	root.AddCommand(p.manVerb(), versionVerb())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	return root
}

// versionVerb returns the verb version: what --version prints.
func versionVerb() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of this program", Hidden: true, Args: None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s version %s\n", cmd.Root().Name(), cmd.Root().Version)
			return err
		},
	}
}

// Reads is the annotation of the verbs whose arguments are files.
const Reads = "reads"

// A Group is a heading with its flags.
type Group struct {
	Title string
	Names []string
}

// Verbs returns the names of the commands below root that are not hidden.
func Verbs(root *cobra.Command) []string { return collect.Each(available(root), (*cobra.Command).Name) }

func available(root *cobra.Command) []*cobra.Command {
	return collect.If(root.Commands(), (*cobra.Command).IsAvailableCommand)
}

// Typed returns the flags that the user has typed, as --name=value, without those named.
func Typed(cmd *cobra.Command, without ...string) (list []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, value := range values {
			if !slices.Contains(without, f.Name) {
				list = append(list, "--"+f.Name+"="+value)
			}
		}
	})
	return list
}

// usage returns the name of the value of a flag, which is the word in back quotes at the beginning
// of its usage ("" without one), and the text after it, with the default if that says something.
func usage(f *pflag.Flag) (value, text string) {
	value, text = pflag.UnquoteUsage(f)
	text = strings.TrimPrefix(text, value+" ")
	if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
		text += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	return value, text
}

// names returns a flag as it is typed, without a value: "-n, --np".
func names(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand + ", --" + f.Name
	}
	return "--" + f.Name
}
