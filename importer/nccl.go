package importer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gobench/internal/collect"
	"gobench/internal/remedy"
	"gobench/record"
)

var (
	ncclStarted = match(`(?m)^# Collective test (?:starting|concluded): (\w+?)_perf\b`)
	ncclRank    = match(`^(?:#\s+)?Rank\s+(\d+) `)
	ncclParams  = match(`^(?:# )?nThread:? \d+ .*?\biters: (\d+)(?: agg iters: (\d+))?`)
	ncclWarmup  = match(`\bwarmup ?[iI]ters: \d+ `)
	ncclVersion = match(`(?m)^# nccl-tests version (\S+)`)
	ncclTrouble = match(`^(?:# )?Out of bounds values : (\d+) `)
)

var ncclFormat = format{
	name: "nccl-tests", family: "nccl", version: ncclVersion, read: importNCCL, object: isNCCLJSON,
	banners: []pattern{
		match(`# nccl-tests version \S`),
		match(`# Collective test starting: \w`),
		match(`(?:# )?nThread:? \d+ nGpus`),
		match(`(?:#\s+)?(?:size|bytes) .*\b(?:cpu)?time +algbw\b`),
	},
}

// A collective of nccl-tests has a name of gobench. If whole is set, the size of nccl-tests
// covers all blocks, while that of gobench covers one block. bus returns the bandwidth of the
// bus of n ranks over that of the algorithm; nil if it depends on the release.
type ncclCollective struct {
	name  string
	whole bool
	bus   func(n float64) float64
}

func ncclOnce(float64) float64     { return 1 }
func ncclOthers(n float64) float64 { return (n - 1) / n }
func ncclTwice(n float64) float64  { return 2 * (n - 1) / n }

var ncclNames = map[string]ncclCollective{
	"all_reduce": {"allreduce", false, ncclTwice}, "broadcast": {"bcast", false, ncclOnce}, "reduce": {"reduce", false, ncclOnce},
	"reduce_scatter": {"reduce_scatter", false, ncclOthers}, "all_gather": {"allgather", true, ncclOthers},
	"alltoall": {"alltoall", true, ncclOthers}, "gather": {"gather", true, ncclOthers}, "scatter": {"scatter", true, ncclOthers},
	"alltoallv": {"alltoallv", true, nil}, "hypercube": {"allgather", true, nil}, "sendrecv": {"sendrecv", false, ncclOnce},
}

// ncclOf returns the collective of a name of nccl-tests or of gobench.
func ncclOf(name string) ncclCollective {
	if known, ok := ncclNames[name]; ok {
		return known
	}
	for program, known := range ncclNames {
		if known.name == name && program != "hypercube" {
			return known
		}
	}
	return ncclCollective{}
}

// ncclTable is the state of the reader of nccl-tests.
type ncclTable struct {
	*log
	bench  string       // as the log or Given names it
	titled bool         // bench is of the output of the program, and not of a command or Given
	ranks  map[int]bool // that the log lists
	events int64        // in a row
	// of these, operations that are started together
	aggregated int64
	names      []string // of the columns
	begun      []string // words of a row that messages of NCCL split; nil = none
	hosts      []string // that printed messages
	unit       float64  // seconds of one unit of times
}

// importNCCL reads the table of a program of nccl-tests: the time of one of many operations in a
// row, out of place and in place. Programs before 2.17 do not print the name of the collective; it
// is then that of the last command before the table, or taken from Given, unless the bandwidths are
// of another collective. Rows with wrong values are left out.
func importNCCL(l *log) error {
	if l.doc != nil {
		return importNCCLJSON(l)
	}
	t := ncclTable{log: l, bench: l.facts.collective, ranks: map[int]bool{}, unit: 1e-6, hosts: ncclHosts(l.lines)}
	if m := ncclStarted.FindStringSubmatch(strings.Join(l.lines, "\n")); m != nil {
		t.bench, t.titled = m[1], true
	}
	if given := l.given.Bench; t.bench == "" || given != "" && ncclOf(given).name == ncclOf(t.bench).name {
		t.bench = cmp.Or(t.bench, given)
	} else {
		l.named(t.bench)
	}
	err := l.each(func(line string) error {
		line, err := t.joined(line)
		if err != nil {
			return err
		}
		return t.line(line)
	})
	if err != nil {
		return err
	}
	return t.endless()
}

