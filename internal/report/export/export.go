// Package export writes rows of tables in the formats of other programs: of dashboards, of services
// that track benchmarks, and of the benchmarks that sites' scripts read.
package export

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/internal/collect"
	"gobench/record"
)

// A Command holds the rows of a command: points of kind summary, one for each row of a table.
type Command struct {
	Program string // of a plan that compares several, so that none of them replaces another
	Rows    []record.Point
}

// A row is one of a command, with the program of that.
type row struct {
	record.Point
	program string
}

// A Format writes rows. Suffix ends the names of its files.
type Format struct {
	Suffix, Name string
	write        func(w *printer, rows []row)
	dated        bool // a row has its time, so that measurements of the same conditions stay apart
}

// Formats lists the formats. A longer suffix stands before a shorter one with the same end.
var Formats = []Format{
	{".prom", "OpenMetrics, for the textfile collector of Prometheus' node_exporter", openMetrics, false},
	{".bmf.json", "Bencher Metric Format", bencher, false},
	{".gab.json", "github-action-benchmark, customSmallerIsBetter", githubAction, false},
	{".influx", "line protocol of InfluxDB", influx, true},
	{".perflog.csv", "performance log of ReFrame", perflog, true},
	{".osu", "OSU Micro-Benchmarks", osu, false},
	{".imb", "Intel MPI Benchmarks", imb, false},
}

// Of returns the format of a file, by the end of its name.
func Of(path string) (Format, bool) {
	i := slices.IndexFunc(Formats, func(f Format) bool { return strings.HasSuffix(path, f.Suffix) })
	if i < 0 {
		return Format{}, false
	}
	return Formats[i], true
}

// Suffixes lists the ends of names, for messages: ".prom, .osu".
func Suffixes() string {
	return strings.Join(collect.Each(Formats, func(f Format) string { return f.Suffix }), ", ")
}

// Write writes the rows of commands in the format. It returns warnings about rows that it leaves
// out: those that the latest ones replace (latest), unless the format has their time, and those for
// which it has no place, as OSU's for kernels. Without any other row it returns an error.
func (f Format) Write(w io.Writer, of []Command) (warnings []string, err error) {
	commands := distinct(collect.Each(of, func(c Command) []row {
		return collect.Each(c.Rows, func(p record.Point) row { return row{p, c.Program} })
	}))
	all := slices.Concat(commands...)
	rows := all
	if !f.dated {
		rows = latest(commands)
	}
	p := &printer{w: w}
	f.write(p, rows)
	if p.err == nil && p.rows == 0 {
		return nil, fmt.Errorf("the format of %s has no place for any of the %d rows", f.Name, len(all))
	}
	if n := len(all) - len(rows); n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d rows are left out: they are older than others of the same conditions", n, len(all)))
	}
	if n := len(rows) - p.rows; n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d rows are left out: the format of %s has no place for them", n, len(all), f.Name))
	}
	return warnings, p.err
}

// distinct returns copies of the rows with those options only in which rows differ that are alike
// else: most options follow from the transport and the machine, so that names with all of them
// would be long and change with a release. Cores and their placement stay if rows of one command
// differ in them.
func distinct(commands [][]row) [][]row {
	names := map[string]bool{} // of options
	for i := range commands {
		for k := range commands[i] {
			for name := range commands[i][k].Options {
				names[name] = true
			}
		}
	}
	first, varied := map[string]string{}, map[string]bool{}
	see := func(alike, name, value string) {
		if known, again := first[alike+name]; again && known != value {
			varied[name] = true
		}
		first[alike+name] = value
	}
	for i := range commands {
		for k := range commands[i] {
			p := &commands[i][k]
			alike := conditions(p, "options", "cores", "placement")
			for name := range names {
				see(alike, "options."+name, p.Options[name])
			}
			see(fmt.Sprint(i, alike), "cores", fmt.Sprint(p.Cores))
			see(fmt.Sprint(i, alike), "placement", p.Placement)
		}
	}
	return collect.Each(commands, func(of []row) []row {
		return collect.Each(of, func(p row) row {
			p.Options = maps.Clone(p.Options)
			maps.DeleteFunc(p.Options, func(name, _ string) bool { return !varied["options."+name] })
			if !varied["cores"] {
				p.Cores = nil
			}
			if !varied["placement"] {
				p.Placement = ""
			}
			return p
		})
	})
}

