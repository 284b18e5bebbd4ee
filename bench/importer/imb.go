package importer

import (
	"regexp"
	"strconv"
	"strings"
)

func isIMB(log []byte) bool { return has(log, "# Benchmarking ", "Intel(R) MPI Benchmarks") }

var (
	imbBench     = regexp.MustCompile(`^# Benchmarking (\S+)`)
	imbProcesses = regexp.MustCompile(`^# #processes = (\d+)`)
	imbGroups    = regexp.MustCompile(`^# \(?\s*(\d+) groups? of (\d+) processes`)
	imbWindow    = regexp.MustCompile(`^# window_size = (\d+)|^# \( (\d+) messages? in flight`)
)

// importIMB reads the blocks of the Intel MPI Benchmarks (User Guide, "Benchmark
// methodology"): t is half of a round trip in PingPong and one iteration else; of several
// times t_max is that of the slowest rank. Mbytes are 10^6 bytes.
func importIMB(l *log) error {
	l.warn("times are means over all repetitions, which IMB times together")
	bench, ranks, groups, window := "", 0, 0, 64
	var names []string
	for l.at = range l.lines {
		line := strings.TrimSpace(l.lines[l.at])
		if m := imbBench.FindStringSubmatch(line); m != nil {
			bench, ranks, groups, names = imbName(m[1]), 0, 0, nil
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
			window, _ = strconv.Atoi(m[1] + m[2])
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
			return l.fail("the row has %d columns, its heading %d: the log is cut off or mixed with other output", len(values), len(names))
		}
		if ranks == 0 && l.given.Ranks == 0 {
			return l.fail("%s does not say how many processes there are: add -n", bench)
		}
		if r["defects"] != 0 {
			l.warn("%s is left out where its data were wrong", bench)
			continue
		}
		if err := l.imbRow(bench, ranks, groups, window, r); err != nil {
			return err
		}
	}
	return nil
}

// imbName is the name of a benchmark; "Multi-" says that several groups of ranks run it at once.
func imbName(name string) string { return strings.TrimPrefix(strings.ToLower(name), "multi-") }

func (l *log) imbRow(bench string, ranks, groups, window int, r row) error {
	p := l.point(bench, "unknown", "comm", ranks)
	if groups > 1 {
		p.Groups = groups
	}
	p.Size = int64(r["#bytes"])
	batch(&p, int64(r["#repetitions"]))
	t, timed := r.first("t_max[usec]", "t[usec]")
	if t *= 1e-6; timed && t <= 0 {
		l.warn("times that were printed as 0.00 are left out")
		return nil
	}
	switch bench {
	case "pingpong", "pingpongspecificsource", "pingponganysource":
		p.Metrics["half_rtt_s"] = mean(t)
		rate(&p, "half_rtt_s", p.Size)
	case "pingping", "pingpingspecificsource", "pingpinganysource":
		p.Metrics["t_s"] = mean(t)
		rate(&p, "t_s", p.Size)
	case "sendrecv":
		p.Metrics["t_s"] = mean(t)
		rate(&p, "t_s", 2*p.Size)
	case "exchange":
		p.Metrics["t_s"] = mean(t)
		rate(&p, "t_s", 4*p.Size)
	case "uniband", "biband":
		p.Window = window
		for key, x := range map[string]float64{"bandwidth_Bps": r["Mbytes/sec"] * 1e6, "message_rate_per_s": r["Msg/sec"]} {
			if x > 0 {
				p.Metrics[key] = mean(x)
			}
		}
		if len(p.Metrics) == 0 {
			return nil
		}
	default:
		// IMB-NBC: Ibcast overlaps, Ibcast_pure does not.
		name, blocking := strings.CutPrefix(strings.TrimSuffix(bench, "_pure"), "i")
		if !collectives[bench] && !(blocking && collectives[name]) {
			l.warn("%s of IMB is left out: it is not known here", bench)
			return nil
		}
		p.Start = "none" // one operation after the other
		if overlapped, ok := r["t_ovrl[usec]"]; ok {
			overlap(&p, overlapped, r["t_pure[usec]"], r["t_CPU[usec]"], r["overlap[%]"])
			break
		}
		if !timed {
			return l.fail("%s has no column of times that is known", bench)
		}
		key := "local_s"
		if p.Bench = strings.TrimSuffix(bench, "_pure"); p.Bench != bench {
			key = "pure_s"
		}
		p.Metrics[key] = mean(t)
	}
	return l.add(p)
}
