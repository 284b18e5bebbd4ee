package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/bench/state"
	"gobench/record"
)

// A column of the table has a fixed width, because rows are printed as they are measured, before
// the next one is known.
type column struct {
	name  string
	width int
	left  bool // text, not a number
	// keep is the priority of the column on narrow terminals: the smallest is dropped first, 0
	// never.
	keep int
	cell func(*record.Point) string
}

// absent replaces values that were not measured. It is not 0, and programs that read columns of
// numbers treat it as missing.
const absent = "-"

// Columns in the style of the Intel MPI Benchmarks, and further ones.
var (
	bytesColumn = column{name: "#bytes", width: 9, cell: func(p *record.Point) string {
		return strconv.FormatInt(p.Size, 10)
	}}
	pairColumn        = column{name: "pair", width: 7, cell: func(p *record.Point) string { return list(p.Cores) }}
	repetitionsColumn = column{name: "#repetitions", width: 12, keep: 1, cell: func(p *record.Point) string {
		if p.Iterations == 0 {
			return absent // of an imported result
		}
		return strconv.FormatInt(p.Iterations, 10)
	}}
	timeColumn = column{name: "t[usec]", width: 11, cell: func(p *record.Point) string {
		return micros(p.Metrics.Median(record.TimeKey(p.Metrics)))
	}}
	intervalColumn = column{name: "±[%]", width: 6, cell: interval}
	withinColumn   = column{name: "in[%]", width: 5, keep: 3, cell: within}
	p99Column      = column{name: "p99[usec]", width: 11, keep: 2, cell: func(p *record.Point) string {
		return micros(p.Metrics.Get(record.TimeKey(p.Metrics)).P99)
	}}
	bandwidthColumn   = column{name: "Mbytes/sec", width: 10, cell: millions("bandwidth_Bps", 2)}
	algorithmicColumn = column{name: "alg[MB/s]", width: 10, keep: 3, cell: millions("algbw_Bps", 2)}
	aggregateColumn   = column{name: "agg[MB/s]", width: 10, keep: 3, cell: millions("aggregate_Bps", 2)}
	busColumn         = column{name: "bus[MB/s]", width: 10, cell: millions("busbw_Bps", 2)}
	overlapColumn     = column{name: "overlap[%]", width: 10, cell: func(p *record.Point) string {
		return strconv.FormatFloat(100*p.Metrics.Median("overlap_ratio"), 'f', 1, 64)
	}}
	algorithmColumn = column{name: "algorithm", width: 14, left: true, cell: func(p *record.Point) string {
		return p.Algorithm
	}}
	rateColumn       = column{name: "Mmsg/sec", width: 9, cell: millions("message_rate_per_s", 4)}
	throughputColumn = column{name: "op/sec", width: 10, cell: func(p *record.Point) string {
		return strconv.FormatFloat(p.Metrics.Median("throughput_Ops"), 'f', 0, 64)
	}}
	launchesColumn = column{name: "n", width: 3, keep: 4, cell: func(p *record.Point) string {
		return strconv.Itoa(max(1, p.Launches))
	}}
	pathColumn = column{name: "path", width: 14, left: true, keep: 5, cell: func(p *record.Point) string {
		if p.Path == "" {
			return absent
		}
		return p.Path
	}}
)

// Columns returns the names of all columns that a table can have, without units.
func Columns() []string {
	var names []string
	for _, c := range []column{bytesColumn, repetitionsColumn, timeColumn, intervalColumn, withinColumn, p99Column, bandwidthColumn, algorithmicColumn, aggregateColumn, busColumn,
		overlapColumn, algorithmColumn, rateColumn, throughputColumn, launchesColumn, pathColumn, coresColumn(state.Scale{}),
		problemColumn, ranksColumn, threadsColumn, secondsColumn, spreadColumn, operationsColumn, cellsColumn, speedupColumn, efficiencyColumn, talkColumn, storageColumn, readColumn, waitsColumn, userColumn, systemColumn, peakColumn, processesColumn, connectColumn, agreeColumn, barrierColumn, endColumn, memoryColumn} {
		name, _, _ := strings.Cut(strings.TrimPrefix(c.name, "#"), "[")
		names = append(names, name)
	}
	return names
}

// mainMetric returns the key of the metric whose interval and sample count are shown.
func mainMetric(p *record.Point) string {
	if name := record.TimeKey(p.Metrics); name != "" {
		return name
	}
	for _, name := range []string{"bandwidth_Bps", "message_rate_per_s"} {
		if p.Metrics.Has(name) {
			return name
		}
	}
	return ""
}

// columnsFor returns the columns that apply to points like p, as many as fit into width characters
// (0 = unlimited).
func columnsFor(p *record.Point, scale state.Scale, pairs bool, width int) []column {
	if p.IsApplication() {
		return fit(applicationColumns(p, scale), width)
	}
	columns := []column{bytesColumn, repetitionsColumn}
	if pairs {
		columns = []column{bytesColumn, pairColumn, repetitionsColumn}
	}
	has := p.Metrics.Has
	if record.TimeKey(p.Metrics) != "" {
		columns = append(columns, timeColumn, intervalColumn, withinColumn, p99Column)
	} else {
		columns = append(columns, intervalColumn, withinColumn)
	}
	if has("throughput_Ops") {
		columns = append(columns, throughputColumn)
	}
	if has("message_rate_per_s") {
		columns = append(columns, rateColumn)
	}
	if has("overlap_ratio") {
		columns = append(columns, overlapColumn)
	}
	if p.Algorithm == "" && has("busbw_Bps") {
		columns = append(columns, busColumn) // of an imported collective
	} else if p.Algorithm == "" {
		columns = append(columns, bandwidthColumn)
	} else if !strings.HasSuffix(p.Bench, "barrier") { // a barrier carries no data
		if has("algbw_Bps") {
			columns = append(columns, algorithmicColumn)
		}
		columns = append(columns, aggregateColumn, busColumn)
	}
	columns = append(columns, launchesColumn)
	if hasState(p, scale) {
		columns = append(columns, coresColumn(scale))
	}
	if p.Algorithm == "" {
		columns = append(columns, pathColumn)
	} else {
		columns = append(columns, algorithmColumn)
	}
	return fit(columns, width)
}

