// Package glossary explains metrics, benchmarks, algorithms and the words of tables and help texts.
package glossary

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gobench/bench"
	"gobench/comm/coll"
	"gobench/device"
	"gobench/internal/collect"
	"gobench/internal/micro"
	"gobench/internal/micro/collective"
	"gobench/internal/report/normal"
	"gobench/internal/terminal"
	"gobench/kernels/application"
	"gobench/kernels/npb/all"
	"gobench/nearest"
	"gobench/record"
)

// Entry explains one word.
type Entry struct {
	Name string
	// "metric", "benchmark", "operation", "algorithm", "kernel", "application", "transport",
	// "option" or "word"
	Kind  string
	About string // one line
	Facts [][2]string
}

// Entries returns all entries: metrics, point-to-point benchmarks, collective operations, their
// algorithms, kernels, applications, transports and their options, and other words of tables,
// warnings and help texts.
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
		run := "p2p --bench="
		if b.Turns != nil {
			run = "p2p --level=comm --threads=2 --bench="
		} else if b.Communicator {
			run = "p2p --level=comm --bench="
		} else if b.OneSided {
			run = "p2p --transport=ibv --level=raw --bench="
		}
		list = append(list, benchmark(b, "benchmark", run))
	}
	for _, b := range collective.All() {
		list = append(list, benchmark(b, "operation", "coll --op="))
	}
	list = append(list, algorithms()...)
	for _, k := range all.Kernels() {
		list = append(list, Entry{k.Name, "kernel", "of NPB: " + k.About, [][2]string{{"example", "gobench npb " + k.Name}}})
	}
	for _, a := range application.Applications() {
		example := [2]string{"example", "gobench " + a.Name}
		if len(a.Values) > 0 {
			example[1] += " " + a.Values[0]
		}
		list = append(list, Entry{a.Name, "application", a.Short, [][2]string{example}})
	}
	for _, driver := range device.Drivers() {
		example := [2]string{"example", "gobench p2p --transport=" + driver.Name()}
		if i := slices.IndexFunc(list, func(e Entry) bool { return e.Name == driver.Name() }); i >= 0 {
			list[i].Facts = append(list[i].Facts, [2]string{"transport", driver.About()}) // also an algorithm
			continue
		}
		list = append(list, Entry{driver.Name(), "transport", driver.About(), [][2]string{example}})
	}
	return withOptions(append(append(list, plain(list)...), usual()))
}

// usual returns the entry about the ranges that numbers are compared with, and their sources.
func usual() Entry {
	e := Entry{Name: "usual", Kind: "word", About: "range that sources report for a number on machines of this kind: of a ping-pong, half_rtt up to 64 bytes, bandwidth at its peak"}
	for _, r := range normal.Ranges() {
		m, _ := record.Lookup(r.Metric)
		unit, factor := "us", 1e6
		if m.Unit == "B/s" {
			unit, factor = "GB/s", 1e-9
		}
		e.Facts = append(e.Facts, [2]string{r.Class, fmt.Sprintf("%s %.3g to %.3g %s (%s)", m.Name, r.Lo*factor, r.Hi*factor, unit, strings.Join(r.Sources, ", "))})
	}
	e.Facts = append(e.Facts, [2]string{"lacking", normal.Lacking()})
	for _, name := range normal.SourceNames() {
		e.Facts = append(e.Facts, [2]string{"source " + name, normal.Source(name)})
	}
	return e
}