func (t *ncclTable) line(line string) error {
	if m := ncclParams.FindStringSubmatch(ncclWarmup.ReplaceAllString(line, "")); m != nil {
		t.events = int64(wholeOf(m[1]))
		if aggregated := wholeOf(m[2]); aggregated > 1 && t.events < int64(maxWhole/aggregated) {
			t.events *= int64(aggregated)
			t.aggregated = int64(aggregated)
		}
	}
	if m := ncclRank.FindStringSubmatch(line); m != nil {
		rank := wholeOf(m[1])
		if t.ranks[rank] {
			t.warn("rank %d is listed twice: several programs printed to this log at once, each on its own", rank)
		}
		t.ranks[rank] = true
	}
	if m := ncclTrouble.FindStringSubmatch(line); m != nil && m[1] != "0" {
		t.warn("nccl-tests found %s wrong values", m[1])
	}
	words := strings.Fields(strings.TrimPrefix(line, "#"))
	if len(words) > 0 && (words[0] == "size" || words[0] == "bytes") && slices.Contains(words, "algbw") {
		t.names, t.unit = words, 1e-6
		if words[0] == "bytes" { // of version 1, which prints milliseconds
			t.unit = 1e-3
			for i, name := range words {
				words[i] = cmp.Or(map[string]string{"bytes": "size", "N": "count", "op": "redop", "res": "error"}[name], name)
			}
		}
		return nil
	}
	if t.names == nil || len(words) == 0 || strings.HasPrefix(line, "#") {
		return nil
	}
	if _, isSize := parse(words[0]); !isSize {
		return nil
	}
	words = t.full(stamped(t.names, words))
	if len(words) != len(t.names) {
		return t.shortRow(len(words), len(t.names))
	}
	return t.known(words)
}

// known adds the points of a row, if collective and ranks are known.
func (t *ncclTable) known(words []string) error {
	how := ncclOf(t.bench)
	switch {
	case how.name == "" && t.bench == "":
		return t.leaveOut("the log does not name the collective: name it with %v: %s", remedy.Named("bench"), ncclList())
	case how.name == "":
		return t.leaveOut("%q is not a known collective: name it with %v: %s", t.bench, remedy.Named("bench"), ncclList())
	case len(t.ranks) == 0 && t.given.Ranks == 0:
		return t.leaveOut("the log does not state the number of ranks: add %v", remedy.Named("np"))
	}
	if i := slices.Index(t.names, "redop"); i >= 0 && !t.titled && reductions[how.name] == (words[i] == "none") {
		return t.leaveOut("its reduction is %q, which %s does not have: the table is of another collective", words[i], how.name)
	}
	if i := slices.Index(t.names, "busbw"); i > 0 && !t.titled && how.bus != nil {
		algorithm, _ := parse(words[i-1])
		bus, _ := parse(words[i])
		n := float64(cmp.Or(len(t.ranks), t.given.Ranks))
		if n > 1 && algorithm.x > 0 && !bus.agrees(algorithm.times(how.bus(n))) {
			return t.leaveOut("its bandwidths do not have the proportion of %s on %g ranks: the table is of another collective", how.name, n)
		}
	}
	return t.row(how.name, how.whole, words)
}

