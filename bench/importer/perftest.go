package importer

import (
	"cmp"
	"fmt"
	"strings"

	"gobench/bench/record"
	"gobench/internal/lazyregexp"
)

var perftestFormat = format{
	name: "perftest", read: importPerftest,
	banners: []banner{{" Test", lazyregexp.New(`(?:Send|RDMA_Write|RDMA_Read|Atomic\S*|Raw\S*)(?: [\w-]+)*? (?:Latency|BW)(?: \w+)? Test`)}},
}

var (
	// "Send Bidirectional Post List BW Multicast Test"
	perftestTitle = lazyregexp.New(`^(Send|RDMA_Write|RDMA_Read|Atomic\S*|Raw\S*)((?: [\w-]+)*?) (Latency|BW)(?: \w+)? Test`)
)

// importPerftest reads the tables of perftest. t_typical is the median. The times of send and write
// are half of a round trip; those of read and atomics are of one operation, as in get_lat and
// fadd_lat. If Given names the benchmark, that name is used, because the log does not state the
// atomic operation, nor the name of gobench's benchmark. A MB of perftest has 2^20 bytes; with
// --report_gbits it prints 10^9 bits.
func importPerftest(l *log) error {
	operation, kind, both := "", "", false
	var names []string
	for l.at = range l.lines {
		line := l.lines[l.at]
		if m := perftestTitle.FindStringSubmatch(line); m != nil {
			operation, both, kind, names = m[1], strings.Contains(m[2], "Bidirectional"), m[3], nil
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#bytes") {
			names = perftestColumns(line)
			continue
		}
		values, ok := numbers(line)
		if !ok || names == nil || operation == "" {
			continue
		}
		r, ok := rowOf(names, values)
		if !ok {
			if err := l.leaveOut("the row has %d columns, its heading %d: the log is cut off or mixed with other output", len(values), len(names)); err != nil {
				return err
			}
			continue
		}
		p := l.point("", "ibv", "raw", 2)
		p.Size, p.Iterations = r.count("#bytes"), max(1, r.count("#iterations"))
		p.Path = strings.ToLower(strings.ReplaceAll(operation, "_", "-"))
		if kind == "Latency" {
			l.perftestTime(&p, r, operation)
		} else {
			l.perftestRate(&p, r, both)
		}
		p.Bench = cmp.Or(l.given.Bench, p.Bench)
		if len(p.Metrics) == 0 {
			if err := l.leaveOut("there is no column of a time or a bandwidth that is known"); err != nil {
				return err
			}
			continue
		}
		if err := l.add(p); err != nil {
			return err
		}
	}
	return nil
}

// perftestColumns returns the names of the columns of a heading. Spaces in names are replaced.
func perftestColumns(line string) []string {
	line = strings.NewReplacer("BW peak", "BW_peak", "BW average", "BW_average", "% percentile", "%_percentile", "tps average", "tps_average").Replace(line)
	return strings.Fields(line)
}

func (l *log) perftestTime(p *record.Point, r row, operation string) {
	typical, timed := r.first("t_typical[usec]")
	if !timed {
		if typical, timed = r.first("t_avg[usec]"); !timed {
			return
		}
		p.Metrics[l.perftestMetric(p, operation)] = mean(typical.x * 1e-6)
		p.Method = fmt.Sprintf("mean of %d iterations timed together, as perftest prints it", p.Iterations)
		p.Batched = int(p.Iterations)
		return
	}
	v := record.Value{Median: typical.x * 1e-6, N: int(p.Iterations), Min: r.value("t_min[usec]") * 1e-6, Max: r.value("t_max[usec]") * 1e-6}
	p.Method = fmt.Sprintf("median of %d iterations, as perftest prints it (t_typical)", p.Iterations)
	if v.N >= 100 {
		v.P99 = r.value("99%_percentile[usec]") * 1e-6
	}
	if v.N >= 1000 {
		v.P999 = r.value("99.9%_percentile[usec]") * 1e-6
	}
	p.Metrics[l.perftestMetric(p, operation)] = v
}

// perftestMetric sets the benchmark of a point and returns the key of its time.
func (l *log) perftestMetric(p *record.Point, operation string) string {
	if operation == "Send" || operation == "RDMA_Write" {
		p.Bench = "pingpong"
		return "half_rtt_s"
	}
	p.Bench = "get_lat"
	if operation != "RDMA_Read" {
		p.Bench = strings.ToLower(operation)
	}
	return "t_s"
}

func (l *log) perftestRate(p *record.Point, r row, both bool) {
	p.Bench = "uniband"
	p.Method = fmt.Sprintf("mean of %d iterations, as perftest prints it", p.Iterations)
	if both {
		p.Bench = "biband"
	}
	var bandwidth number
	for name, unit := range map[string]float64{"BW_average[MB/sec]": 1 << 20, "BW_average[MiB/sec]": 1 << 20, "BW_average[Gb/sec]": 1e9 / 8} {
		if x, ok := r[name]; ok {
			bandwidth = x.times(unit)
		}
	}
	l.streamed(p, bandwidth, r["MsgRate[Mpps]"].times(1e6))
}
