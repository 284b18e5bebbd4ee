package importer

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gobench/internal/remedy"
)

// fabtestsFormat is the output of the benchmarks of fabtests: a table, or with -m rows of names and
// values. Both sides may print one.
var fabtestsFormat = format{
	name: "fabtests", family: "fabric", read: importFabtests,
	banners: []pattern{
		fabtestsName,
		fabtestsHead,
	},
}

var (
	// a command, and not a row, which begins with a name in some releases
	fabtestsName  = match(shell + `fi_((?:rdm|msg|dgram|rma|efa)_(?:[a-z_]*_)?(?:pingpong|bw|bw_mt|tx_completion))(| +(?:[^\d\s]|\d+\.\d+\.).*)$`)
	fabtestsHead  = match(`(?:name +)?bytes +iters +total +time +MB/sec +usec/xfer +Mxfers/sec`)
	fabtestsLabel = match(`^(?:fi_\w+|\d+[kmg]?_\w+)$`) // "64k_lat"
	fabtestsRead  = match(`(?:^|\s)-o *(\w+)`)
	fabtestsRow   = match(`^- \{ (xfer_size: .*) \}$`)
)

// fabtestsColumns lists the columns of a row, by the names of -m.
var fabtestsColumns = []string{"xfer_size", "iterations", "total", "time", "MB/sec", "usec/xfer", "Mxfers/sec"}

// fabtestsNames maps the programs of fabtests to benchmarks of gobench.
func fabtestsBench(program, operation string) string {
	reads := strings.HasPrefix(operation, "read")
	switch {
	case strings.HasPrefix(program, "rma") && strings.HasSuffix(program, "pingpong") && !reads:
		return "put_lat"
	case strings.HasSuffix(program, "pingpong") && !reads:
		return "pingpong"
	case strings.Contains(program, "rma") && strings.HasSuffix(program, "bw"):
		if reads {
			return "get_bw"
		}
		return "put_bw"
	case strings.HasSuffix(program, "bw") || strings.HasSuffix(program, "bw_mt"):
		return "uniband"
	}
	return ""
}

// importFabtests reads the results of a benchmark of fabtests: the time of a transfer, which is
// half of a round trip in a ping-pong, and the bandwidth. A table does not name its program.
// Without its command line in the log, it is a ping-pong if two transfers are counted for an
// iteration, and a stream if one is. A MB has 10^6 bytes, but a k of sizes 2^10, and one of counts
// 10^3; sizes that were rounded are left out.
func importFabtests(l *log) error {
	program, operation := "", ""
	headed := false // the units of a table are known from its heading, or from the program
	var rows []row
	var lines []int
	for l.at = range l.lines {
		line := l.lines[l.at]
		if m := fabtestsName.FindStringSubmatch(line); m != nil && program == "" {
			program = m[1]
			l.facts.provider = ""
			if o := fabricProvider.FindStringSubmatch(line); o != nil {
				l.facts.provider = o[1]
			}
			if o := fabtestsRead.FindStringSubmatch(m[2]); o != nil {
				operation = o[1]
			}
			continue
		}
		words := strings.Fields(line)
		if m := fabtestsRow.FindStringSubmatch(line); m != nil {
			words = fabtestsPairs(m[1])
		} else if headed = headed || program != "" || fabtestsHead.MatchString(line); !headed {
			continue
		} else if len(words) == len(fabtestsColumns)+1 && fabtestsLabel.MatchString(words[0]) {
			words = words[1:]
		}
		if len(words) != len(fabtestsColumns) {
			continue
		}
		r, rounded := fabtestsValues(words)
		if rounded {
			if err := l.leaveOut("the size is printed rounded"); err != nil {
				return err
			}
			continue
		}
		if r != nil {
			rows, lines = append(rows, r), append(lines, l.at)
		}
	}
	bench := l.named(fabtestsBench(program, operation))
	if bench == "" && program == "" && len(rows) > 0 {
		if bench = fabtestsGuess(rows); bench != "" {
			l.warn("the log does not name the program of fabtests: it is taken for %s, by the number of transfers in an iteration (%v says otherwise)", bench, remedy.Named("bench"))
		}
	}
	for i, r := range rows {
		l.at = lines[i]
		if err := l.fabtestsPoint(bench, program, operation, r); err != nil {
			return err
		}
	}
	return nil
}

