package importer

import (
	"fmt"
	"slices"
	"strings"

	"gobench/internal/remedy"
	"gobench/record"
)

var imbFormat = format{
	name: "IMB", family: "mpi", version: imbVersion, tables: true, read: importIMB,
	banners: []pattern{imbTitle, match(`# Calling sequence was`), match(`# Benchmarking \S`)},
}

var (
	imbTitle     = match(`#\s+Intel ?\(R\) MPI Benchmark`)
	imbVersion   = match(`(?m)^#\s+Intel ?\(R\) MPI Benchmarks? (?:Suite )?V?([0-9][^,\r\n]*)`)
	imbBench     = match(`^# Benchmarking (\S+)`)
	imbProcesses = match(`^# #processes = (\d+)(?: \(threads: (\d+)\))?`)
	imbGroups    = match(`^# \(?\s*(\d+) groups? of (\d+) processes`)
	imbWindow    = match(`^# window_size = (\d+)|^# \( (\d+) messages? in flight`)
	imbElements  = match(`^# MPI_Datatype for reductions\s*:\s*MPI_(\w+)|^# MPI_Op\s*:\s*MPI_(\w+)`)
	// rows of sizes that IMB gave up
	imbUnmeasured = match(`\b((?:out-of-mem|time-out|int-overflow)\.;.*)$`)
	imbTogether   = match(`(?m)^#.* -sync (?:0|off|no|disable)\b`)
	imbDevice     = match(`(?m)^#\s+Intel ?\(R\) MPI Benchmark.*\(GPU\)|^# .*\bIMB-\w+-GPU\b`)
	imbAllocated  = match(`(?m)^# .* -mem_alloc_type[ =](\w+)`)
	imbNotWarm    = match(`(?m)^#.*-off_cache\b`)
)

// imbColumns lists the columns that are read.
var imbColumns = []string{
	"", "Group", "#bytes", "#repetitions", "t[usec]", "t_min[usec]", "t_max[usec]", "t_avg[usec]", "Mbytes/sec", "Msg/sec", "defects",
	"t_ovrl[usec]", "t_pure[usec]", "t_CPU[usec]", "overlap[%]",
}

// imbAlone is the first release of IMB that times each collective operation alone, with a barrier
// before the next (option -sync). Earlier releases time all repetitions together.
const imbAlone = 2019

// importIMB reads the blocks of the Intel MPI Benchmarks (User Guide, "Benchmark methodology"). t
// is half of a round trip in PingPong and one iteration otherwise. If there are several times,
// t_max, that of the slowest rank, is used.
func importIMB(l *log) error {
	text := strings.Join(l.lines, "\n")
	year, _, _ := strings.Cut(l.version, ".")
	year, _, _ = strings.Cut(year, " ") // "2019 Update 6"
	released := wholeOf(year)
	imb := imbLog{
		log: l, alone: released >= imbAlone && !imbTogether.MatchString(text), dated: l.version != "",
		warm: !imbNotWarm.MatchString(text), memory: imbMemory(text), window: 64,
	}
	if err := l.each(imb.line); err != nil {
		return err
	}
	return imb.flush()
}

// imbName returns the name of a benchmark without "Multi-", which runs it in several groups of
// ranks concurrently.
func imbName(name string) string { return strings.TrimPrefix(strings.ToLower(name), "multi-") }

// imbMemory returns the kind of memory of the buffers by the lines above the tables: "" for that of
// the process, which IMB without a GPU and the type cpu use.
func imbMemory(text string) string {
	if !imbDevice.MatchString(text) {
		return ""
	}
	kind := "device"
	if m := imbAllocated.FindStringSubmatch(text); m != nil {
		kind = strings.ToLower(m[1])
	}
	if kind == "cpu" {
		return ""
	}
	return kind
}

// imbLog is a log of IMB.
type imbLog struct {
	*log
	alone  bool   // each collective operation was timed alone
	dated  bool   // the release is known
	warm   bool   // buffers are reused concurrently (no -off_cache)
	memory string // kind of the buffers' memory, "" = of the process
	window int

	datatype, reduction string // of reductions
	completed           string // what completes one-sided operations: "MPI_Win_flush"

	// of the current table
	bench         string
	ranks, groups int
	threads       int  // of each rank, of IMB-MT
	aggregate     bool // one-sided operations are completed together
	names         []string
	slowest       []imbRow // with -multi 1: the row of the slowest group for each size
}

// imbRow is a row of a table, and the index of its line.
type imbRow struct {
	row
	at int
}