// fit drops columns until the rest fits into width characters.
func fit(columns []column, width int) []column {
	for width > 0 && widthOf(columns) > width {
		i := minKept(columns)
		if i < 0 {
			break
		}
		columns = append(columns[:i], columns[i+1:]...)
	}
	return columns
}

func widthOf(columns []column) int {
	sum := -1 // no gap before the first
	for _, c := range columns {
		sum += 1 + c.width
	}
	return sum
}

func minKept(columns []column) int {
	smallest := -1
	for i, c := range columns {
		if c.keep > 0 && (smallest < 0 || c.keep < columns[smallest].keep) {
			smallest = i
		}
	}
	return smallest
}

func micros(seconds float64) string {
	if seconds == 0 {
		return absent
	}
	return strconv.FormatFloat(seconds*1e6, 'f', 3, 64)
}

// millions returns a cell function that formats the median of a metric in millions.
func millions(key string, digits int) func(*record.Point) string {
	return func(p *record.Point) string {
		v := p.Metrics.Median(key)
		if v == 0 {
			return absent
		}
		return strconv.FormatFloat(v/1e6, 'f', digits, 64)
	}
}

// halfWidth returns the distance from the median to the farther end of its interval, relative to
// the median.
func halfWidth(v record.Value) (float64, bool) {
	if v.Confidence == 0 || v.Median == 0 {
		return 0, false
	}
	return max(v.Hi-v.Median, v.Median-v.Lo) / math.Abs(v.Median), true
}

// wide reports whether the interval between launches is wider than requested.
func wide(p *record.Point) bool {
	w, ok := halfWidth(p.Metrics.Get(mainMetric(p)))
	return ok && p.Precision > 0 && w > p.Precision
}

// beyond stands for relative widths of 100 % and more.
const beyond = ">99"

// share formats a relative width in percent: 0.3, 14.8, >99.
func share(w float64) string {
	if w >= 1 {
		return beyond
	}
	return strconv.FormatFloat(100*w, 'f', 1, 64)
}

// within returns the half width of the interval inside a launch, which does not predict the next
// launch.
func within(p *record.Point) string {
	if w := p.Metrics.Get(mainMetric(p)).Within; w > 0 {
		return share(w)
	}
	return absent
}

func interval(p *record.Point) string {
	w, ok := halfWidth(p.Metrics.Get(mainMetric(p)))
	if !ok {
		return absent + " "
	}
	s := share(w)
	if wide(p) && s != beyond { // which is wide enough to see, and reads as an error with a mark
		return s + "!"
	}
	return s + " " // aligns the digits with those of values with !
}

// hasState reports whether the column of the state of the cores has anything to show.
func hasState(p *record.Point, scale state.Scale) bool {
	return p.DistanceBefore > 0 || p.DistanceAfter > 0 || p.StateDistance > 0 || stateOf(p, scale).Slowed() || p.Oversubscribed()
}

// coresColumn returns the column with the core-to-core latency, the state of the pair, and the
// share of the time spent in this state if below 100 %. Like every column it is one word.
func coresColumn(scale state.Scale) column {
	return column{name: "cores[ns]", width: 17, keep: 6, cell: func(p *record.Point) string {
		word := stateWord(p, scale)
		if p.Oversubscribed() {
			return word // a cache line waits for the scheduler
		}
		d := cmp.Or(p.StateDistance, p.DistanceMax, p.DistanceBefore, p.DistanceAfter)
		var parts []string
		if word != "" {
			parts = []string{word}
		}
		if d > 0 || parts == nil {
			parts = slices.Insert(parts, 0, nanos(d))
		}
		if p.StateShare > 0 && p.StateShare < 0.995 {
			parts = append(parts, fmt.Sprintf("%.0f%%", math.Max(1, 100*p.StateShare)))
		}
		return strings.Join(parts, ":")
	}}
}

// stateOf returns the state of the cores of a row, or of a point by the scale of its machine.
func stateOf(p *record.Point, scale state.Scale) state.State {
	if p.State != "" {
		return state.Parse(p.State)
	}
	return scale.OfPoint(p)
}

// stateWord returns the state of the cores of a row as one word, "" where it is unknown.
func stateWord(p *record.Point, scale state.Scale) string {
	in := stateOf(p, scale)
	switch {
	case p.Oversubscribed() && in.Slowed():
		return "oversubscribed:slow"
	case p.Oversubscribed():
		return "oversubscribed"
	case in == state.Unknown:
		return ""
	}
	return strings.ReplaceAll(strings.TrimPrefix(in.String(), "unknown "), " ", "-")
}

// nanos formats a latency with at most four characters: 28, 161, 1.3k; 99k+ above that, which means
// that the core was preempted.
func nanos(seconds float64) string {
	switch ns := seconds * 1e9; {
	case ns == 0:
		return absent
	case ns < 999.5:
		return strconv.FormatFloat(ns, 'f', 0, 64)
	case ns < 9950:
		return strconv.FormatFloat(ns/1000, 'f', 1, 64) + "k"
	case ns < 99500:
		return strconv.FormatFloat(ns/1000, 'f', 0, 64) + "k"
	default:
		return "99k+"
	}
}
