package main

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gobench/cmd/gobench/glossary"
	"gobench/comm/coll"
	"gobench/configs"
	"gobench/device"
	"gobench/kernels/application"
	"gobench/micro"
	"gobench/micro/collective"
	"gobench/report/document"
	"gobench/report/figure"
)

// values returns the values of flags, by their names, for the completion of shells.
var values = map[string]func() []string{
	"transport": transportNames,
	"bench":     benchmarkNames,
	"op":        operationNames,
	"algo":      algorithmNames,
	"level":     func() []string { return []string{"comm", "device", "raw", "socket"} },
	"pin":       func() []string { return []string{"near", "far", "none", "pairs"} },
	"ranks":     func() []string { return []string{"process", "goroutine"} },
	"memory":    func() []string { return []string{"heap", "device"} },
	"cache":     func() []string { return []string{"warm", "cold"} },
	"map":       func() []string { return []string{"fill", "spread", "ppr:"} },
	"copy":      func() []string { return []string{"auto", "never"} },
	"class":     func() []string { return strings.Split("S W A B C D E", " ") },
	"start":     func() []string { return []string{"auto", "time", "barrier", "none"} },
	"sync":      func() []string { return []string{"auto", "shared", "hca3"} },
	"check":     func() []string { return []string{"free", "strict"} },
	"sizes":     func() []string { return []string{"all", "8", "64K", "1MiB", "0:4MiB"} },
	"json":      func() []string { return []string{jsonRows, jsonAll} },
	"by": func() []string {
		return []string{"file", "transport", "level", "host", "commit", "program", "library", "label"}
	},
	"figure": figureNames,
	"table": func() (list []string) {
		for _, part := range document.Parts() {
			list = append(list, strings.Fields(part)[0])
		}
		return list
	},
	"hosts": sshHosts,
	"set":   optionNames,
}

// arguments returns the arguments of verbs.
var arguments = map[string]func() []string{
	"p2p":   benchmarkNames,
	"coll":  operationNames,
	"probe": transportNames,
	"explain": func() (list []string) {
		for _, e := range glossary.Entries() {
			list = append(list, strings.ReplaceAll(e.Name, " ", "_"))
		}
		return list
	},
	"sweep": func() (list []string) {
		for _, s := range configs.Sweeps() {
			list = append(list, s.Name)
		}
		return list
	},
}

// complete makes shells complete the values of flags and the arguments of the verbs below root.
// Values of lists are completed one by one.
func complete(root *cobra.Command) {
	for _, a := range application.Applications() {
		arguments[a.Name] = func() []string { return a.Values }
	}
	for _, cmd := range root.Commands() {
		for name, of := range values {
			if f := cmd.Flags().Lookup(name); f != nil && f.Value.Type() != "bool" {
				cmd.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
					return lastOf(of(), typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
				})
			}
		}
		if of := arguments[cmd.Name()]; of != nil {
			cmd.ValidArgsFunction = func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				if cmd.Name() == "sweep" {
					return of(), cobra.ShellCompDirectiveDefault
				}
				return of(), cobra.ShellCompDirectiveNoFileComp
			}
		}
	}
}

// lastOf returns the completions of the last value of a list that is typed.
func lastOf(values []string, typed string) []string {
	before := ""
	if i := strings.LastIndex(typed, ","); i >= 0 {
		before = typed[:i+1]
	}
	var list []string
	for _, v := range values {
		list = append(list, before+v)
	}
	return list
}

func transportNames() (list []string) {
	for _, d := range device.Drivers() {
		list = append(list, d.Name())
	}
	return list
}

func benchmarkNames() []string {
	list := []string{"all"}
	for _, b := range micro.All() {
		list = append(list, b.Name)
	}
	return list
}

func operationNames() []string {
	list := []string{"all"}
	for _, b := range collective.All() {
		list = append(list, b.Name)
	}
	return list
}

func algorithmNames() []string {
	var list []string
	for _, a := range coll.All() {
		list = append(list, a.Name)
	}
	slices.Sort(list)
	return append([]string{"auto", "all"}, slices.Compact(list)...)
}

func figureNames() []string {
	list := []string{"list"}
	for _, k := range figure.Kinds {
		list = append(list, k.Name)
	}
	return list
}

// optionNames returns the options of all transports, as --set takes them.
func optionNames() (list []string) {
	for _, d := range device.Drivers() {
		for _, o := range d.Options() {
			if len(o.Values) == 0 {
				list = append(list, o.Name+"=")
			}
			for _, v := range o.Values {
				list = append(list, o.Name+"="+v)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// sshHosts returns the names of hosts in the settings of ssh, without patterns.
func sshHosts() (list []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	f, err := os.Open(filepath.Join(home, ".ssh", "config"))
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 2 || !strings.EqualFold(words[0], "host") {
			continue
		}
		for _, name := range words[1:] {
			if !strings.ContainsAny(name, "*?!") {
				list = append(list, name)
			}
		}
	}
	return list
}
