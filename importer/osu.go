package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gobench/internal/remedy"
	"gobench/record"
)

var osuFormat = format{
	name: "OSU", family: "mpi", version: osuVersion, read: importOSU,
	banners: []pattern{match(osuBegin)},
}

// osuBegin matches a title: "# OSU MPI-CUDA Broadcast Latency Test v7.4", or "(Version 2.1)" of old
// releases. OMB-Py is its version for Python. Scripts add more to it, such as the name of the host.
const osuBegin = `# (?:OSU|OMB-Py) (.*?) Test(?:[\s,;:].*)?$`

// osuTitle matches the title of a test. The accelerator's library follows MPI, the name of a
// function, or that of a library beside MPI.
var (
	osuTitle    = match(`^` + osuBegin)
	osuVersion  = match(`^# (?:OSU|OMB-Py) .*? Test (?:v|\(Version )([^\s),;:]+)`)
	osuDevice   = match(`-(CUDA|OPENACC|ROCM|MANAGED|CXL)( MANAGED)?\b`)
	osuBuffers  = match(`^# (?:Send Buffer|Rank 0 Memory) on (\w+) .*\b(?:Receive Buffer|Rank 1 Memory) on (\w+) `)
	osuLibrary  = match(`^(NCCL|RCCL|XCCL\S*)\b ?`)
	osuType     = match(`^# Datatype: (\w+)`)
	osuSync     = match(`^# Synchronization: (\S+)`)
	osuCreation = match(`^# Window creation: (\S+)`)
	osuWindow   = match(`window size: (\d+)`)
	osuPairs    = match(`pairs: (\d+)`)
	osuVaried   = match(`^#\s*(?:Size)?((?:\s+\d+)+)$`)
	osuTailPart = match(`^P\d+ Tail`)
)

// osuTest holds the facts about a table of an OSU log.
type osuTest struct {
	said    string // the title as printed
	title   string // without MPI, the accelerator and Test, in small letters: "latency", "mpi_put bandwidth"
	memory  string // kinds of the buffers' memory, "" = host
	device  string // the accelerator of the title: "cuda"
	sync    string // of one-sided operations: "MPI_Win_flush"
	created string // of one-sided operations, their memory: "MPI_Win_allocate"
	data    string // "char"
	window  int    // 0 = not stated
	pairs   int
	sides   map[string]string // threads or processes of "sender" and "receiver"
	names   []string          // of the columns
	windows []int             // of the columns of a table of several windows
	rates   bool              // whose columns are message rates
	apart   bool              // other text follows the heading
	last    float64           // size of the last row, below 0 if there is none

	waits   func(counts bool) error // reads a row that does not follow, or leaves it out; nil = none
	waiting float64                 // its size
}

// importOSU reads the table of a program of the OSU Micro-Benchmarks, releases 3 to 7: a title, a
// heading of columns, and rows. A MB is 10^6 bytes. For collectives, the time of the slowest rank
// is used if it is printed (-f), else the mean over ranks.
//
// A table has no end, and lines of other programs may have as many numbers as a row. MPI prints
// warnings between rows, so that other text does not end a table, but behind it a row counts only
// if its size goes on as those of OSU do, which double: it is larger than the last one, at most
// four times as large, in case a row was lost, and at most 8 after 0 and 1. A larger one, as after
// several lost rows, waits for the next row: both count if that goes on from it. The first row
// waits too, and counts unless the next one is not larger.
func importOSU(l *log) error {
	test := osuTest{pairs: 1}
	if l.facts.osu != nil {
		test.window = l.facts.osu.window
	}
	err := l.each(func(line string) error {
		if m := osuTitle.FindStringSubmatch(line); m != nil {
			l.refused = cmp.Or(l.refused, test.settle(test.last < 0))
			test.said, test.title = m[1], osuName(m[1])
			test.memory, test.device = osuMemory(m[1])
			if m := osuLibrary.FindStringSubmatch(osuDevice.ReplaceAllString(m[1], "")); m != nil {
				l.family, l.measured = "nccl", m[1]
			}
			return nil
		}
		if strings.HasPrefix(line, "#") || osuHeading(line) {
			test.apart = true
			test.observe(l, line)
			return nil
		}
		return l.osuLine(&test, strings.Fields(line))
	})
	return cmp.Or(err, test.settle(test.last < 0))
}

