package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/bench/record"
	"gobench/internal/lazyregexp"
)

var (
	ncclStarted = lazyregexp.New(`(?m)^# Collective test (?:starting|concluded): (\w+?)_perf\b`)
	ncclRank    = lazyregexp.New(`^#\s+Rank\s+\d+ `)
	ncclParams  = lazyregexp.New(`^# nThread \d+ nGpus \d+ .*\biters: (\d+) agg iters`)
	ncclVersion = lazyregexp.New(`(?m)^# nccl-tests version (\S+)`)
	ncclTrouble = lazyregexp.New(`^# Out of bounds values : (\d+) `)
)

var ncclFormat = format{
	name: "nccl-tests", family: "nccl", version: ncclVersion, read: importNCCL,
	banners: []banner{
		{"# nccl-tests version ", lazyregexp.New(`# nccl-tests version \S`)},
		{"# Collective test starting: ", lazyregexp.New(`# Collective test starting: \w`)},
		{"# nThread ", lazyregexp.New(`# nThread \d`)},
		{"algbw", lazyregexp.New(`#\s+size .*\btime +algbw\b`)},
	},
}

// ncclNames maps the names of nccl-tests to those of gobench. If whole is set, the size of
// nccl-tests is that of all blocks, while the size of gobench is that of one block.
var ncclNames = map[string]struct {
	name  string
	whole bool
}{
	"all_reduce": {"allreduce", false}, "broadcast": {"bcast", false}, "reduce": {"reduce", false},
	"reduce_scatter": {"reduce_scatter", false}, "all_gather": {"allgather", true}, "alltoall": {"alltoall", true},
	"gather": {"gather", true}, "scatter": {"scatter", true},
}

// importNCCL reads the table of a program of nccl-tests: the time of one of many operations in a
// row, out of place and in place. Programs before 2.17 do not print the name of the collective; it
// is then taken from Given. Rows with wrong values are left out.
func importNCCL(l *log) error {
	bench := l.given.Bench
	if m := ncclStarted.FindStringSubmatch(strings.Join(l.lines, "\n")); m != nil && bench == "" {
		bench = m[1]
	}
	ranks, iterations := 0, int64(1)
	var names []string
	for l.at = range l.lines {
		line := l.lines[l.at]
		if m := ncclStarted.FindStringSubmatch(line); m != nil && l.given.Bench == "" {
			bench = m[1]
		}
		if m := ncclParams.FindStringSubmatch(line); m != nil { // a program begins
			iterations, _ = strconv.ParseInt(m[1], 10, 64)
			ranks, names = 0, nil
		}
		if ncclRank.MatchString(line) {
			ranks++
		}
		if m := ncclTrouble.FindStringSubmatch(line); m != nil && m[1] != "0" {
			l.warn("nccl-tests found %s wrong values", m[1])
		}
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "#"))
		if len(words) > 0 && words[0] == "size" && slices.Contains(words, "algbw") {
			names = words
			continue
		}
		if names == nil || len(words) == 0 || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		if _, isSize := parse(words[0]); !isSize {
			continue
		}
		if len(words) != len(names) {
			if err := l.leaveOut("the row has %d columns, its heading %d: the log is cut off or mixed with other output", len(words), len(names)); err != nil {
				return err
			}
			continue
		}
		how := ncclNames[bench]
		for _, known := range ncclNames {
			if known.name == bench {
				how = known
			}
		}
		if how.name == "" {
			if err := l.leaveOut("the log does not state a known collective: name it with --bench (%q)", bench); err != nil {
				return err
			}
			continue
		}
		if ranks == 0 && l.given.Ranks == 0 {
			if err := l.leaveOut("the log does not state the number of ranks: add -n"); err != nil {
				return err
			}
			continue
		}
		if err := l.ncclRow(how.name, how.whole, max(1, ranks), max(1, iterations), names, words); err != nil {
			return err
		}
	}
	return nil
}

// ncclRow adds the points of a row: the columns from "time" on occur twice, first out of place,
// then in place.
func (l *log) ncclRow(bench string, whole bool, ranks int, iterations int64, names, words []string) error {
	inPlace := false
	for i, name := range names {
		if name != "time" {
			continue
		}
		time, ok := parse(words[i])
		end := len(names)
		if next := slices.Index(names[i+1:], "time"); next >= 0 {
			end = i + 1 + next
		}
		part := row{}
		for k := i; k < end; k++ {
			part[names[k]], _ = parse(words[k]) // N/A if nothing was checked
		}
		size, sized := parse(words[0])
		p := l.point(bench, "unknown", "comm", ranks)
		if sized && whole {
			size.x /= float64(max(1, p.Ranks)) // exact for whole blocks
		}
		p.Size, p.InPlace = row{"size": size}.count("size"), inPlace
		inPlace = true
		switch {
		case part.value("#wrong") > 0:
			l.warn("%s is left out where its data were wrong", bench)
			continue
		case !ok || time.x <= 0:
			continue // not done in place
		}
		batch(&p, iterations)
		p.Start = "none"
		p.Metrics["local_s"] = mean(time.x * 1e-6)
		if bus := part.value("busbw"); bus > 0 {
			p.Metrics["busbw_Bps"] = record.Value{Median: bus * 1e9, N: 1, Statistic: record.Mean}
		}
		p.Method = fmt.Sprintf("mean of %d operations in a row, as %s prints it", iterations, l.writer())
		if err := l.add(p); err != nil {
			return err
		}
	}
	return nil
}