// latest returns the rows of commands that no later command has measured under the same conditions,
// in any state of the cores. Of rows of one command with the same conditions the latest counts.
func latest(commands [][]row) (rows []row) {
	newest := func(rows []row) (at time.Time) {
		for i := range rows {
			if rows[i].Time.After(at) {
				at = rows[i].Time
			}
		}
		return at
	}
	commands = slices.Clone(commands)
	slices.SortStableFunc(commands, func(a, b []row) int { return newest(a).Compare(newest(b)) })
	last := map[string]int{} // command, by the conditions
	for i, of := range commands {
		for k := range of {
			last[conditions(&of[k], "state")] = i
		}
	}
	for i, of := range commands {
		known := map[string]int{} // index of rows
		for k := range of {
			p := &of[k]
			key := conditions(p, "")
			switch at, again := known[key]; {
			case last[conditions(p, "state")] != i:
			case !again:
				known[key] = len(rows)
				rows = append(rows, *p)
			case !p.Time.Before(rows[at].Time):
				rows[at] = *p
			}
		}
	}
	return rows
}

// conditions returns a text that is equal for rows with the same labels but those named.
func conditions(p *row, without ...string) string {
	return fmt.Sprintf("%q", collect.If(labels(p), func(l label) bool { return !slices.Contains(without, l.name) }))
}

// A printer keeps the first error of a writer, and counts the rows.
type printer struct {
	w    io.Writer
	err  error
	rows int
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// A label is a condition of a row.
type label struct{ name, value string }

// labels returns the conditions that separate a row from others, without those that have their
// usual value: factors that separate cells, host, state of the cores, label and program.
func labels(p *row) []label {
	var list []label
	for i := range record.Factors {
		f := &record.Factors[i]
		if f.Role != record.Asked && f.Role != record.Chosen {
			continue
		}
		if value := f.Text(&p.Point); value != f.Default {
			list = append(list, label{f.Name, value})
		}
	}
	list = append(list, label{"host", p.Host}, label{"state", p.State}, label{"label", p.Label}, label{"program", p.program})
	return slices.DeleteFunc(list, func(l label) bool { return l.value == "" })
}

// titles returns the conditions of each row as one name: "pingpong/smem/device/8B/ranks=2". The
// host is a part of it if the rows are of several: services have names of machines of their own.
func titles(rows []row) []string {
	hosts := slices.ContainsFunc(rows, func(p row) bool { return p.Host != rows[0].Host })
	return collect.Each(rows, func(p row) string {
		var words []string
		for _, l := range labels(&p) {
			switch l.name {
			case "host":
				if hosts {
					words = append(words, "host="+l.value)
				}
			case "bench", "transport", "level":
				words = append(words, l.value)
			case "size_B":
				words = append(words, l.value+"B")
			default:
				words = append(words, strings.TrimSuffix(l.name, "_B")+"="+l.value)
			}
		}
		return strings.Join(words, "/")
	})
}

// number returns the shortest text that is read back as x.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// metrics calls f for the metrics of a row in the order of the catalogue, and then for others.
func metrics(p *record.Point, f func(key string, v record.Value)) {
	all := maps.Collect(p.Metrics.All())
	for _, m := range record.Metrics {
		if v, ok := all[m.Key]; ok {
			f(m.Key, v)
			delete(all, m.Key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		f(key, all[key])
	}
}

// hasInterval reports whether the interval of a value is known.
func hasInterval(v record.Value) bool { return v.Lo != 0 || v.Hi != 0 }

// Text returns a text cell of CSV. Text that a spreadsheet would evaluate as a formula is prefixed
// with an apostrophe.
func Text(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
