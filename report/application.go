package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/bench/state"
	"gobench/record"
	"gobench/stats"
)

// Columns of applications and kernels: one row for each number of ranks.
var (
	problemColumn = column{name: "#problem", width: 12, left: true, cell: problem}
	ranksColumn   = column{name: "ranks", width: 6, cell: func(p *record.Point) string {
		if p.Copies > 0 {
			return fmt.Sprintf("%dx1", p.Copies)
		}
		return strconv.Itoa(p.Ranks)
	}}
	threadsColumn    = column{name: "threads", width: 7, keep: 2, cell: func(p *record.Point) string { return strconv.Itoa(max(1, p.Threads)) }}
	secondsColumn    = column{name: "t[sec]", width: 10, cell: secondsOf("run_s")}
	operationsColumn = column{name: "Mop/s", width: 10, cell: number("mops", 2)}
	cellsColumn      = column{name: "Mcell/s", width: 10, cell: number("mcells", 2)}
	speedupColumn    = column{name: "speedup", width: 8, cell: number("speedup", 2)}
	efficiencyColumn = column{name: "effic.", width: 7, cell: number("efficiency", 3)}
	talkColumn       = column{name: "comm[%]", width: 7, keep: 4, cell: communication}

	storageColumn = column{name: "storage[MB/s]", width: 13, keep: 3, cell: millions("storage_Bps", 2)}
	readColumn    = column{name: "read[MB/s]", width: 10, keep: 3, cell: millions("storage_read_Bps", 2)}
	waitsColumn   = column{name: "waits[%]", width: 11, keep: 4, cell: waits}

	// Of commands.
	userColumn   = column{name: "user[sec]", width: 10, cell: secondsOf("user_s")}
	systemColumn = column{name: "system[sec]", width: 11, cell: secondsOf("system_s")}
	peakColumn   = column{name: "peak[MiB]", width: 9, keep: 2, cell: func(p *record.Point) string {
		if !p.Metrics.Has("peak_memory_B") {
			return absent
		}
		return strconv.FormatFloat(p.Metrics.Median("peak_memory_B")/(1<<20), 'f', 1, 64)
	}}

	// Of the start of ranks.
	processesColumn = column{name: "start[s]", width: 9, keep: 2, cell: phase("processes")}
	connectColumn   = column{name: "connect[s]", width: 10, keep: 2, cell: phase("connect")}
	agreeColumn     = column{name: "agree[s]", width: 9, keep: 2, cell: phase("agree")}
	barrierColumn   = column{name: "barrier[s]", width: 10, keep: 2, cell: phase("barrier")}
	endColumn       = column{name: "end[s]", width: 8, keep: 2, cell: endTime}
	memoryColumn    = column{name: "MB/rank", width: 8, keep: 2, cell: residentMemory}
)

// coresLegend explains the column of the state of the cores.
const coresLegend = "cores = half round trip of one cache line, kind of pair, slow = a fixed loop took 1.15 times its least or more, % = share of the time"

// applicationLegend returns the explanation of the given columns, printed below rows of at most
// launches launches.
func applicationLegend(columns []column, launches int) string {
	legend := []string{"t = time of a run, median of n launches", "± = 95 % interval between launches, from 6 on"}
	if launches < stats.MinLaunches {
		legend[1] = fmt.Sprintf("no ± below %d launches", stats.MinLaunches)
	}
	if shown(columns, processesColumn) {
		legend[0] = "t = from the start of the first rank until all have received a message, median of n launches"
		legend = append(legend, "start, connect, agree, barrier = its parts in the launch of median time: processes that have met, the transport is open, first messages, a barrier",
			"end = until all processes have ended; MB/rank = resident memory of rank 0 after the barrier, shared pages included")
	}
	for _, of := range []struct {
		column column
		text   string
	}{
		{talkColumn, "comm = share of the time in communication, mean over ranks"},
		{peakColumn, "user, system = processor time of the command and of the processes that it waited for; peak = memory of the largest of them, if that is more than gobench needs"},
		{storageColumn, "storage = written to files, over the time of writing, which is no part of comm; MB = 10^6 bytes"},
		{readColumn, "read = read back from files after the timed steps, from the page cache unless it is bypassed"},
		{waitsColumn, "waits = share of the time that ranks wait for ranks of their host / of other hosts"},
		{coresColumn(state.Scale{}), coresLegend},
		{speedupColumn, "speedup and efficiency against the last stored run on 1 rank, or against as many independent serial copies"},
	} {
		if shown(columns, of.column) {
			legend = append(legend, of.text)
		}
	}
	return strings.Join(legend, "; ")
}

// problem returns the benchmark, the problem class and the algorithm of a point: "cg A", "is A by
// rank".
func problem(p *record.Point) string {
	return strings.Join(strings.Fields(p.Bench+" "+p.Problem()+" "+p.Algorithm), " ")
}