// ncclList joins the names of collectives.
func ncclList() string {
	names := collect.Each(slices.Collect(maps.Values(ncclNames)), func(c ncclCollective) string { return c.name })
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// full returns the words of a row with "none" as reduction where it is blank, as in alltoall_perf.
func (t *ncclTable) full(words []string) []string {
	i := slices.Index(t.names, "redop")
	if i < 0 || len(words) != len(t.names)-1 || i >= len(words) {
		return words
	}
	if _, number := parse(words[i]); !number {
		return words
	}
	return slices.Insert(slices.Clone(words), i, "none")
}

// stamped joins date and time of the column of -S.
func stamped(names, words []string) []string {
	last := len(words) - 1
	if last < 1 || names[len(names)-1] != "timestamp" || !strings.Contains(words[last], ":") {
		return words
	}
	return append(words[:last-1:last-1], words[last-1]+" "+words[last])
}

// row adds the points of a row: the columns from "time" on, with -C "cputime", occur twice, first
// out of place, then in place.
func (t *ncclTable) row(bench string, whole bool, words []string) error {
	inPlace := false
	isTime := func(name string) bool { return name == "time" || name == "cputime" }
	for i, name := range t.names {
		if !isTime(name) {
			continue
		}
		end := len(t.names)
		if next := slices.IndexFunc(t.names[i+1:], isTime); next >= 0 {
			end = i + 1 + next
		}
		part := row{}
		for k := i; k < end; k++ {
			part[t.names[k]], _ = parse(words[k]) // N/A if nothing was checked
		}
		x, ok := parse(words[i])
		switch {
		case part.value("#wrong") > 0:
			t.omit(fmt.Sprintf("the data of %s of %s B were wrong", bench, words[0]), t.number())
		case !ok && !strings.EqualFold(words[i], "N/A"):
			if err := t.leaveOut("%q is not a number", words[i]); err != nil {
				return err
			}
		case x.x > 0: // else not done in place
			if err := t.result(bench, whole, words, inPlace, part); err != nil {
				return err
			}
		}
		inPlace = true
	}
	return nil
}

// result adds the point of one half of a row.
func (t *ncclTable) result(bench string, whole bool, words []string, inPlace bool, part row) error {
	p := t.point(bench, "unknown", "comm", len(t.ranks))
	size, sized := parse(words[0])
	if sized && whole {
		size.x /= float64(max(1, p.Ranks)) // exact for whole blocks
	}
	if bench == "alltoallv" && size.half >= 0.5 { // printed whole
		size.x = math.Floor(size.x) // of the mean block
	}
	if t.bench == "hypercube" {
		p.Algorithm = t.bench
	}
	p.Size, p.InPlace = row{"size": size}.count("size"), inPlace
	for k, name := range t.names {
		switch value := words[k]; {
		case name == "type":
			p.Datatype = value
		case name == "redop" && value != "none":
			p.Reduction = value
		case name == "root" && value != "-1":
			p.Root = value
		case name == "timestamp" && t.given.Time.IsZero():
			if when, err := time.Parse(time.DateTime, value); err == nil {
				p.Time, t.facts.when = when, when
			}
		}
	}
	p.Method = "mean of operations in a row, as " + t.writer() + " prints it; mean over ranks"
	if t.events > 0 {
		batch(&p, t.events)
		p.Method = fmt.Sprintf("mean of %d operations in a row, as %s prints it; mean over ranks", t.events, t.writer())
	}
	p.Start = "none"
	if seconds := part.value("time") * t.unit; seconds > 0 {
		key := "local_s"
		if bench == "sendrecv" {
			key, p.Start = "t_s", ""
		}
		p.Metrics.Set(key, record.Value{Median: seconds, N: 1, Statistic: record.RankMean})
		if bench == "sendrecv" {
			rate(&p, key, 2*p.Size)
		} else {
			t.perIteration(&p, part)
		}
	}
	if bus := part.value("busbw"); bus > 0 {
		p.Metrics.Set("busbw_Bps", record.Value{Median: bus * 1e9, N: 1, Statistic: record.RankMean})
	}
	if p.Metrics.Len() == 0 {
		return t.leaveOut("the time is that of the calls on the CPU (-C), and the bandwidth is printed as 0")
	}
	return t.add(p)
}

// perIteration adds to a point what -I prints of the times of the iterations, of the slowest
// process in each: with JSON the median, else the least and the longest time.
func (t *ncclTable) perIteration(p *record.Point, part row) {
	smallest, largest := part.value("i_min")*1e-6, part.value("i_max")*1e-6
	n := t.events - int64(part.value("i_skipped"))
	if smallest <= 0 || largest < smallest || n < 1 || t.aggregated > 1 {
		return
	}
	v := record.Value{Median: p.Metrics.Median("local_s"), N: int(n), Min: smallest, Max: largest, Statistic: record.RankMean}
	if median := part.value("i_p50") * 1e-6; median > 0 {
		v.Median, v.P50, v.Mean, v.Statistic = median, median, part.value("i_avg")*1e-6, ""
		p.Method = fmt.Sprintf("median of %d operations in a row, of the slowest process, as %s prints it", n, t.writer())
	} else {
		p.Method += "; the least and the longest are of the slowest process"
	}
	if v.N >= 100 {
		v.P99 = part.value("i_p99") * 1e-6
	}
	p.Metrics.Set("local_s", v)
	p.Batched = 0
}
