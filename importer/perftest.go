package importer

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"gobench/internal/remedy"
	"gobench/record"
)

var perftestFormat = format{
	name: "perftest", read: importPerftest, object: isPerftestJSON,
	banners: []pattern{
		match(`(?:Send(?:_\w+)?|RDMA_\w+|Atomic\S*|Raw\S*)(?: [\w-]+)*? (?:Latency|BW)(?: \w+)? Test`),
		match(`#bytes +#iterations `), // of a table without its title, as people quote it
	},
}

var (
	// "Send Bidirectional Post List BW Multicast Test", "RDMA_Write_imm BW Test"
	perftestTitle   = match(`^(Send(?:_\w+)?|RDMA_\w+|Atomic\S*|Raw\S*)((?: [\w-]+)*?) (Latency|BW)(?: \w+)? Test`)
	perftestCommand = match(`(?:^|[\s/])ib_(send|write|read|atomic)_(lat|bw)((?:\s.*)?)$`)
	perftestBoth    = match(`\s(?:-b|--bidirectional)(?:\s|$)`)
)

// perftestTitles maps the names of programs to the operations in their titles.
var perftestTitles = map[string]string{"send": "Send", "write": "RDMA_Write", "read": "RDMA_Read", "atomic": "Atomic"}

// perftestFacts are lines above the table: "Number of qps   : 8    Transport type : IB".
var perftestFacts = struct{ qps, service, depth, mtu, atomic pattern }{
	qps:     match(`\bNumber of qps\s*:\s*(\d+)`),
	service: match(`\bConnection type\s*:\s*(\w+)`),
	depth:   match(`\bTX depth\s*:\s*(\d+)`),
	mtu:     match(`\bMtu\s*:\s*(\d+)\[?B`),
	atomic:  match(`(?i)(?:\b|_)(fetch_and_add|cmp_and_swap)\b`),
}

// perftest is the state of the reader of perftest.
type perftest struct {
	*log
	operation string // "RDMA_Write"
	kind      string // "Latency" or "BW"
	atomic    string // "fadd" or "cswap", "" if the log does not state it
	both      bool   // messages flow in both directions
	names     []string
	printed   map[string]bool // sizes and service levels of the rows of the table
	facts     record.Point    // of the lines above the table
}

// importPerftest reads the tables of perftest. t_typical is the median. The times of send and write
// are half of a round trip; those of read and atomics are of one operation. The benchmarks
// correspond to those of gobench with these operations: pingpong and uniband (send), put_lat and
// put_bw (write), get_lat and get_bw (read). The command names that of a table without its title. A
// row whose size was printed before is of the next interval of --run_infinitely, a measurement of
// its own. A MB of perftest has 2^20 bytes; with --report_gbits it prints 10^9 bits.
func importPerftest(l *log) error {
	if l.doc != nil {
		return importPerftestJSON(l)
	}
	t := perftest{log: l}
	return l.each(t.line)
}

func (t *perftest) line(line string) error {
	if m := perftestTitle.FindStringSubmatch(line); m != nil {
		t.operation, t.both, t.kind, t.names = m[1], strings.Contains(m[2], "Bidirectional"), m[3], nil
	}
	if strings.HasPrefix(line, "#bytes") {
		if t.operation == "" {
			t.asked(line)
		}
		t.names, t.printed = perftestColumns(line), map[string]bool{}
		return nil
	}
	if t.names == nil {
		t.observe(line)
		return nil
	}
	values, ok := numbers(line)
	switch {
	case line == "" || t.operation == "" && !ok:
		return nil
	case t.operation == "":
		return t.leaveOut("the test is not stated: neither the title of perftest nor its command is in the log; name it with %v", remedy.Named("bench"))
	}
	if !ok {
		return t.oddRow(strings.Fields(line))
	}
	r, ok := rowOf(t.names, values)
	if !ok {
		return t.shortRow(len(values), len(t.names))
	}
	level := ""
	if x, ok := r["#sl"]; ok {
		level = strconv.FormatFloat(x.x, 'f', -1, 64)
	}
	key := fmt.Sprint(r.count("#bytes"), " ", level)
	if t.printed[key] {
		t.table++
		clear(t.printed)
	}
	t.printed[key] = true
	return t.row(r, chosen("sl", level))
}

// asked sets the test of a table without a title: by its columns and by the command of the program,
// or by Given.
func (t *perftest) asked(heading string) {
	t.kind = "BW"
	if strings.Contains(heading, "t_") {
		t.kind = "Latency"
	}
	given := strings.ToLower(t.given.Bench)
	switch stem, _, _ := strings.Cut(given, "_"); {
	case t.log.facts.perftest.operation != "":
		t.operation, t.both = t.log.facts.perftest.operation, t.log.facts.perftest.both
	case given == "":
	case stem == "put" || stem == "get":
		t.operation, t.both = map[string]string{"put": "RDMA_Write", "get": "RDMA_Read"}[stem], strings.HasSuffix(given, "_bibw")
	case streams(given) == (t.kind == "BW"):
		t.operation, t.both = "Send", given == "biband"
	}
}

