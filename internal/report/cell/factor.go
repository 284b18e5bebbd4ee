package cell

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/report/style"
	"gobench/record"
)

// A Factor is an experimental factor. Of returns its level for a point as text, "" if it does not
// apply.
type Factor struct {
	Name string
	Of   func(Point) string
}

// Factors that are axes of figures or name panels. Most come from record.Factors.
var (
	Bench     = factor("bench")
	Library   = Factor{"library", func(p Point) string { return cmp.Or(p.Library, gobench) }}
	Transport = factor("transport")
	Level     = factor("level")
	Ranks     = factor("ranks")
	Algorithm = factor("algorithm")
	Start     = factor("start")
	Class     = Factor{"class", ProblemName}
	Threads   = factor("threads")
	Cores     = factor("cores")
	mtu       = factor("mtu_B")
	placement = factor("placement")
	Size      = Factor{"size", func(p Point) string { return style.Size(p.Size) }}
	Named     = Factor{"label", func(p Point) string { return p.label() }}
	HostMap   = Factor{"map", mapText}
	Host      = Factor{"host", Point.hostNames}
	Virtual   = Factor{"virtualization", virtualText}
	File      = Factor{"file", func(p Point) string { return p.file() }}
)

// gobench is the library of records that name none.
var gobench = record.LookupFactor("library").Default

// elsewhere lists the factors of record.Factors that are not used one by one to name series: sizes
// are an axis, options are added individually, and the problem of an
// application is one factor, Class.
var elsewhere = []string{"size_B", "options", "io", "grid", "steps", "real"}

// factors lists the factors that may distinguish series, the preferred ones first: the label that
// the user gave a measurement, then those of record.Factors and those of the run.
var factors = slices.Concat([]Factor{Named}, seriesFactors(), ofRun)

// ofRun lists factors that are facts of the run and its hosts.
var ofRun = []Factor{Virtual, HostMap, Host, File}

// virtualText returns how the hosts of a point are virtualised, for labels.
func virtualText(p Point) string {
	kind := p.facts().virtual
	if kind == "native" || kind == "" {
		return kind
	}
	return strings.ToUpper(kind) + " guest"
}

// mapText returns the placement of the ranks of a point on several hosts, "" on one host.
func mapText(p Point) string {
	if p.Run == nil || p.Run.Job.Map() == "" {
		return ""
	}
	return "hosts x ranks " + p.Run.Job.Map()
}

func seriesFactors() []Factor {
	var list []Factor
	for _, f := range record.Factors {
		switch {
		case f.Role != record.Asked && f.Role != record.Chosen || slices.Contains(elsewhere, f.Name):
		case f.Name == Library.Name:
			list = append(list, Library)
		case f.Name == Class.Name:
			list = append(list, Class)
		default:
			list = append(list, factor(f.Name))
		}
	}
	return list
}

func factor(name string) Factor {
	f := record.LookupFactor(name)
	return Factor{name, func(p Point) string { return f.Say(p.Point) }}
}

// isDefault reports whether a value of a factor is the default, which labels omit.
func (f Factor) isDefault(p Point) bool {
	of := record.LookupFactor(f.Name)
	return of != nil && f.Name != Library.Name && of.IsDefault(p.Point)
}

// ProblemName returns the problem of an application for captions: "class A", or "512 x 512, 500
// steps, float32".
func ProblemName(p Point) string {
	var words []string
	for _, name := range []string{"class", "io", "grid", "steps", "real"} {
		if s := record.LookupFactor(name).Say(p.Point); s != "" {
			words = append(words, s)
		}
	}
	return strings.Join(words, ", ")
}

// RanksName formats a number of ranks.
func RanksName(n int) string { return record.RanksText(strconv.Itoa(n)) }

// options returns a factor for each option of a transport that differs among the points of that
// transport.
func options(points []Point) []Factor {
	type key struct{ transport, option string }
	last := map[key]string{}
	var names []string
	for _, p := range points {
		for name, value := range p.Options {
			k := key{p.Transport, name}
			if other, ok := last[k]; ok && other != value {
				names = collect.Union(names, name)
			}
			last[k] = value
		}
	}
	slices.Sort(names)
	return collect.Each(names, func(name string) Factor {
		return Factor{name, func(p Point) string { return prefixed(name+" ", p.Options[name]) }}
	})
}
