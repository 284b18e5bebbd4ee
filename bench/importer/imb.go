package importer

import (
	"fmt"
	"strconv"
	"strings"

	"gobench/bench/record"
	"gobench/internal/lazyregexp"
)

var imbFormat = format{
	name: "IMB", family: "mpi", version: imbVersion, tables: true, read: importIMB,
	banners: []banner{{"MPI Benchmark", imbTitle}, {"# Benchmarking ", lazyregexp.New(`# Benchmarking \S`)}},
}

var (
	imbTitle     = lazyregexp.New(`#\s+Intel ?\(R\) MPI Benchmark`)
	imbVersion   = lazyregexp.New(`(?m)^#\s+Intel ?\(R\) MPI Benchmarks? (?:Suite )?V?([0-9][^,\r\n]*)`)
	imbBench     = lazyregexp.New(`^# Benchmarking (\S+)`)
	imbProcesses = lazyregexp.New(`^# #processes = (\d+)`)
	imbGroups    = lazyregexp.New(`^# \(?\s*(\d+) groups? of (\d+) processes`)
	imbWindow    = lazyregexp.New(`^# window_size = (\d+)|^# \( (\d+) messages? in flight`)
	imbTogether  = lazyregexp.New(`(?m)^#.* -sync (?:0|off|no|disable)\b`)
	imbNotWarm   = lazyregexp.New(`(?m)^#.* -off_cache [^-]`)
)

// imbAlone is the first release of IMB that times each collective operation alone, with a barrier
// before the next (option -sync). Earlier releases time all repetitions together.
const imbAlone = 2019

// importIMB reads the blocks of the Intel MPI Benchmarks (User Guide, "Benchmark methodology"). t
// is half of a round trip in PingPong and one iteration otherwise. If there are several times,
// t_max, that of the slowest rank, is used.
func importIMB(l *log) error {
	text := []byte(strings.Join(l.lines, "\n"))
	year, _, _ := strings.Cut(l.version, ".")
	year, _, _ = strings.Cut(year, " ") // "2019 Update 6"
	released, _ := strconv.Atoi(year)
	imb := imbLog{log: l, alone: released >= imbAlone && !imbTogether.Match(text), warm: !imbNotWarm.Match(text), window: 64}
	bench, ranks, groups := "", 0, 0
	var names []string
	for l.at = range l.lines {
		line := strings.TrimSpace(l.lines[l.at])
		if m := imbBench.FindStringSubmatch(line); m != nil {
			bench, ranks, groups, names = imbName(m[1]), 0, 0, nil
			l.table++
			continue
		}
		if m := imbProcesses.FindStringSubmatch(line); m != nil {
			ranks, _ = strconv.Atoi(m[1])
			continue
		}
		if m := imbGroups.FindStringSubmatch(line); m != nil {
			groups, _ = strconv.Atoi(m[1])
			ranks, _ = strconv.Atoi(m[2])
			continue
		}
		if m := imbWindow.FindStringSubmatch(line); m != nil {
			imb.window, _ = strconv.Atoi(m[1] + m[2])
			continue
		}
		if strings.HasPrefix(line, "#bytes") || strings.HasPrefix(line, "#repetitions") {
			names = strings.Fields(line)
			continue
		}
		values, ok := numbers(line)
		if !ok || names == nil || bench == "" {
			continue
		}
		r, ok := rowOf(names, values)
		if !ok {
			if err := l.leaveOut("the row has %d columns, its heading %d: the log is cut off or mixed with other output", len(values), len(names)); err != nil {
				return err
			}
			continue
		}
		if ranks == 0 && l.given.Ranks == 0 {
			if err := l.leaveOut("%s does not state the number of processes: add -n", bench); err != nil {
				return err
			}
			continue
		}
		if r.value("defects") != 0 {
			l.warn("%s is left out where its data were wrong", bench)
			continue
		}
		if err := imb.row(bench, ranks, groups, r); err != nil {
			return err
		}
	}
	return nil
}

// imbName returns the name of a benchmark without "Multi-", which runs it in several groups of
// ranks at once.
func imbName(name string) string { return strings.TrimPrefix(strings.ToLower(name), "multi-") }

