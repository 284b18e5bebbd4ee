package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"gobench/internal/collect"
)

// Values returns the values of a flag or of an argument.
type Values func() []string

// Complete makes shells complete the values of flags, by the names of the flags, and the arguments
// of the verbs below root, by the names of the verbs. Values of lists are completed one by one. A
// verb that also reads files has the directive files.
func Complete(root *cobra.Command, flags, arguments map[string]Values, files func(verb *cobra.Command) bool) {
	for _, cmd := range root.Commands() {
		for name, of := range flags {
			if f := cmd.Flags().Lookup(name); f != nil && f.Value.Type() != "bool" {
				cmd.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, _ []string, typed string) (list []string, _ cobra.ShellCompDirective) {
					before := typed[:strings.LastIndex(typed, ",")+1]
					list = collect.Each(of(), func(v string) string { return before + v })
					return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
				})
			}
		}
		if of := arguments[cmd.Name()]; of != nil {
			cmd.ValidArgsFunction = func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
				if files(cmd) {
					return of(), cobra.ShellCompDirectiveDefault
				}
				return of(), cobra.ShellCompDirectiveNoFileComp
			}
		}
	}
}
