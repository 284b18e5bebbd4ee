package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/lazyregexp"
	"gobench/internal/remedy"
	"gobench/nearest"
	"gobench/record"
	"gobench/report"
)

// limit is a condition on rows that makes a command fail, such as half_rtt.p99@16K > 20us.
type limit struct {
	typed     string
	metric    record.Metric // its key is "" for the time of one event, whichever the row has
	statistic string
	size      int64 // bytes, -1 = every size
	less      bool  // fails below the value, else above it
	equal     bool  // also fails at the value
	value     float64
}

// Limits are conditions of --fail-if, for verbs that do not measure themselves.
type Limits struct{ list []limit }

// ParseLimits reads conditions METRIC[.STATISTIC][@SIZE] < or > VALUE with a unit.
func ParseLimits(typed []string) (Limits, error) {
	list, err := parseLimits(typed)
	return Limits{list}, err
}

// Check returns a *LimitError if some row meets a condition, else an *UnmetError if a condition
// cannot be judged.
func (l Limits) Check(rows []record.Point) error { return checkLimits(l.list, rows) }

// judgeable returns an *UnmetError for a condition that no case of the plan can be judged by: none
// has its size and, as the time of its benchmark, its metric. Applications have no cases.
func (r *measurement) judgeable() error {
	for _, l := range r.limits {
		judges := func(c bench.Case) bool {
			return (l.size < 0 || int64(c.Size) == l.size) && (!slices.Contains(mainTimes, l.metric.Key) || c.Bench.Metric == l.metric.Key)
		}
		if len(r.Plan.Cases) > 0 && !slices.ContainsFunc(r.Plan.Cases, judges) {
			return &UnmetError{limit: l}
		}
	}
	return nil
}

// mainTimes lists the keys of bench.Benchmark.Metric. Other metrics follow from these or depend on
// the way of timing.
var mainTimes = []string{"half_rtt_s", "t_s", "global_s"}

// LimitError lists the rows that met a condition of --fail-if, one sentence for each.
type LimitError struct{ Rows []string }

func (e *LimitError) Error() string { return strings.Join(e.Rows, "\n") }

// UnmetError reports a condition of --fail-if that cannot be judged: no row has its metric or size,
// or some of those that have them lack the statistic.
type UnmetError struct {
	limit       limit
	without, of int // cells without the statistic, of those with metric and size
}

func (e *UnmetError) Error() string {
	of := e.limit.metric.Name
	if e.limit.statistic != statistics[0] {
		of += "." + e.limit.statistic
	}
	at := ""
	if e.limit.size >= 0 {
		at = " of " + human.Size(e.limit.size)
	}
	why := ""
	if strings.HasPrefix(e.limit.statistic, "p") {
		why = fmt.Sprintf("; percentiles need %v and enough samples", remedy.Set("batch", "1"))
	}
	rows := "no row" + at + " has "
	if e.without < e.of {
		rows = fmt.Sprintf("%d of %d cells%s without ", e.without, e.of, at)
	}
	return fmt.Sprintf("%v %q: %s%s%s", remedy.Named("fail-if"), e.limit.typed, rows, of, why)
}

// statistics lists the statistics of a metric in a row, the default first.
var statistics = []string{"median", "lo", "hi", "p50", "p90", "p99", "p99_lo", "p99_hi", "p999", "min", "max", "within"}

// Statistics lists the statistics for the help of --fail-if.
func Statistics() string {
	last := len(statistics) - 1
	return statistics[0] + " (where none is named), " + strings.Join(statistics[1:last], ", ") + " and " + statistics[last]
}

var condition = lazyregexp.New(`^\s*([A-Za-z_]+)(?:\.([A-Za-z0-9_]+))?(?:@([0-9A-Za-z]+))?\s*(<=|>=|<|>)\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(\S*)\s*$`)

// parseLimits reads conditions METRIC[.STATISTIC][@SIZE] < or > VALUE with a unit.
func parseLimits(typed []string) ([]limit, error) {
	var list []limit
	for _, text := range typed {
		l, err := parseLimit(text)
		if err != nil {
			return nil, remedy.Errorf("%v %q: %w", remedy.Named("fail-if"), text, err)
		}
		list = append(list, l)
	}
	return list, nil
}

func parseLimit(text string) (limit, error) {
	part := condition.FindStringSubmatch(text)
	if part == nil {
		return limit{}, fmt.Errorf("want a metric, < or >, and a value, such as %q or %q", "half_rtt.p99@16K > 20us", "bandwidth@1MiB < 10GB/s")
	}
	l := limit{typed: text, statistic: part[2], size: -1, less: part[4][0] == '<', equal: len(part[4]) > 1}
	var ok bool
	if l.metric, ok = lookupMetric(part[1]); !ok {
		names := collect.Each(record.Metrics, func(m record.Metric) string { return m.Name })
		return limit{}, &nearest.UnknownError{What: "metric", Name: part[1], Known: names}
	}
	l.statistic = cmp.Or(l.statistic, statistics[0])
	if err := oneOf("statistic", l.statistic, statistics...); err != nil {
		return limit{}, err
	}
	if part[3] != "" {
		size, err := device.ParseBytes(part[3])
		if err != nil {
			return limit{}, err
		}
		l.size = int64(size)
	}
	number, err := strconv.ParseFloat(part[5], 64)
	if err != nil {
		return limit{}, fmt.Errorf("%q is not a number", part[5])
	}
	u, err := l.unit(part[6])
	l.value = number * u.times
	if u.parts > 0 {
		l.value = number / u.parts
	}
	return l, err
}