// osuHeading reports whether a line without # is a heading: osu_ibarrier of release 5 prints none.
func osuHeading(line string) bool {
	return strings.Contains(line, "(us)") && !strings.ContainsAny(line[:1], "0123456789")
}

// osuMemory returns the kinds of memory that a title states, and the accelerator's library.
func osuMemory(title string) (memory, device string) {
	m := osuDevice.FindStringSubmatch(title)
	if m == nil {
		return "", ""
	}
	device = strings.ToLower(m[1])
	kind := strings.ToLower(m[1] + strings.ReplaceAll(m[2], " ", "-"))
	return kind + " to " + kind, device
}

// observe evaluates a line above the rows.
func (t *osuTest) observe(l *log, line string) {
	l.scan(osuWindow, line, &t.window)
	l.scan(osuPairs, line, &t.pairs)
	l.scan(osuSync, line, &t.sync)
	l.scan(osuCreation, line, &t.created)
	if m := osuSide.FindStringSubmatch(line); m != nil {
		if t.sides == nil {
			t.sides = map[string]string{}
		}
		t.sides[strings.ToLower(m[1])] = m[2]
	}
	if m := osuType.FindStringSubmatch(line); m != nil {
		t.data = strings.ToLower(strings.TrimPrefix(m[1], "MPI_"))
	}
	if m := osuBuffers.FindStringSubmatch(line); m != nil {
		t.memory = t.kind(m[1]) + " to " + t.kind(m[2])
		if t.memory == "host to host" {
			t.memory = ""
		}
	}
	switch m := osuVaried.FindStringSubmatch(line); {
	case m != nil:
		t.begin(l)
		for _, word := range strings.Fields(m[1]) {
			t.windows = append(t.windows, wholeOf(word))
		}
	case strings.Contains(line, "Message Rate Profile"):
		t.begin(l)
		t.rates = true
	case strings.Contains(line, "(us)") || strings.Contains(line, "MB/s"):
		t.begin(l)
		t.rates, t.names = false, columns(line)
		t.names[0] = strings.TrimSuffix(t.names[0], " (B)") // of OMB-Py
	}
}

// begin begins the heading of a table.
func (t *osuTest) begin(l *log) {
	l.refused = cmp.Or(l.refused, t.settle(t.last < 0))
	t.names, t.windows, t.apart, t.last = nil, nil, false, -1
}

// osuGoesOn reports whether a size is the next one of a table after last.
func osuGoesOn(last, size float64) bool { return last >= 0 && size > last && size <= 4*max(last, 2) }

// settle ends the wait of a row, which counts or is left out.
func (t *osuTest) settle(counts bool) error {
	waits := t.waits
	if t.waits = nil; waits == nil {
		return nil
	}
	return waits(counts)
}

// row reads a row of a size, below 0 for none, or lets it wait.
func (t *osuTest) row(l *log, size float64, read func() error) error {
	if !t.apart || size < 0 || osuGoesOn(t.last, size) {
		t.last = size
		return cmp.Or(t.settle(false), read())
	}
	follows := t.waits != nil && osuGoesOn(t.waiting, size)
	counts := follows || t.last < 0 && size > t.waiting
	if counts && t.waits != nil {
		t.last = t.waiting
	}
	err := t.settle(counts)
	if follows {
		t.last = size
		return cmp.Or(err, read())
	}
	at := l.at
	t.waiting, t.waits = size, func(counts bool) error {
		now := l.at
		defer func() { l.at = now }()
		if l.at = at; counts {
			return read()
		}
		return l.leaveOut("other text precedes it, and its size does not follow those of the table")
	}
	if size <= t.last {
		err = cmp.Or(err, t.settle(false))
	}
	return err
}