// imbLog is a log of IMB.
type imbLog struct {
	*log
	alone  bool // each collective operation was timed alone
	warm   bool // buffers are reused at once (no -off_cache)
	window int
}

func (l *imbLog) row(bench string, ranks, groups int, r row) error {
	p := l.point(bench, "unknown", "comm", ranks)
	if groups > 1 {
		p.Groups = groups
	}
	if p.Memory = "heap"; l.warm {
		p.Cache = "warm"
	}
	p.Size = r.count("#bytes")
	batch(&p, r.count("#repetitions"))
	t, timed := r.first("t_max[usec]", "t[usec]")
	if t = t.times(1e-6); timed && t.x <= 0 {
		l.warn("times that were printed as 0.00 are left out")
		return nil
	}
	p.Method = fmt.Sprintf("mean of %d repetitions timed together, as %s prints it", p.Iterations, l.writer())
	switch bench {
	case "pingpong", "pingpongspecificsource", "pingponganysource":
		l.finest(&p, "half_rtt_s", 1, t, r)
	case "pingping", "pingpingspecificsource", "pingpinganysource":
		l.finest(&p, "t_s", 1, t, r)
	case "sendrecv":
		l.finest(&p, "t_s", 2, t, r)
	case "exchange":
		l.finest(&p, "t_s", 4, t, r)
	case "uniband", "biband":
		p.Window = l.window
		if !l.streamed(&p, r["Mbytes/sec"].times(1e6), r["Msg/sec"]) {
			return nil
		}
	default:
		// IMB-NBC: Ibcast overlaps, Ibcast_pure does not.
		name, blocking := strings.CutPrefix(strings.TrimSuffix(bench, "_pure"), "i")
		if !collectives[bench] && !(blocking && collectives[name]) {
			l.warn("%s of IMB is left out: it is not known here", bench)
			return nil
		}
		if p.Start = "none"; l.alone && bench != "barrier" { // barriers are always timed together
			p.Start, p.Batched = "barrier", 0
			p.Method = fmt.Sprintf("mean of %d repetitions, each timed alone, as %s prints it", p.Iterations, l.writer())
		}
		if overlapped, ok := r["t_ovrl[usec]"]; ok {
			overlap(&p, overlapped, r["t_pure[usec]"], r["t_CPU[usec]"], r["overlap[%]"])
			break
		}
		if !timed {
			return l.leaveOut("%s has no column of times that is known", bench)
		}
		key := "local_s"
		if p.Bench = strings.TrimSuffix(bench, "_pure"); p.Bench != bench {
			key = "pure_s"
		}
		p.Metrics[key] = mean(t.x)
		if _, several := r["t_max[usec]"]; several {
			p.Method += "; of the slowest rank"
		}
	}
	return l.add(p)
}

// finest adds time and bandwidth, whose product is messages x size, to a point. IMB prints both
// with two decimals: the one with the smaller relative error is used, and the other is computed
// from it. A MB has 10^6 bytes; in old releases it had 2^20.
func (l *imbLog) finest(p *record.Point, key string, messages int64, t number, r row) {
	amount := messages * p.Size
	printed, rated := r["Mbytes/sec"]
	p.Metrics[key] = mean(t.x)
	rate(p, key, amount)
	if !rated || amount <= 0 || printed.x <= 0 {
		return
	}
	for _, unit := range []float64{1e6, 1 << 20} {
		bandwidth := printed.times(unit)
		if !bandwidth.agrees(t.over(float64(amount))) {
			continue
		}
		if unit != 1e6 {
			l.warn("a MB of this release of IMB has 2^20 bytes")
		}
		if bandwidth.relative() < t.relative() {
			p.Metrics[key] = mean(float64(amount) / bandwidth.x)
			p.Metrics["bandwidth_Bps"] = mean(bandwidth.x)
			l.warn("times are computed from the bandwidth where that is printed with more digits")
			p.Method += "; the time is computed from the bandwidth, which is printed with more digits"
		} else {
			p.Method += "; the bandwidth is computed from the time, which is printed with more digits"
		}
		return
	}
	l.warn("the bandwidth of %s is computed from its time: the bandwidth in the log does not match it", p.Bench)
}
