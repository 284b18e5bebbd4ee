package importer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func isOSU(log []byte) bool { return osuTitle.Match(log) }

var (
	osuTitle  = regexp.MustCompile(`(?m)^# OSU (?:MPI(?:-[A-Z]+)? )?(.*?) Test(?: v([0-9.]+))?\s*$`) // MPI-CUDA too
	osuWindow = regexp.MustCompile(`window size: (\d+)`)
	osuPairs  = regexp.MustCompile(`pairs: (\d+)`)
)

// osuDefault is how many messages are in flight where OSU does not say so.
const osuDefault = 64

// importOSU reads the tables of the OSU Micro-Benchmarks: a title, a heading of
// columns, and rows. MB are 10^6 bytes. Of collectives the time of the slowest rank
// counts where it is printed (-f), else the mean over ranks.
func importOSU(l *log) error {
	l.warn("times are means over all iterations, which OSU times together")
	title, window, pairs := "", osuDefault, 1
	var names []string
	for l.at = range l.lines {
		line := l.lines[l.at]
		if m := osuTitle.FindStringSubmatch(line); m != nil {
			title, names, window, pairs = m[1], nil, osuDefault, 1
			continue
		}
		if m := osuWindow.FindStringSubmatch(line); m != nil {
			window, _ = strconv.Atoi(m[1])
		}
		if m := osuPairs.FindStringSubmatch(line); m != nil {
			pairs, _ = strconv.Atoi(m[1])
		}
		if strings.HasPrefix(line, "#") && (strings.Contains(line, "(us)") || strings.Contains(line, "MB/s")) {
			names = columns(line)
			continue
		}
		rest, checked := verdict(line)
		values, ok := numbers(rest)
		if !ok || names == nil {
			continue
		}
		if checked == "fail" {
			l.warn("%s is left out where its data were wrong", title)
			continue
		}
		r, ok := rowOf(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "Validation" && checked != "" }), values)
		if !ok {
			return l.fail("the row has %d columns, its heading %d: the log is cut off or mixed with other output", len(values), len(names))
		}
		if err := l.osuRow(title, window, pairs, r); err != nil {
			return err
		}
	}
	return nil
}

// osuCollective finds the operation in a title such as "Allreduce Latency", "MPI_Bcast Latency"
// or "Non-blocking Allreduce Latency", which is iallreduce.
func osuCollective(title string) (name string, ok bool) {
	name = strings.ToLower(strings.TrimPrefix(strings.TrimSuffix(title, " Latency"), "MPI_"))
	if rest, blocking := strings.CutPrefix(name, "non-blocking "); blocking {
		return "i" + rest, collectives[rest]
	}
	return name, collectives[name]
}

func (l *log) osuRow(title string, window, pairs int, r row) error {
	size := int64(r["Size"])
	iterations, _ := r.first("Iterations")
	t, timed := r.first("Max Latency(us)", "Latency (us)", "Avg Latency(us)", "Avg Lat(us)")
	if t *= 1e-6; timed && t <= 0 {
		l.warn("times that were printed as 0.00 are left out")
		return nil
	}
	bandwidth, _ := r.first("Bandwidth (MB/s)", "MB/s")
	switch title {
	case "Latency", "Multi Latency", "Multi-pair Latency":
		p := l.point("pingpong", "unknown", "comm", 2*pairs)
		p.Size = size
		batch(&p, int64(iterations))
		p.Metrics["half_rtt_s"] = mean(t)
		rate(&p, "half_rtt_s", size)
		return l.add(p)
	case "Bandwidth", "Bi-Directional Bandwidth", "Multiple Bandwidth / Message Rate":
		if bandwidth <= 0 {
			return nil
		}
		p := l.point("uniband", "unknown", "comm", 2*pairs)
		if strings.HasPrefix(title, "Bi") {
			p.Bench = "biband"
		}
		p.Size, p.Window = size, window
		batch(&p, int64(iterations))
		p.Metrics["bandwidth_Bps"] = mean(bandwidth * 1e6)
		if x := r["Messages/s"]; x > 0 {
			p.Metrics["message_rate_per_s"] = mean(x)
		}
		return l.add(p)
	}
	operation, known := osuCollective(title)
	if !known {
		l.warn("OSU's %s test is left out: it is not known here", title)
		return nil
	}
	if l.given.Ranks == 0 {
		return l.fail("OSU does not say how many ranks did %s: add -n", operation)
	}
	p := l.point(operation, "unknown", "comm", 0)
	p.Size, p.Start = size, "none"
	batch(&p, int64(iterations))
	if overall, ok := r["Overall(us)"]; ok {
		overlap(&p, overall, r["Pure Comm.(us)"], r["Compute(us)"], r["Overlap(%)"])
		return l.add(p)
	}
	if !timed {
		l.warn("OSU's %s test is left out: it has no column of times that is known", title)
		return nil
	}
	if _, slowest := r["Max Latency(us)"]; !slowest {
		l.warn("of collectives the mean over ranks is printed, not the slowest rank: osu_... -f prints both")
	}
	p.Metrics["local_s"] = mean(t)
	return l.add(p)
}