// withOptions adds one entry for each option of the transports, also if several transports have it.
// If the name already has an entry, the option becomes a fact of that entry.
func withOptions(list []Entry) []Entry {
	words := len(list)
	for _, driver := range device.Drivers() {
		for _, o := range driver.Options() {
			i := slices.IndexFunc(list, func(e Entry) bool { return e.Name == o.Name })
			switch {
			case i >= words:
				list[i].Facts[0][1] += ", " + driver.Name()
			case i >= 0:
				fact := [2]string{"option", "of transports: " + o.Help}
				list[i].Facts = collect.Union(list[i].Facts, fact)
			default:
				e := Entry{o.Name, "option", o.Help, [][2]string{{"of", driver.Name()}, {"default", o.Default}}}
				if len(o.Values) > 0 {
					e.Facts = append(e.Facts, [2]string{"values", strings.Join(o.Values, ", ")})
				}
				list = append(list, e)
			}
		}
	}
	return list
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

// Lookup returns the entry with a name, ignoring case. Blanks, dashes and underscores are equal. A
// metric is also found by its key in records, a benchmark by an alias, an operation in any form, a
// word by the head of its column, such as #bytes or t[usec], a path with its copy method, such as
// rndv-split-cma, by the path alone, and a state of the cores with its numbers, such as
// 33:near-slow:68%. The error is a *nearest.UnknownError.
func Lookup(name string) (Entry, error) {
	entries := Entries()
	asked := name
	name, _, column := strings.Cut(strings.TrimPrefix(name, "#"), "[")
	if column { // the head of a column means what the table does
		for _, e := range wordEntries() {
			if e.Name == name {
				return e, nil
			}
		}
	}
	find := func(name string) (Entry, bool) {
		i := slices.IndexFunc(entries, func(e Entry) bool { return spelling(e.Name) == spelling(name) })
		if i < 0 {
			return Entry{}, false
		}
		return entries[i], true
	}
	if e, ok := find(name); ok {
		return e, nil
	}
	if parts := strings.Split(name, "-"); len(parts) > 2 && strings.EqualFold(parts[0], "rndv") {
		name = strings.Join(parts[:2], "-")
	} else if m, ok := record.Lookup(strings.ToLower(name)); ok {
		name = m.Name
	} else if b, err := micro.Lookup(name); err == nil {
		name = b.Name
	}
	if e, ok := find(name); ok {
		return e, nil
	}
	if form, ok := collective.Lookup(name); ok {
		return benchmark(form.Benchmark(), "operation", "coll --op="), nil
	}
	if e, ok := stateOfCores(name, find); ok {
		return e, nil
	}
	if a, b, ok := strings.Cut(name, "/"); ok { // a column of two transports
		_, first := device.Lookup(a)
		_, second := device.Lookup(b)
		if e, ok := find("ratio"); ok && first == nil && second == nil {
			return e, nil
		}
	}
	if words := strings.Fields(name); len(words) > 1 { // a column with its unit: smem us, ± %
		if e, ok := find(strings.Join(words[:len(words)-1], " ")); ok {
			return e, nil
		}
	}
	known := collect.Each(entries, func(e Entry) string { return e.Name })
	return Entry{}, &nearest.UnknownError{What: "word", Name: asked, Known: known, Where: "gobench explain lists all"}
}

// stateOfCores explains a state of the cores as tables print it, with or without its numbers.
func stateOfCores(text string, find func(string) (Entry, bool)) (Entry, bool) {
	for part := range strings.SplitSeq(text, ":") {
		if e, ok := find(part); ok {
			return e, true
		}
		pair, slowed := strings.CutSuffix(part, "-slow")
		e, ok := find(pair)
		slow, known := find("slow")
		if !slowed || !ok || !known {
			continue
		}
		e.Name, e.Facts = part, append(e.Facts, [2]string{slow.Name, slow.About})
		return e, true
	}
	return Entry{}, false
}

// spelling returns equal text for spellings of one name.
func spelling(name string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
}

// algorithms returns an entry for every name of an algorithm, by name. Algorithms of the same name
// in several operations share an entry.
func algorithms() []Entry {
	facts := map[string][][2]string{}
	operations := map[string][]string{}
	for _, a := range coll.All() {
		about := a.About
		if a.Source != "" {
			about += " (" + a.Source + ")"
		}
		facts[a.Name] = append(facts[a.Name], [2]string{a.Kind.String(), about})
		if a.Param != "" {
			facts[a.Name] = append(facts[a.Name], [2]string{"", fmt.Sprintf("%s:%d, where the number is %s", a.Name, a.Default, a.Param)})
		}
		operations[a.Name] = append(operations[a.Name], a.Kind.String())
	}
	var list []Entry
	for name := range facts {
		list = append(list, Entry{name, "algorithm", "of " + strings.Join(operations[name], ", "),
			append(facts[name], [2]string{"example", fmt.Sprintf("gobench coll --op=%s --algo=%s", operations[name][0], name)})})
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Print writes the entry as text, wrapped at the width of the terminal.
func (e Entry) Print(w io.Writer) error {
	width := terminal.Of(w).Width
	s := terminal.Hang("", fmt.Sprintf("%s (%s): %s", e.Name, e.Kind, e.About), width)
	names := len("formula") + 1
	for _, f := range e.Facts {
		names = max(names, len(f[0]))
	}
	for _, f := range e.Facts {
		s += terminal.Hang(fmt.Sprintf("  %-*s ", names, f[0]), f[1], width)
	}
	_, err := io.WriteString(w, s)
	return err
}

// List writes one line for every entry.
func List(w io.Writer) error {
	width := terminal.Of(w).Width
	var b strings.Builder
	kind := ""
	for _, e := range Entries() {
		if e.Kind != kind {
			if kind != "" {
				b.WriteByte('\n')
			}
			kind = e.Kind
			b.WriteString(strings.ToUpper(kind[:1]) + kind[1:] + "s\n")
		}
		b.WriteString(terminal.Hang(fmt.Sprintf("  %-15s ", e.Name), e.About, width))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
