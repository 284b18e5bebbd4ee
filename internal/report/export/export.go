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

	"gobench/internal/collect"
	"gobench/record"
)

// A Format writes rows: points of kind summary, one for each row of a table. Suffix ends the names
// of its files.
type Format struct {
	Suffix, Name string
	write        func(w *printer, rows []record.Point)
}

// Formats lists the formats. A longer suffix stands before a shorter one with the same end.
var Formats = []Format{
	{".prom", "OpenMetrics, for the textfile collector of Prometheus' node_exporter", openMetrics},
	{".bmf.json", "Bencher Metric Format", bencher},
	{".gab.json", "github-action-benchmark, customSmallerIsBetter", githubAction},
	{".influx", "line protocol of InfluxDB", influx},
	{".perflog.csv", "performance log of ReFrame", perflog},
	{".osu", "OSU Micro-Benchmarks", osu},
	{".imb", "Intel MPI Benchmarks", imb},
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

// Write writes rows in the format. A format that has no place for some rows, as OSU's for kernels,
// leaves them out; without any other row it returns an error.
func (f Format) Write(w io.Writer, rows []record.Point) error {
	p := &printer{w: w}
	f.write(p, rows)
	if p.err == nil && p.rows == 0 {
		return fmt.Errorf("the format of %s has no place for any of the %d rows", f.Name, len(rows))
	}
	return p.err
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
// usual value: factors that the user asked for, the algorithm, host, state of the cores and label.
func labels(p *record.Point) []label {
	var list []label
	for i := range record.Factors {
		f := &record.Factors[i]
		if f.Role != record.Asked && f.Name != "algorithm" {
			continue
		}
		if value := f.Text(p); value != f.Default {
			list = append(list, label{f.Name, value})
		}
	}
	list = append(list, label{"host", p.Host}, label{"state", p.State}, label{"label", p.Label})
	return slices.DeleteFunc(list, func(l label) bool { return l.value == "" })
}

// title returns the conditions of a row as one name: "pingpong/smem/device/8B/2". Rows with the
// same name differ in conditions that no format has; the later ones get a number.
func title(p *record.Point, used map[string]int) string {
	var words []string
	for _, l := range labels(p) {
		switch l.name {
		case "host":
			continue // services have names of machines of their own
		case "bench", "transport", "level":
			words = append(words, l.value)
		case "size_B":
			words = append(words, l.value+"B")
		default:
			words = append(words, strings.TrimSuffix(l.name, "_B")+"="+l.value)
		}
	}
	name := strings.Join(words, "/")
	if used[name]++; used[name] > 1 {
		name += "#" + strconv.Itoa(used[name])
	}
	return name
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
