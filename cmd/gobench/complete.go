package main

import (
	"strings"

	"github.com/spf13/cobra"

	"gobench/cmd/gobench/internal/glossary"
	"gobench/configs"
	"gobench/internal/cli"
	"gobench/internal/collect"
	"gobench/internal/launch/hostlist"
	"gobench/internal/report/claims"
	"gobench/internal/report/document"
	"gobench/internal/report/figure"
	"gobench/kernels/application"
)

// values returns the values of flags, by their names, for the completion of shells.
var values = map[string]cli.Values{
	"transport": glossary.Transports,
	"bench":     glossary.Names("benchmark", "all"),
	"op":        glossary.Names("operation", "all"),
	"algo":      glossary.Names("algorithm", "auto", "all"),
	"level":     words("comm device raw socket"),
	"pin":       words("near far nic rails none pairs"),
	"ranks":     words("process goroutine"),
	"memory":    words("heap device"),
	"epoch":     words("flush lock fence pscw"),
	"cache":     words("warm cold"),
	"map":       words("fill spread ppr:"),
	"copy":      words("auto never"),
	"class":     words("S W A B C D E"),
	"start":     words("auto time barrier none"),
	"sync":      words("auto shared hca3"),
	"check":     words("free strict"),
	"sizes":     words("all 8 64K 1MiB 0:4MiB"),
	"json":      words(jsonRows + " " + jsonAll),
	"by":        words("file transport level host commit program library label"),
	"claims":    claims.Works,
	"figure": func() []string {
		return append(mapped(figure.Kinds, func(k figure.Kind) string { return k.Name }), "list")
	},
	"table": func() []string {
		return mapped(document.Parts(), func(part string) string { return strings.Fields(part)[0] })
	},
	"hosts": hostlist.OfSSH,
	"set":   glossary.Options,
}

// arguments returns the arguments of verbs, by their names.
var arguments = map[string]cli.Values{
	"p2p":   glossary.Names("benchmark", "all"),
	"coll":  glossary.Names("operation", "all"),
	"probe": glossary.Transports,
	"explain": func() []string {
		return mapped(glossary.Entries(), func(e glossary.Entry) string { return strings.ReplaceAll(e.Name, " ", "_") })
	},
	"sweep": func() []string { return mapped(configs.Sweeps(), func(s configs.Sweep) string { return s.Name }) },
}

// complete makes shells complete the values of flags and the arguments of the verbs below root.
func complete(root *cobra.Command) {
	for _, a := range application.Applications() {
		arguments[a.Name] = func() []string { return a.Values }
	}
	cli.Complete(root, values, arguments, func(verb *cobra.Command) bool { return verb.Annotations[cli.Reads] != "" })
}

// words returns a function that returns the words of a list.
func words(list string) cli.Values { return func() []string { return strings.Fields(list) } }

// mapped returns what name returns for each element of a list.
func mapped[T any](list []T, name func(T) string) (names []string) {
	return collect.Each(list, name)
}