// latency is the metric of --fail-if that is the time of one event: half_rtt of pingpong, t of
// other benchmarks, run of applications.
var latency = record.Metric{Name: "latency", Unit: "s", Direction: record.Lower}

// lookupMetric finds a metric by its name, its key or the word of other programs, ignoring case.
func lookupMetric(typed string) (record.Metric, bool) {
	switch name := strings.ToLower(typed); name {
	case "latency", "lat":
		return latency, true
	case "bw":
		return record.Lookup("bandwidth")
	case "mr":
		return record.Lookup("message_rate")
	default:
		if m, ok := record.Lookup(typed); ok { // keys have capitals
			return m, true
		}
		return record.Lookup(name)
	}
}

// in returns the metric of the condition in a row, and whether the row has it.
func (l limit) in(row *record.Point) (record.Value, bool) {
	key := cmp.Or(l.metric.Key, record.TimeKey(row.Metrics))
	v, ok := row.Metrics.Lookup(key)
	return v, ok
}

// units lists the units of values on the command line, by the unit of the record.
var units = map[string][]unit{
	"s":   {{"ns", 0, 1e9}, {"us", 0, 1e6}, {"µs", 0, 1e6}, {"ms", 0, 1e3}, {"s", 1, 0}},
	"B/s": {{"B/s", 1, 0}, {"kB/s", 1e3, 0}, {"MB/s", 1e6, 0}, {"GB/s", 1e9, 0}, {"Mbit/s", 1e6 / 8, 0}, {"Gbit/s", 1e9 / 8, 0}},
	"":    {{"", 1, 0}, {"%", 0, 100}}, // metrics without a unit
}

// unit is a unit relative to that of the record: times, or 1/parts if parts is not 0. Smaller units
// use parts, because 1e-6 is not exact, whereas a division by 1e6 is rounded only once.
type unit struct {
	name         string
	times, parts float64
}

// unit returns the unit with the given name among those of the metric.
func (l limit) unit(typed string) (unit, error) {
	of := l.metric.Unit
	if _, ok := units[of]; !ok || l.statistic == "within" {
		of = ""
	}
	var names []string
	for _, u := range units[of] {
		if u.name == typed {
			return u, nil
		}
		if u.name != "" {
			names = append(names, u.name)
		}
	}
	if of == "" {
		return unit{}, fmt.Errorf("%q is not a unit of %s: want a plain number, or %%", typed, l.metric.Name)
	}
	return unit{}, fmt.Errorf("a value of %s needs a unit: one of %s", l.metric.Name, strings.Join(names, ", "))
}

// applies reports whether a row has the metric and the size of the condition.
func (l limit) applies(row *record.Point) bool {
	_, ok := l.in(row)
	return ok && (l.size < 0 || row.Size == l.size)
}

// of returns the value of a row to which the condition applies, and whether the row has it.
func (l limit) of(row *record.Point) (float64, bool) {
	v, _ := l.in(row)
	value := []float64{v.Median, v.Lo, v.Hi, v.P50, v.P90, v.P99, v.P99Lo, v.P99Hi, v.P999, v.Min, v.Max, v.Within}[slices.Index(statistics, l.statistic)]
	// Only a share and a skew may be 0; other statistics of a record are not. A record has no
	// interval that begins at 0, and the minimum beside the maximum.
	return value, value != 0 || l.statistic == statistics[0] && v.N > 0 || l.statistic == "min" && v.Max > 0
}

// met reports whether a value meets the condition, which makes the command fail.
func (l limit) met(value float64) bool {
	return l.equal && value == l.value || l.less && value < l.value || !l.less && value > l.value
}

// text formats a value of the metric.
func (l limit) text(value float64) string {
	switch {
	case l.statistic == "within":
		return fmt.Sprintf("%.4g", value)
	case l.metric.Unit == "s":
		return fmt.Sprintf("%.4g us", value*1e6)
	case l.metric.Unit == "B/s":
		return fmt.Sprintf("%.4g MB/s", value/1e6)
	}
	return fmt.Sprintf("%.4g", value)
}

// checkLimits returns a *LimitError if some row meets a condition, else an *UnmetError if a
// condition cannot be judged for every cell to which it applies, or applies to none. A cell can be
// judged by one of its rows: others are of states of the cores that may have few samples.
func checkLimits(limits []limit, rows []record.Point) error {
	var failed []string
	var unmet error
	for _, l := range limits {
		judged := map[string]bool{} // by cell
		cells, values, order := map[string]string{}, map[string][]string{}, []string{}
		for i := range rows {
			if !l.applies(&rows[i]) {
				continue
			}
			value, ok := l.of(&rows[i])
			cell := rows[i].CellKey()
			judged[cell] = judged[cell] || ok
			if ok && l.met(value) {
				if cells[cell] == "" {
					order = append(order, cell)
					cells[cell] = report.CellName(&rows[i])
				}
				in := ""
				if rows[i].State != "" {
					in = " (cores " + rows[i].State + ")"
				}
				values[cell] = append(values[cell], l.text(value)+in)
			}
		}
		for _, cell := range order { // a cell has a row for each state of the cores
			texts := values[cell]
			if len(texts) == 1 {
				texts[0], _, _ = strings.Cut(texts[0], " (")
			}
			failed = append(failed, fmt.Sprintf("%s of %s is %s: %v %q", l.metric.Name, cells[cell], strings.Join(texts, ", "), remedy.Named("fail-if"), l.typed))
		}
		without := 0
		for _, ok := range judged {
			if !ok {
				without++
			}
		}
		if (without > 0 || len(judged) == 0) && unmet == nil {
			unmet = &UnmetError{l, without, len(judged)}
		}
	}
	if len(failed) > 0 {
		return &LimitError{failed}
	}
	return unmet
}
