package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gobench/cmd/gobench/glossary"
	"gobench/comm/coll"
	"gobench/device"
	"gobench/kernels/application"
	"gobench/micro"
	"gobench/micro/collective"
	"gobench/report/figure"
)

// completions are the values of flags that shells complete, by the name of the flag, in the verbs
// that have it.
var completions = map[string]func(cmd *cobra.Command) []string{
	"transport": func(*cobra.Command) (names []string) {
		for _, d := range device.Drivers() {
			names = append(names, d.Name())
		}
		return names
	},
	"algo": func(*cobra.Command) (names []string) {
		for _, a := range coll.All() {
			names = append(names, a.Name)
		}
		return append(names, "auto", "all")
	},
	"op": func(*cobra.Command) []string { return append(operations(), "all") },
	"bench": func(cmd *cobra.Command) (names []string) {
		for _, b := range micro.All() {
			names = append(names, b.Name)
		}
		if cmd.Name() != "p2p" { // verbs that select records
			names = append(names, operations()...)
		}
		return append(names, "all")
	},
	"level": func(*cobra.Command) []string { return []string{"comm", "device", "raw", "socket"} },
	"pin":   func(*cobra.Command) []string { return []string{"near", "far", "none", "pairs"} },
	"map":   func(*cobra.Command) []string { return []string{"fill", "spread", "ppr:"} },
	"class": func(*cobra.Command) []string { return []string{"S", "W", "A", "B", "C", "D"} },
	"figure": func(*cobra.Command) (names []string) {
		for _, k := range figure.Kinds {
			names = append(names, k.Name)
		}
		return append(names, "list")
	},
}

// operations returns the names of collective operations.
func operations() (names []string) {
	for _, b := range collective.All() {
		names = append(names, b.Name)
	}
	return names
}

// complete registers the completions of the flags of all verbs, and those of arguments that are
// names, if the command line args is a request of a shell.
func complete(root *cobra.Command, args []string) {
	if len(args) == 0 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return
	}
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			values := completions[f.Name]
			if values == nil {
				return
			}
			err := cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				return listCompletion(values(cmd), typed)
			})
			if err != nil {
				panic(fmt.Sprintf("completion of --%s: %v", f.Name, err)) // registered twice
			}
		})
		if name := cmd.Name(); name == "explain" {
			cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				var words []string
				for _, e := range glossary.Entries() {
					words = append(words, e.Name)
				}
				return words, cobra.ShellCompDirectiveNoFileComp
			}
		} else if i := slices.IndexFunc(application.Applications(), func(a application.Application) bool { return a.Name == name }); i >= 0 {
			cmd.ValidArgs = application.Applications()[i].Values
		}
	}
}

// listCompletion completes the last item of a list with commas by values that are not in it yet.
func listCompletion(values []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	given := strings.Split(before, ",")
	var list []string
	for _, v := range values {
		if !slices.Contains(given, v) && !slices.Contains(list, before+v) {
			list = append(list, before+v)
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