// kind returns the kind of memory of a buffer that OSU calls HOST, DEVICE or MANAGED.
func (t *osuTest) kind(side string) string {
	switch side {
	case "HOST":
		return "host"
	case "DEVICE":
		if t.device != "" {
			return t.device
		}
		return "device"
	}
	return strings.TrimPrefix(t.device+"-"+strings.ToLower(side), "-")
}

// osuLine reads a line below a heading.
func (l *log) osuLine(test *osuTest, words []string) error {
	if test.names == nil && test.windows == nil || len(words) == 0 {
		return nil
	}
	checked := ""
	names := test.names
	if i := slices.Index(names, "Validation"); i >= 0 && len(words) == len(names) {
		checked = words[i]
		names, words = slices.Delete(slices.Clone(names), i, i+1), slices.Delete(words, i, i+1)
	}
	first, begins := parse(ungrouped(words[0])[0])
	if test.windows == nil && names[0] != "Size" { // of a barrier
		first.x = -1
	}
	values, ok := parseAll(words)
	if !ok {
		if test.apart = test.apart || !begins; !test.apart || osuGoesOn(test.last, first.x) {
			test.last = first.x
		}
		return l.oddRow(words)
	}
	return test.row(l, first.x, func() error { return l.osuValues(test, names, values, checked) })
}

// osuValues reads a row that counts, whose data were checked, "" = not.
func (l *log) osuValues(test *osuTest, names []string, values []number, checked string) error {
	if strings.EqualFold(checked, "fail") {
		return l.skip("its data were wrong")
	}
	if test.windows != nil {
		return l.osuVariedRow(test, values)
	}
	r, ok := rowOf(names, values)
	if !ok {
		return l.shortRow(len(values), len(names))
	}
	if slices.ContainsFunc(names, osuTailPart.MatchString) {
		l.warn("the percentiles of OSU's option -z are left out: records have none beside a mean")
	}
	return l.osuRow(test, r)
}

// osuVariedRow reads a row of osu_mbw_mr with several windows: the size, and for each window the
// bandwidth, or in a second table the message rate.
func (l *log) osuVariedRow(test *osuTest, values []number) error {
	if len(values) != 1+len(test.windows) {
		return l.shortRow(len(values), 1+len(test.windows))
	}
	for i, window := range test.windows {
		one := *test
		one.window = window
		r := row{"Size": values[0]}
		if !test.rates {
			r["MB/s"] = values[1+i]
		} else if known := slices.IndexFunc(l.points, func(p record.Point) bool { return p.Window == window && p.Size == r.count("Size") }); known >= 0 {
			if values[1+i].x > 0 {
				l.points[known].Metrics.Set("message_rate_per_s", mean(values[1+i].x))
			}
			continue
		} else {
			r["Messages/s"] = values[1+i]
		}
		if err := l.osuRow(&one, r); err != nil {
			return err
		}
	}
	return nil
}

// osuName returns a title in lower case without MPI or another library, and the accelerator.
func osuName(title string) string {
	title = osuLibrary.ReplaceAllString(osuDevice.ReplaceAllString(title, ""), "")
	return strings.ToLower(strings.TrimPrefix(title, "MPI "))
}

// osuOperations maps titles that differ from MPI's names of operations to these names.
var osuOperations = map[string]string{
	"broadcast":                         "bcast",
	"all-to-all":                        "alltoall",
	"all-to-allv":                       "alltoallv",
	"all-to-allw":                       "alltoallw",
	"all-to-all personalized exchange":  "alltoall",
	"all-to-allv personalized exchange": "alltoallv",
	"all-to-allw personalized exchange": "alltoallw",
}

