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
	bench, ranks, window := "", 0, 64
	var names []string
	for l.at = range l.lines {
		line := strings.TrimSpace(l.lines[l.at])
		if m := imbBench.FindStringSubmatch(line); m != nil {
			bench, ranks, names = imbName(m[1]), 0, nil
			continue
		}
		if m := imbProcesses.FindStringSubmatch(line); m != nil {
			ranks, _ = strconv.Atoi(m[1])
			continue
		}
		if m := imbGroups.FindStringSubmatch(line); m != nil {
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
		if err := l.imbRow(bench, ranks, window, r); err != nil {
			return err
		}
	}
	return nil
}

func imbName(name string) string { return strings.ToLower(name) }

func (l *log) imbRow(bench string, ranks, window int, r row) error {
	p := l.point(bench, "unknown", "comm", ranks)
	p.Size = int64(r["#bytes"])
	batch(&p, int64(r["#repetitions"]))
	t, timed := r.first("t_max[usec]", "t[usec]")
	if t *= 1e-6; timed && t <= 0 {
		l.warn("times that were printed as 0.00 are left out")
		return nil
	}
	switch bench {
	case "pingpong":
		p.Metrics["half_rtt_s"] = mean(t)
		rate(&p, "half_rtt_s", p.Size)
	case "pingping":
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
		if !timed {
			return l.fail("%s has no column of times that is known", bench)
		}
		p.Start = "none" // one operation after the other
		p.Metrics["local_s"] = mean(t)
	}
	return l.add(p)
}
