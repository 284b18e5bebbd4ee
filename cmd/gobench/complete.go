package main

import (
	"strings"

	"github.com/spf13/cobra"

	"gobench/cmd/gobench/internal/glossary"
	"gobench/configs"
	"gobench/internal/cli"
	"gobench/kernels/application"
	"gobench/launch/hostlist"
	"gobench/report/claims"
	"gobench/report/document"
	"gobench/report/figure"
)

// values returns the values of flags, by their names, for the completion of shells.
var values = map[string]cli.Values{
	"transport": glossary.Transports,
	"bench":     glossary.Names("benchmark", "all"),
	"op":        glossary.Names("operation", "all"),
	"algo":      glossary.Names("algorithm", "auto", "all"),
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
	"claims": claims.Works,
	"figure": figureNames,
	"table": func() (list []string) {
		for _, part := range document.Parts() {
			list = append(list, strings.Fields(part)[0])
		}
		return list
	},
	"hosts": hostlist.OfSSH,
	"set":   glossary.Options,
}

// arguments returns the arguments of verbs.
var arguments = map[string]cli.Values{
	"p2p":   glossary.Names("benchmark", "all"),
	"coll":  glossary.Names("operation", "all"),
	"probe": glossary.Transports,
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
func complete(root *cobra.Command) {
	for _, a := range application.Applications() {
		arguments[a.Name] = func() []string { return a.Values }
	}
	cli.Complete(root, values, arguments, func(verb *cobra.Command) bool { return verb.Annotations[cli.Reads] != "" })
}

func figureNames() []string {
	list := []string{"list"}
	for _, k := range figure.Kinds {
		list = append(list, k.Name)
	}
	return list
}