// applicationColumns returns the columns of a block whose first point is p. The first column is
// wide enough for the longer class names of weak scaling.
func applicationColumns(p *record.Point, scale state.Scale) []column {
	first, rate := problemColumn, operationsColumn
	first.width = max(first.width, len(problem(p))+2)
	if p.Metrics.Has("mcells") {
		rate = cellsColumn
	}
	if p.Bench == "startup" {
		return []column{first, ranksColumn, secondsColumn, spreadColumn, processesColumn, connectColumn, agreeColumn, barrierColumn, endColumn, memoryColumn, launchesColumn}
	}
	if p.Metrics.Has("user_s") || p.Metrics.Has("system_s") {
		return []column{first, ranksColumn, secondsColumn, spreadColumn, userColumn, systemColumn, peakColumn, launchesColumn}
	}
	columns := []column{first, ranksColumn, threadsColumn, secondsColumn, spreadColumn, rate, speedupColumn, efficiencyColumn, talkColumn, launchesColumn}
	if p.Extra["waited_s"] != nil {
		columns = slices.Insert(columns, len(columns)-1, waitsColumn)
	}
	if p.Metrics.Has("storage_Bps") {
		columns = slices.Insert(columns, len(columns)-1, storageColumn)
	}
	if p.Metrics.Has("storage_read_Bps") {
		columns = slices.Insert(columns, len(columns)-1, readColumn)
	}
	if p.Loop > 0 || hasState(p, scale) {
		cores := coresColumn(scale) // later rows of more ranks have it, if not this one
		cores.width = len("oversubscribed:slow")
		columns = append(columns, cores)
	}
	return columns
}

// spreadColumn holds the half width of the interval between launches.
var spreadColumn = column{name: "±[%]", width: 6, cell: func(p *record.Point) string {
	w, ok := halfWidth(p.Metrics.Get("run_s"))
	if !ok {
		return absent
	}
	return strconv.FormatFloat(100*w, 'f', 1, 64)
}}

// number returns a cell function that formats the median of a metric.
func number(key string, digits int) func(*record.Point) string {
	return func(p *record.Point) string {
		v, ok := p.Metrics.Lookup(key)
		if !ok {
			return absent
		}
		return strconv.FormatFloat(v.Median, 'f', digits, 64)
	}
}

// secondsOf returns a cell function that formats the median of a metric that is a time.
func secondsOf(key string) func(*record.Point) string {
	return func(p *record.Point) string {
		if !p.Metrics.Has(key) {
			return absent
		}
		return seconds(p.Metrics.Median(key))
	}
}

// seconds formats a time with four decimals, and short times with four significant digits, because
// the interval beside them is in percent.
func seconds(v float64) string {
	digits := 4
	for smallest := 0.1; v > 0 && v < smallest && digits < 8; smallest /= 10 {
		digits++
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// phase returns a cell function that formats the mean time of a phase in the launch of median time,
// in seconds.
func phase(name string) func(*record.Point) string {
	return func(p *record.Point) string {
		mean, ok := phases(p)[name]
		if !ok {
			return absent
		}
		return seconds(mean)
	}
}

// endTime formats the time from the barrier to the end of all processes, in seconds.
func endTime(p *record.Point) string {
	var end float64
	if json.Unmarshal(p.Extra["end_s"], &end) != nil {
		return absent
	}
	return seconds(end)
}

// residentMemory formats the resident memory of rank 0 at the end of a start, in 10^6 bytes.
func residentMemory(p *record.Point) string {
	var stages map[string]int64
	if json.Unmarshal(p.Extra["resident_B"], &stages) != nil || stages["barrier"] == 0 {
		return absent
	}
	return strconv.FormatFloat(float64(stages["barrier"])/1e6, 'f', 1, 64)
}

// phases returns the mean time of each phase of a run, over the ranks.
func phases(p *record.Point) map[string]float64 { return means(p, "phases_s") }

// means returns the means over the ranks that a field of a point holds.
func means(p *record.Point, field string) map[string]float64 {
	var read map[string]struct {
		Mean float64 `json:"mean"`
	}
	if json.Unmarshal(p.Extra[field], &read) != nil {
		return nil
	}
	means := map[string]float64{}
	for name, phase := range read {
		means[name] = phase.Mean
	}
	return means
}

// communication returns the share of the run time spent in phases other than computation and access
// to files.
func communication(p *record.Point) string {
	var all, talk float64
	for name, mean := range phases(p) {
		all += mean
		if name != "compute" && name != "storage" {
			talk += mean
		}
	}
	if all == 0 {
		return absent
	}
	return strconv.FormatFloat(100*talk/all, 'f', 1, 64)
}

// waits returns the shares of the run time in which ranks wait for ranks of their host and of
// others.
func waits(p *record.Point) string {
	waited, all := means(p, "waited_s"), 0.0
	for _, mean := range phases(p) {
		all += mean
	}
	if waited == nil || all == 0 {
		return absent
	}
	return fmt.Sprintf("%.1f/%.1f", 100*waited["inside"]/all, 100*waited["between"]/all)
}

func applicationHeading(p *record.Point) string {
	kind := "processes"
	if p.RankKind == "goroutine" {
		kind = "goroutines"
	}
	return fmt.Sprintf("applications over %s, ranks as %s", p.Transport, kind)
}
