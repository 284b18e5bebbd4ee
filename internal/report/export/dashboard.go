package export

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gobench/internal/collect"
	"gobench/record"
)

// openMetrics writes gauges in the text format that both Prometheus and OpenMetrics 1.0 read: a
// family for each metric, with the unit as the end of its name, and the statistic as a label.
func openMetrics(w *printer, rows []row) {
	type sample struct{ labels, value string }
	families := map[string][]sample{}
	for i := range rows {
		p := &rows[i]
		common := strings.Join(collect.Each(labels(p), func(l label) string { return l.name + `="` + Escaped(l.value) + `"` }), ",")
		metrics(&p.Point, func(key string, v record.Value) {
			name := family(key)
			add := func(statistic string, x float64) {
				families[name] = append(families[name], sample{common + `,statistic="` + statistic + `"`, number(x)})
			}
			add("median", v.Median)
			if hasInterval(v) {
				add("low", v.Lo)
				add("high", v.Hi)
			}
			if v.P99 != 0 {
				add("p99", v.P99)
			}
		})
		w.rows++
	}
	for _, name := range slices.Sorted(maps.Keys(families)) {
		w.printf("# HELP %s %s\n# TYPE %s gauge\n", name, meaning(name), name)
		for _, s := range families[name] {
			w.printf("%s{%s} %s\n", name, s.labels, s.value)
		}
	}
	w.printf("# EOF\n")
}

// units are the ends of the names of families, by those of keys of metrics.
var units = []struct{ key, unit string }{
	{"_Bps", "_bytes_per_second"}, {"_Ops", "_operations_per_second"}, {"_per_s", "_per_second"}, {"_s", "_seconds"},
}

// family returns the name of the family of a metric, which ends in its unit.
func family(key string) string {
	for _, u := range units {
		if base, ok := strings.CutSuffix(key, u.key); ok {
			return "gobench_" + base + u.unit
		}
	}
	return "gobench_" + key
}

// meaning returns the definition of the metric of a family.
func meaning(name string) string {
	for _, m := range record.Metrics {
		if family(m.Key) == name {
			return strings.ReplaceAll(m.Meaning, `\`, `\\`)
		}
	}
	return "metric of gobench"
}

// Escaped escapes the value of a label of OpenMetrics.
func Escaped(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}

// influx writes a line for each row: labels as tags, metrics as fields, and the time of the
// measurement in nanoseconds if it is known.
func influx(w *printer, rows []row) {
	escape := strings.NewReplacer(`\`, `\\`, ",", `\,`, "=", `\=`, " ", `\ `, "\n", `\ `)
	for i := range rows {
		p := &rows[i]
		tags, fields := "", []string(nil)
		for _, l := range labels(p) {
			tags += "," + l.name + "=" + escape.Replace(l.value)
		}
		metrics(&p.Point, func(key string, v record.Value) {
			fields = append(fields, key+"="+number(v.Median))
			if hasInterval(v) {
				fields = append(fields, key+"_lo="+number(v.Lo), key+"_hi="+number(v.Hi))
			}
			if v.P99 != 0 {
				fields = append(fields, key+"_p99="+number(v.P99))
			}
		})
		if len(fields) == 0 {
			continue
		}
		w.rows++
		w.printf("gobench%s %s", tags, strings.Join(fields, ","))
		if !p.Time.IsZero() {
			w.printf(" %d", p.Time.UnixNano())
		}
		w.printf("\n")
	}
}

// bencher writes the JSON of bencher.dev: for each row its measures, latency in nanoseconds and
// others in the unit of their key.
func bencher(w *printer, rows []row) {
	type value struct {
		Value float64  `json:"value"`
		Lower *float64 `json:"lower_value,omitempty"`
		Upper *float64 `json:"upper_value,omitempty"`
	}
	out, names := map[string]map[string]value{}, titles(rows)
	for i := range rows {
		p := &rows[i]
		measures := map[string]value{}
		metrics(&p.Point, func(key string, v record.Value) {
			name, scale := strings.ReplaceAll(strings.ToLower(key), "_", "-"), 1.0
			if key == p.Metrics.Times().Key() {
				name, scale = "latency", 1e9
			}
			one := value{Value: v.Median * scale}
			if hasInterval(v) {
				lo, hi := v.Lo*scale, v.Hi*scale
				one.Lower, one.Upper = &lo, &hi
			}
			measures[name] = one
		})
		if len(measures) > 0 {
			out[names[i]] = measures
			w.rows++
		}
	}
	w.json(out)
}

// githubAction writes the JSON of github-action-benchmark's tool customSmallerIsBetter: the time of
// each row in microseconds. Rows without a time have no place in it.
func githubAction(w *printer, rows []row) {
	type entry struct {
		Name  string  `json:"name"`
		Unit  string  `json:"unit"`
		Value float64 `json:"value"`
		Range string  `json:"range,omitempty"`
		Extra string  `json:"extra,omitempty"`
	}
	var out []entry
	names := titles(rows)
	for i := range rows {
		p := &rows[i]
		key := p.Metrics.Times().Key()
		if key == "" {
			continue
		}
		v := p.Metrics.Get(key)
		e := entry{Name: names[i], Unit: "us", Value: v.Median * 1e6, Extra: p.LibraryVersion}
		if hasInterval(v) {
			e.Range = number(v.Lo*1e6) + " to " + number(v.Hi*1e6)
		}
		out = append(out, e)
		w.rows++
	}
	w.json(out)
}

// perflog writes the table of a performance log of ReFrame 4, with the keys of its option "format"
// as column names: a line for each metric of each row. A row has no reference, so that it passes.
func perflog(w *printer, rows []row) {
	out, names := csv.NewWriter(w.w), titles(rows)
	out.Write([]string{"result", "job_completion_time", "display_name", "job_nodelist", "num_tasks", "perf_var", "perf_value", "perf_unit"})
	for i := range rows {
		p := &rows[i]
		when := ""
		if !p.Time.IsZero() {
			when = p.Time.Format(time.RFC3339)
		}
		metrics(&p.Point, func(key string, v record.Value) {
			m, _ := record.Lookup(key)
			unit, scale := m.Unit, 1.0
			switch unit {
			case "s":
				unit, scale = "us", 1e6
			case "B/s":
				unit, scale = "MB/s", 1e-6
			}
			out.Write([]string{"pass", when, names[i], p.Host, strconv.Itoa(p.Ranks), m.Name, number(v.Median * scale), unit})
		})
		w.rows++
	}
	out.Flush()
	w.err = cmp.Or(w.err, out.Error())
}

func (p *printer) json(v any) {
	if p.err != nil {
		return
	}
	e := json.NewEncoder(p.w)
	e.SetIndent("", "  ")
	p.err = e.Encode(v)
}