// fabtestsPairs returns the values of "xfer_size: 64, iterations: 1000, ..." in the order of the
// columns, nil if one is missing.
func fabtestsPairs(text string) []string {
	values := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(pair, ":")
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	var words []string
	for _, name := range fabtestsColumns {
		if values[name] == "" {
			return nil
		}
		words = append(words, values[name])
	}
	return words
}

// fabtestsValues returns the numbers of a row, nil if it is not one, and whether its size is
// rounded.
func fabtestsValues(words []string) (r row, rounded bool) {
	r = row{}
	for i, word := range words {
		name, factor := fabtestsColumns[i], 1.0
		switch name {
		case "xfer_size", "total":
			word, factor = unsuffixed(word, "kmg", 1024)
		case "iterations":
			word, factor = unsuffixed(word, "kmb", 1000)
		case "time":
			word = strings.TrimSuffix(word, "s")
		}
		x, ok := parse(word)
		if !ok {
			return nil, false
		}
		if name == "xfer_size" && factor > 1 && strings.Contains(word, ".") {
			return nil, true
		}
		r[name] = x.times(factor)
	}
	return r, false
}

// fabtestsGuess returns the benchmark of a table by its count of bytes: size x iterations x
// transfers. It is "" if the rows do not tell.
func fabtestsGuess(rows []row) string {
	for _, r := range rows {
		once := r["xfer_size"].x * r["iterations"].x
		if once <= 0 {
			continue
		}
		switch transfers := r["total"].x / once; {
		case math.Abs(transfers-2) < 0.25:
			return "pingpong"
		case math.Abs(transfers-1) < 0.25:
			return "uniband"
		}
	}
	return ""
}

// fabtestsPoint adds the point of a row.
func (l *log) fabtestsPoint(bench, program, operation string, r row) error {
	t, bandwidth := r["usec/xfer"].times(1e-6), r["MB/sec"].times(1e6)
	switch {
	case bench == "":
		return l.leaveOut("the log does not state a benchmark of fabtests that is known: name it with %v (fi_%s)", remedy.Named("bench"), cmp.Or(program, "?"))
	case t.x <= 0 && bandwidth.x <= 0:
		return l.leaveOut("the time is printed as 0.00")
	}
	p := l.point(bench, "unknown", "raw", 2)
	if strings.Contains(program, "tagged") {
		p.Level = "device"
	}
	if operation == "writedata" {
		p.Operation = operation
	}
	p.Size, p.Options = r.count("xfer_size"), chosen("provider", l.facts.provider)
	size := float64(p.Size)
	if strings.HasSuffix(bench, "pingpong") || strings.HasSuffix(bench, "_lat") {
		batch(&p, r.count("iterations"))
		p.Method = fmt.Sprintf("mean of %d round trips timed together, as fabtests prints it", p.Iterations)
		if bandwidth.x > 0 && size > 0 && bandwidth.relative() < t.relative() && t.agrees(bandwidth.over(size)) {
			t = bandwidth.over(size)
			p.Method += "; the time is computed from the bandwidth, which is printed with more digits"
		}
		if t.x <= 0 {
			return l.leaveOut("the time is printed as 0.00")
		}
		key := "half_rtt_s"
		if bench == "get_lat" {
			key = "t_s"
		}
		p.Metrics.Set(key, mean(t.x))
		rate(&p, key, p.Size)
		return l.add(p)
	}
	p.Iterations = max(1, r.count("iterations"))
	p.Method = fmt.Sprintf("mean of %d messages, as fabtests prints it", p.Iterations)
	if computed := t.over(size); t.x > 0 && size > 0 && computed.relative() < bandwidth.relative() {
		bandwidth = computed
		p.Method += "; the bandwidth is computed from the time of a message, which is printed with more digits"
	}
	rate := r["Mxfers/sec"].times(1e6)
	if t.x > 0 && t.relative() < rate.relative() {
		rate = t.over(1)
	}
	if !l.streamed(&p, bandwidth, rate) {
		return l.leaveOut("the bandwidth is printed as 0.00")
	}
	return l.add(p)
}