func (l *imbLog) line(line string) error {
	if m := imbBench.FindStringSubmatch(line); m != nil {
		if err := l.flush(); err != nil {
			return err
		}
		l.bench, l.ranks, l.groups, l.threads, l.names, l.aggregate = imbName(m[1]), 0, 0, 0, nil, false
		l.table++
		return nil
	}
	if m := imbProcesses.FindStringSubmatch(line); m != nil {
		l.ranks = wholeOf(m[1])
		if m[2] != "" {
			l.threads = wholeOf(m[2])
			l.bench = strings.TrimSuffix(l.bench, "mt")
		}
		return nil
	}
	if strings.HasPrefix(line, "# All processes entering MPI_Finalize") {
		l.names = nil // rows below are of other programs
		return nil
	}
	if imbTitle.MatchString(line) {
		l.completed = imbCompletion(line)
		return nil
	}
	if m := imbMode.FindStringSubmatch(line); m != nil {
		l.aggregate = m[1] == ""
		return nil
	}
	if l.scan(imbGroups, line, &l.groups, &l.ranks) {
		return nil
	}
	if m := imbWindow.FindStringSubmatch(line); m != nil {
		l.window = wholeOf(m[1] + m[2])
		return nil
	}
	if m := imbElements.FindStringSubmatch(line); m != nil {
		if m[1] != "" {
			l.datatype = strings.ToLower(m[1])
		} else {
			l.reduction = strings.ToLower(m[2])
		}
		return nil
	}
	words := strings.Fields(line)
	if slices.Contains(words, "#repetitions") {
		l.names = words
		l.names[0] = strings.TrimPrefix(l.names[0], "#Group")
		return nil
	}
	if l.names == nil || l.bench == "" || len(words) == 0 {
		return nil
	}
	if m := imbUnmeasured.FindStringSubmatch(line); m != nil {
		return l.skip(fmt.Sprintf("IMB did not measure it: %s", m[1]))
	}
	values, ok := parseAll(words)
	if !ok {
		return l.oddRow(words)
	}
	r, ok := rowOf(l.names, values)
	if !ok {
		return l.shortRow(len(values), len(l.names))
	}
	if l.ranks == 0 && l.given.Ranks == 0 {
		return l.leaveOut("%s does not state the number of processes: add %v", l.bench, remedy.Named("np"))
	}
	if r.value("defects") != 0 {
		return l.skip("its data were wrong")
	}
	if l.names[0] == "Group" || l.names[0] == "" {
		l.keepSlowest(r)
		return nil
	}
	return l.row(r)
}

// keepSlowest keeps a row of -multi 1, which prints the groups that run concurrently apart, if its
// group is the slowest of its size.
func (l *imbLog) keepSlowest(r row) {
	l.warn("of the groups that IMB prints apart (-multi 1) the slowest counts")
	time := func(r row) float64 {
		t, _ := r.first("t_max[usec]", "t[usec]")
		if t.x == 0 {
			return -r.value("Mbytes/sec")
		}
		return t.x
	}
	for i := range l.slowest {
		if known := &l.slowest[i]; known.value("#bytes") == r.value("#bytes") {
			if time(r) > time(known.row) {
				*known = imbRow{r, l.at}
			}
			return
		}
	}
	l.slowest = append(l.slowest, imbRow{r, l.at})
}

// flush adds the rows of the slowest groups.
func (l *imbLog) flush() error {
	at := l.at
	defer func() { l.at = at }()
	for _, r := range l.slowest {
		l.at = r.at
		if err := l.row(r.row); err != nil {
			return err
		}
	}
	l.slowest = nil
	return nil
}

