package importer

import (
	"fmt"
	"math"
	"strings"

	"gobench/record"
	"gobench/stats"
)

// goFormat is the output of go test -bench, of which each package is a program of its own.
var goFormat = format{
	name: "go-bench", read: importGo, tables: true,
	banners: []pattern{
		match(`goos: \w+$`),
		match(`pkg: \S+$`),
		match(`Benchmark\S*\s+\d+\s+[0-9.e+-]+ ns/op`),
	},
}

var goRow = match(`^Benchmark(\S+?)(?:-(\d+))?\s+(\d+)\s+(.*)$`)

// goBenchmark is a benchmark with the values of its rows, of which -count prints several.
type goBenchmark struct {
	name    string
	threads int // GOMAXPROCS, 0 if it is not printed
	at      int // first line
	rounds  int64
	times   []number // seconds
	rates   []number // bytes per second
}

// importGo reads the results of benchmarks in the format of Go: the time of an operation is the
// median over the rows of a name, each a mean. The class is the package. Values that are no times
// or rates of bytes are left out.
func importGo(l *log) error {
	var found []*goBenchmark
	index := map[string]int{} // of found, by name and threads
	pkg := ""
	for l.at = range l.lines {
		line := l.lines[l.at]
		if p, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = strings.TrimSpace(p)
			continue
		}
		m := goRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		threads := 0
		if m[2] != "" {
			threads = wholeOf(m[2])
		}
		i, known := index[m[1]+"-"+m[2]]
		if !known {
			i = len(found)
			index[m[1]+"-"+m[2]] = i
			found = append(found, &goBenchmark{name: m[1], threads: threads, at: l.at})
		}
		found[i].rounds += int64(max(0, wholeOf(m[3])))
		for _, unit := range found[i].values(strings.Fields(m[4])) {
			l.warn("values of go test -bench in %s are left out: they are no time and no rate", unit)
		}
	}
	for _, b := range found {
		l.at = b.at
		if err := l.goPoint(b, pkg); err != nil {
			return err
		}
	}
	return nil
}

// values reads the values of a row, "1234 ns/op 56.7 MB/s", and returns the units of those that are
// not known.
func (b *goBenchmark) values(words []string) (unknown []string) {
	for i := 0; i+1 < len(words); i += 2 {
		x, ok := parse(words[i])
		switch unit := words[i+1]; {
		case ok && unit == "ns/op":
			b.times = append(b.times, x.times(1e-9))
		case ok && unit == "sec/op":
			b.times = append(b.times, x)
		case ok && unit == "MB/s":
			b.rates = append(b.rates, x.times(1e6))
		case ok && unit == "B/s":
			b.rates = append(b.rates, x)
		default:
			unknown = append(unknown, unit)
		}
	}
	return unknown
}

// goPoint adds the point of a benchmark.
func (l *log) goPoint(b *goBenchmark, pkg string) error {
	if len(b.times) == 0 {
		return l.leaveOut("%s has no time of an operation", b.name)
	}
	p := l.point(b.name, "unknown", "comm", max(1, l.given.Ranks))
	p.Class, p.Threads = pkg, b.threads
	batch(&p, b.rounds)
	p.Batched /= len(b.times)
	var seconds []float64
	for _, t := range b.times {
		if t.x <= 0 {
			return l.leaveOut("the time of %s is printed as 0", b.name)
		}
		seconds = append(seconds, t.x)
	}
	p.Size = b.bytes()
	if len(seconds) == 1 {
		p.Method = fmt.Sprintf("mean of %d operations, as go test -bench prints it", p.Iterations)
		p.Metrics.Set("t_s", mean(seconds[0]))
		rate(&p, "t_s", p.Size)
	} else {
		p.Method = fmt.Sprintf("median of %d means of operations, as go test -bench prints them", len(seconds))
		s := stats.Summarize(seconds)
		v := record.Times(s, true)
		v.Mean = 0 // of means
		p.Metrics.Set("t_s", v)
		if p.Size > 0 {
			p.Amount = p.Size
			p.Metrics.Set("bandwidth_Bps", record.Rate(s, float64(p.Size)))
		}
	}
	if p.Size == 0 && len(b.rates) > 0 {
		l.warn("rates of go test -bench are left out where their digits do not tell the bytes of an operation")
	}
	return l.add(p)
}

// bytes returns the bytes of an operation that the rates and times tell, 0 if these do not.
func (b *goBenchmark) bytes() int64 {
	if len(b.rates) != len(b.times) {
		return 0
	}
	low, high := 0.0, math.Inf(1)
	for i, rate := range b.rates {
		t := b.times[i]
		low = max(low, (rate.x-rate.half)*(t.x-t.half))
		high = min(high, (rate.x+rate.half)*(t.x+t.half))
	}
	if whole := math.Ceil(low); whole >= 1 && whole <= 1<<53 && math.Floor(high) == whole {
		return int64(whole)
	}
	return 0
}