// osuCollective returns the operation of a title such as "broadcast latency", "mpi_bcast latency"
// or "non-blocking allreduce latency", which is iallreduce.
func osuCollective(title string) (name string, ok bool) {
	name, ok = strings.CutSuffix(title, " latency")
	if !ok {
		return "", false
	}
	name, nonblocking := strings.CutPrefix(strings.TrimPrefix(name, "mpi_"), "non-blocking ")
	name, neighbors := strings.CutPrefix(name, "neighborhood ")
	if mpi, ok := osuOperations[name]; ok {
		name = mpi
	}
	if neighbors {
		name = "neighbor_" + name
	}
	if !collectives[name] {
		return "", false
	}
	if nonblocking {
		name = "i" + name
	}
	return name, true
}

func (l *log) osuRow(test *osuTest, r row) error {
	p := l.point("", "unknown", "comm", 2*test.pairs)
	p.Size, p.Datatype, p.MemoryKind = r.count("Size"), test.data, test.memory
	if test.memory == "" {
		p.Cache, p.Memory = "warm", "heap"
	}
	p.Method = "mean over all iterations"
	if n := r.count("Iterations"); n > 0 {
		p.Iterations, p.Method = n, fmt.Sprintf("mean over %d iterations", n)
	}
	p.Method += fmt.Sprintf(", as %s prints it", l.writer())
	t, timed := r.first("Max Latency(us)", "Latency (us)", "Avg Latency(us)", "Avg Lat(us)")
	if t = t.times(1e-6); timed && t.x <= 0 {
		return l.skip("the time is printed as 0.00")
	}
	moved := p.Size
	if _, derived := r["Transmit Size"]; derived { // -D: a message has gaps, which Size contains
		if test.title != "latency" {
			return l.leaveOut("OSU's %s test of derived datatypes (-D) is not known here", test.said)
		}
		moved, p.Options = r.count("Transmit Size"), chosen("ddt", "on")
	}
	title, persistent := strings.CutSuffix(test.title, " persistent")
	switch title {
	case "latency", "multi latency", "multi-pair latency":
		p.Bench = "pingpong"
		if persistent {
			p.Bench = "persistent"
		}
		p.Metrics.Set("half_rtt_s", mean(t.x))
		pairs := 1
		if title != "latency" {
			if p.Ranks = l.osuRanks(); p.Ranks == 0 {
				return l.leaveOut("OSU does not state the number of ranks of %s: add %v", test.said, remedy.Named("np"))
			}
			pairs = max(1, p.Ranks/2)
		}
		rate(&p, "half_rtt_s", int64(pairs)*moved)
		return l.osuTimed(p, test, timed)
	case "bandwidth", "bi-directional bandwidth", "multiple bandwidth / message rate":
		p.Bench = "uniband"
		if strings.HasPrefix(title, "bi") {
			p.Bench = "biband"
		}
		if persistent {
			p.Bench = "persistent_" + p.Bench
		}
		return l.osuStream(p, test, r)
	}
	if bench := osuSides[test.title]; bench != "" {
		if p.Bench, p.Options = bench, test.sides; bench == "pingpong_mt" && test.sides["sender"] == "1" {
			if n := wholeOf(test.sides["receiver"]); n > 0 {
				p.Bench, p.Threads, p.Options = "pingpong_turns", n, nil
			}
		}
		p.Metrics.Set("half_rtt_s", mean(t.x))
		rate(&p, "half_rtt_s", p.Size)
		return l.osuTimed(p, test, timed)
	}
	if operation, ok := strings.CutPrefix(test.title, "mpi_"); ok && test.sync != "" {
		return l.osuOneSided(p, test, operation, t, timed, r)
	}
	operation, known := osuCollective(test.title)
	if !known {
		return l.osuUnknown(test)
	}
	if p.Ranks = l.osuRanks(); p.Ranks == 0 {
		return l.leaveOut("OSU does not state the number of ranks of %s: add %v", operation, remedy.Named("np"))
	}
	p.Bench = operation
	evenly(&p)
	if p.Start = "barrier"; operation == "barrier" { // each operation is timed alone
		p.Start = "none"
	}
	if overall, ok := r["Overall(us)"]; ok {
		p.Method += "; mean over ranks"
		overlap(&p, overall, r["Pure Comm.(us)"], r["Compute(us)"], r["Overlap(%)"])
		for key, v := range p.Metrics.All() {
			v.Statistic = record.RankMean
			p.Metrics.Set(key, v)
		}
		return l.add(p)
	}
	p.Metrics.Set("local_s", mean(t.x))
	if _, slowest := r["Max Latency(us)"]; slowest {
		p.Method += "; of the slowest rank"
		overRanks(&p, r["Min Latency(us)"], r["Avg Latency(us)"])
	} else {
		p.Method += "; mean over ranks"
		p.Metrics.Set("local_s", record.Value{Median: t.x, N: 1, Statistic: record.RankMean})
		l.warn("of collectives the mean over ranks is printed, not the slowest rank: osu_... -f prints both")
	}
	return l.osuTimed(p, test, timed)
}