// row adds the point of a row.
func (l *imbLog) row(r row) error {
	bench := l.bench
	p := l.point(bench, "unknown", "comm", l.ranks)
	if l.groups != 1 {
		p.Groups = l.groups
	}
	if p.MemoryKind = l.memory; l.memory == "" {
		if p.Memory = "heap"; l.warm {
			p.Cache = "warm"
		}
	}
	// IMB-MT prints the bytes of all threads of a rank.
	p.Size, p.Threads = r.count("#bytes"), l.threads
	threads := int64(max(1, l.threads))
	if p.Size%threads != 0 {
		return l.leaveOut("the size is no multiple of the number of threads")
	}
	p.Size /= threads
	batch(&p, r.count("#repetitions"))
	t, timed := r.first("t_max[usec]", "t[usec]")
	if t = t.times(1e-6); timed && t.x <= 0 {
		return l.skip("the time is printed as 0.00")
	}
	p.Method = fmt.Sprintf("mean of %d repetitions timed together, as %s prints it", p.Iterations, l.writer())
	switch bench {
	case "pingpong", "pingpongspecificsource", "pingponganysource":
		l.finest(&p, "half_rtt_s", threads, t, r)
	case "pingping", "pingpingspecificsource", "pingpinganysource":
		l.finest(&p, "t_s", threads, t, r)
	case "sendrecv":
		l.finest(&p, "t_s", 2*threads, t, r)
	case "exchange":
		l.finest(&p, "t_s", 4*threads, t, r)
	case "uniband", "biband":
		p.Window = l.window
		if !l.streamed(&p, r["Mbytes/sec"].times(1e6), r["Msg/sec"]) {
			return l.skip("the bandwidth is printed as 0.00")
		}
	default:
		// IMB-NBC: Ibcast overlaps, Ibcast_pure does not.
		name, blocking := strings.CutPrefix(strings.TrimSuffix(bench, "_pure"), "i")
		if _, remote := imbRemote[bench]; remote {
			if !l.remote(&p, t, timed, r) {
				return l.leaveOut("%s has no column of times that is known", bench)
			}
			break
		}
		if !collectives[bench] && !(blocking && collectives[name]) {
			return l.unknown(bench + " of IMB")
		}
		switch {
		case bench == "barrier": // always timed together
			p.Start = "none"
		case !l.dated || l.threads > 0:
			p.Batched = 0
			p.Method = fmt.Sprintf("mean of %d repetitions, as %s prints it", p.Iterations, l.writer())
		case l.alone:
			p.Start, p.Batched = "barrier", 0
			p.Method = fmt.Sprintf("mean of %d repetitions, each timed alone, as %s prints it", p.Iterations, l.writer())
		default:
			p.Start = "none"
		}
		evenly(&p)
		if reductions[strings.TrimSuffix(name, "_pure")] {
			p.Datatype, p.Reduction = l.datatype, l.reduction
		}
		if overlapped, ok := r["t_ovrl[usec]"]; ok {
			overlap(&p, overlapped, r["t_pure[usec]"], r["t_CPU[usec]"], r["overlap[%]"])
			break
		}
		key := "local_s"
		if p.Bench = strings.TrimSuffix(bench, "_pure"); p.Bench != bench { // another measurement of what Ibcast prints beside others
			key, p.Options = "pure_s", chosen("computation", "none")
		}
		if timed {
			p.Metrics.Set(key, mean(t.x))
		}
		if _, several := r["t_max[usec]"]; several {
			p.Method += "; of the slowest rank"
		}
	}
	if p.Metrics.Len() == 0 {
		return l.leaveOut("%s has no column of times that is known", bench)
	}
	if p.Groups == 0 && timed {
		overRanks(&p, r["t_min[usec]"], r["t_avg[usec]"])
	}
	if unread := unreadColumns(l.names, imbColumns); unread != "" {
		l.warn("columns of IMB that are not known here are left out: %s", unread)
	}
	return l.add(p)
}

// finest adds time and bandwidth, whose product is messages x size, to a point. IMB prints both
// with two decimals: the one with the smaller relative error is used, and the other is computed
// from it. If the value is not one that the other column allows, both are taken from the middle of
// what both allow. A MB has 10^6 bytes; in old releases it had 2^20.
func (l *imbLog) finest(p *record.Point, key string, messages int64, t number, r row) {
	amount := float64(messages * p.Size)
	printed, rated := r["Mbytes/sec"]
	if t.x <= 0 {
		return // there is no column of times
	}
	p.Metrics.Set(key, mean(t.x))
	rate(p, key, messages*p.Size)
	if !rated || amount <= 0 || printed.x <= 0 {
		return
	}
	for _, unit := range []float64{1e6, 1 << 20} {
		bandwidth := printed.times(unit)
		// What the digits of both allow.
		smallest, largest := max(t.x-t.half, amount/(bandwidth.x+bandwidth.half)), t.x+t.half
		if bandwidth.x > bandwidth.half {
			largest = min(largest, amount/(bandwidth.x-bandwidth.half))
		}
		if smallest > largest*(1+1e-9) {
			continue
		}
		if unit != 1e6 {
			l.warn("a MB of this release of IMB has 2^20 bytes")
		}
		byRate := bandwidth.over(amount)
		switch {
		case byRate.relative() < t.relative() && t.allows(byRate.x):
			p.Metrics.Set(key, mean(byRate.x))
			p.Metrics.Set("bandwidth_Bps", mean(bandwidth.x))
			l.warn("times are computed from the bandwidth where that is printed with more digits")
			p.Method += "; the time is computed from the bandwidth, which is printed with more digits"
		case byRate.relative() >= t.relative() && bandwidth.allows(amount/t.x):
			p.Method += "; the bandwidth is computed from the time, which is printed with more digits"
		default:
			p.Metrics.Set(key, mean((smallest+largest)/2))
			rate(p, key, messages*p.Size)
			p.Method += "; time and bandwidth are in the middle of what the digits of both allow"
		}
		return
	}
	l.warn("the bandwidth of %s is computed from its time: the bandwidth in the log does not match it", p.Bench)
}
