// Package glossary explains metrics, benchmarks, algorithms and the words of tables and help texts.
package glossary

import (
	"fmt"
	"slices"
	"strings"

	"gobench/bench"
	"gobench/bench/record"
	"gobench/internal/nearest"
	"gobench/micro"
	"gobench/micro/collective"
)

// Entry explains one word.
type Entry struct {
	Name  string
	Kind  string // "metric", "benchmark", "operation", "algorithm" or "word"
	About string // one line
	Facts [][2]string
}

// Entries returns all entries: metrics, point-to-point benchmarks, collective operations, their
// algorithms, and other words of tables and help texts.
func Entries() []Entry {
	var list []Entry
	for _, m := range record.Metrics {
		list = append(list, Entry{m.Name, "metric", m.Meaning, [][2]string{
			{"formula", m.Formula},
			{"unit", fmt.Sprintf("%s, in records %q", m.Unit, m.Key)},
			{"better", string(m.Direction)},
		}})
	}
	for _, b := range micro.All() {
		list = append(list, benchmark(b, "benchmark", "p2p --bench="))
	}
	for _, b := range collective.All() {
		list = append(list, benchmark(b, "operation", "coll --op="))
	}
	list = append(list, algorithms()...)
	return append(list, plain(list)...)
}

// Example returns a command that measures the subject of the entry, "" if there is none.
func (e Entry) Example() string {
	for _, f := range e.Facts {
		if f[0] == "example" {
			return f[1]
		}
	}
	return ""
}

func benchmark(b bench.Benchmark, kind, run string) Entry {
	e := Entry{b.Name, kind, b.About, [][2]string{{"formula", b.Formula}}}
	if len(b.Aliases) > 0 {
		e.Facts = append(e.Facts, [2]string{"also", strings.Join(b.Aliases, ", ")})
	}
	e.Facts = append(e.Facts, [2]string{"example", "gobench " + run + b.Name})
	return e
}

// Lookup returns an entry by its name, a metric also by its key in records, a benchmark also by an
// alias, ignoring case. The error is a *nearest.UnknownError.
func Lookup(name string) (Entry, error) {
	entries := Entries()
	find := func(name string) (Entry, bool) {
		i := slices.IndexFunc(entries, func(e Entry) bool { return strings.EqualFold(e.Name, name) })
		if i < 0 {
			return Entry{}, false
		}
		return entries[i], true
	}
	if e, ok := find(name); ok {
		return e, nil
	}
	if m, ok := record.Lookup(strings.ToLower(name)); ok {
		name = m.Name
	} else if b, err := micro.Lookup(name); err == nil {
		name = b.Name
	}
	if e, ok := find(name); ok {
		return e, nil
	}
	var known []string
	for _, e := range entries {
		known = append(known, e.Name)
	}
	return Entry{}, &nearest.UnknownError{What: "word", Name: name, Known: known, List: "known", Where: "gobench explain lists all"}
}
