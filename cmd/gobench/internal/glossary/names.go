package glossary

import (
	"slices"
	"strings"

	"gobench/device"
	"gobench/internal/collect"
	"gobench/internal/micro"
	"gobench/internal/micro/collective"
	"gobench/kernels/application"
	"gobench/kernels/npb/all"
)

// Transports returns the names of all transports.
func Transports() (list []string) {
	return collect.Each(device.Drivers(), device.Driver.Name)
}

// Names returns a function that returns the names of the entries of a kind, after the words of
// first.
func Names(kind string, first ...string) func() []string {
	return func() []string {
		list := slices.Clone(first)
		for _, e := range Entries() {
			if e.Kind == kind {
				list = append(list, e.Name)
			}
		}
		return list
	}
}

// Options returns the options of all transports, as --set takes them.
func Options() (list []string) {
	for _, d := range device.Drivers() {
		for _, o := range d.Options() {
			if len(o.Values) == 0 {
				list = append(list, o.Name+"=")
			}
			list = append(list, collect.Each(o.Values, func(v string) string { return o.Name + "=" + v })...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// BenchName returns the name in records of a benchmark, operation or kernel that the user names by
// any of its names, in either case; other names as they are.
func BenchName(typed string) string {
	if b, err := micro.Lookup(typed); err == nil {
		return b.Name
	}
	if form, ok := collective.Lookup(typed); ok {
		return form.Benchmark().Name
	}
	if k, err := all.Lookup(typed); err == nil {
		return k.Name
	}
	return typed
}

// Command returns the command that measures what a word names: a program of others, an operation,
// an entry, or an argument of an application; "" if there is none.
func Command(word string) string {
	if stem, threaded := strings.CutSuffix(strings.ToLower(word), "mt"); threaded { // of IMB-MT
		if b, err := micro.Lookup(stem); err == nil {
			return "gobench p2p --level=comm --threads=2 --bench=" + b.Name
		}
	}
	if form, ok := collective.Lookup(word); ok {
		return "gobench coll " + form.Benchmark().Name
	}
	if command := foreignCommands[strings.ToLower(word)]; command != "" {
		return command
	}
	if entry, err := Lookup(word); err == nil && entry.Example() != "" {
		return entry.Example()
	}
	for _, a := range application.Applications() {
		if argument := strings.ToLower(word); slices.Contains(a.Values, argument) {
			return "gobench " + a.Name + " " + argument
		}
	}
	return ""
}

// TransportName is BenchName for transports.
func TransportName(typed string) string {
	if d, err := device.Lookup(typed); err == nil {
		return d.Name()
	}
	return typed
}