// row adds the point of a row.
func (t *perftest) row(r row, options map[string]string) error {
	p := t.point("", "ibv", "raw", 2)
	p.Size, p.Iterations, p.Options = r.count("#bytes"), r.count("#iterations"), options
	p.Operation = strings.ToLower(strings.ReplaceAll(t.operation, "_", "-"))
	p.QPs, p.Service, p.MTU = t.facts.QPs, t.facts.Service, t.facts.MTU
	p.MemoryKind = t.log.facts.accelerator
	known := false
	if t.kind == "Latency" {
		known = t.time(&p, r)
	} else {
		p.Window = t.facts.Window
		known = t.rate(&p, r)
	}
	t.named(p.Bench)
	switch {
	case !known:
		return t.leaveOut("there is no column of a time or a bandwidth that is known")
	case p.Metrics.Len() == 0:
		t.log.omit("no value is above 0", t.number())
		return nil
	}
	return t.add(p)
}

// streams reports whether a benchmark of this name measures a bandwidth.
func streams(bench string) bool {
	return strings.HasSuffix(bench, "bw") || strings.HasSuffix(bench, "band") || bench == "msgrate"
}

// observe evaluates a line above the table.
func (t *perftest) observe(line string) {
	t.log.facts.setMemory(line)
	t.log.scan(perftestFacts.qps, line, &t.facts.QPs)
	t.log.scan(perftestFacts.depth, line, &t.facts.Window)
	t.log.scan(perftestFacts.mtu, line, &t.facts.MTU)
	t.log.scan(perftestFacts.service, line, &t.facts.Service)
	atomic := ""
	t.log.scan(perftestFacts.atomic, line, &atomic)
	switch strings.ToLower(atomic) {
	case "fetch_and_add":
		t.atomic = "fadd"
	case "cmp_and_swap":
		t.atomic = "cswap"
	}
}

// perftestColumns returns the names of the columns of a heading. Spaces in names are replaced.
func perftestColumns(line string) []string {
	line = strings.NewReplacer("BW peak", "BW_peak", "BW average", "BW_average", "BW Port", "BW_Port", "MsgRate Port", "MsgRate_Port", "% percentile", "%_percentile", "tps average", "tps_average").Replace(line)
	return strings.Fields(line)
}

// stem returns the beginning of the names of gobench's benchmarks of an operation: "put", or "" for
// messages that are sent.
func (t *perftest) stem() string {
	switch operation := strings.ToLower(t.operation); {
	case strings.HasPrefix(operation, "rdma_write"):
		return "put"
	case strings.HasPrefix(operation, "rdma_read"):
		return "get"
	case strings.HasPrefix(operation, "atomic"):
		return cmp.Or(t.atomic, "atomic")
	}
	return ""
}

// time adds the time of a row. It returns false if no column of a time is known.
func (t *perftest) time(p *record.Point, r row) bool {
	key := "t_s" // of one operation
	switch p.Bench = t.stem(); p.Bench {
	case "":
		p.Bench, key = "pingpong", "half_rtt_s"
	case "put":
		p.Bench, key = "put_lat", "half_rtt_s"
	default:
		p.Bench += "_lat"
	}
	typical, timed := r.first("t_typical[usec]")
	if !timed {
		average, timed := r.first("t_avg[usec]")
		if !timed {
			return false
		}
		if average.x > 0 {
			p.Metrics.Set(key, mean(average.x*1e-6))
		}
		p.Method = fmt.Sprintf("mean of %d iterations timed together, as perftest prints it", p.Iterations)
		p.Batched = int(p.Iterations)
		return true
	}
	v := record.Value{
		Median: typical.x * 1e-6, N: int(p.Iterations),
		Mean: r.value("t_avg[usec]") * 1e-6, Min: r.value("t_min[usec]") * 1e-6, Max: r.value("t_max[usec]") * 1e-6,
	}
	p.Method = fmt.Sprintf("median of %d iterations, as perftest prints it (t_typical)", p.Iterations)
	if v.N >= 100 {
		v.P99 = r.value("99%_percentile[usec]") * 1e-6
	}
	if v.N >= 1000 {
		v.P999 = r.value("99.9%_percentile[usec]") * 1e-6
	}
	if v.Median > 0 {
		p.Metrics.Set(key, v)
	}
	return true
}

// rate adds the bandwidth of a row. It returns false if no column of a bandwidth is known.
func (t *perftest) rate(p *record.Point, r row) (known bool) {
	both := map[bool]string{false: "_bw", true: "_bibw"}
	if p.Bench = t.stem(); p.Bench != "" {
		p.Bench += both[t.both]
	} else if p.Bench = "uniband"; t.both {
		p.Bench = "biband"
	}
	p.Method = fmt.Sprintf("mean of %d iterations, as perftest prints it", p.Iterations)
	var bandwidth number
	for name, unit := range map[string]float64{"BW_average[MB/sec]": 1 << 20, "BW_average[MiB/sec]": 1 << 20, "BW_average[Gb/sec]": 1e9 / 8} {
		if x, ok := r[name]; ok {
			bandwidth, known = x.times(unit), true
		}
	}
	messages, rated := r["MsgRate[Mpps]"]
	t.streamed(p, bandwidth, messages.times(1e6))
	return known || rated
}