func (l *log) osuUnknown(test *osuTest) error {
	return l.unknown("OSU's " + test.said + " test")
}

// osuTimed adds a point with a time. If there is none, it leaves out the row.
func (l *log) osuTimed(p record.Point, test *osuTest, timed bool) error {
	if !timed {
		return l.leaveOut("OSU's %s test has no column of times that is known", test.said)
	}
	return l.add(p)
}

// osuStream adds a point with a bandwidth.
func (l *log) osuStream(p record.Point, test *osuTest, r row) error {
	bandwidth, known := r.first("Bandwidth (MB/s)", "Bi-Bandwidth (MB/s)", "MB/s")
	if _, rated := r["Messages/s"]; !known && !rated {
		return l.leaveOut("OSU's %s test has no column of a bandwidth that is known", test.said)
	}
	p.Window = test.window
	if !l.streamed(&p, bandwidth.times(1e6), r["Messages/s"]) {
		return l.skip("the bandwidth is printed as 0.00")
	}
	return l.add(p)
}

// osuOneSided adds a point of one-sided communication: the time of an operation until it is
// complete at the target. With post-start-complete-wait it is half of the time of a put in each
// direction.
func (l *log) osuOneSided(p record.Point, test *osuTest, operation string, t number, timed bool, r row) error {
	p.Method += "; " + test.sync
	p.Options = chosen("epoch", epoch(test.sync), "window", test.created)
	both := strings.Contains(test.sync, "post")
	switch operation {
	case "put bandwidth", "get bandwidth", "put bi-directional bandwidth":
		p.Bench = strings.NewReplacer(" bi-directional bandwidth", "_biband", " bandwidth", "_uniband").Replace(operation)
		return l.osuStream(p, test, r)
	case "put latency":
		if both {
			p.Bench = "put_lat"
			p.Metrics.Set("half_rtt_s", mean(t.x))
			rate(&p, "half_rtt_s", p.Size)
			return l.osuTimed(p, test, timed)
		}
		p.Bench = "put"
	case "get latency":
		p.Bench = "get"
	case "accumulate latency", "get_accumulate latency", "fetch_and_op latency", "compare_and_swap latency":
		p.Bench = strings.TrimSuffix(operation, " latency")
	default:
		return l.osuUnknown(test)
	}
	if both {
		return l.unknown(fmt.Sprintf("what OSU's %s test with %s times", test.said, test.sync))
	}
	p.Metrics.Set("t_s", mean(t.x))
	return l.osuTimed(p, test, timed)
}

// osuSide matches how many threads or processes of one side osu_latency_mt and osu_latency_mp use.
var osuSide = match(`(?i)^# Number of (?:forked processes in )?(sender|receiver)(?: threads)?: *(\d+)`)

// osuSides maps the titles of the latency tests of several threads or processes of a rank to
// benchmarks, which are a ping-pong between them.
var osuSides = map[string]string{
	"multi-threaded latency": "pingpong_mt", "multi-process latency": "pingpong_mp",
}
