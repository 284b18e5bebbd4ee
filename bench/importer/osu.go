package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/bench/record"
	"gobench/internal/lazyregexp"
)

var osuFormat = format{
	name: "OSU", family: "mpi", version: osuVersion, read: importOSU,
	banners: []banner{{"# OSU ", lazyregexp.New(`# OSU .*? Test(?: v[0-9][0-9.]*)?\s*$`)}},
}

// osuTitle matches the title of a test: "# OSU MPI-CUDA Broadcast Latency Test v7.4". The
// accelerator's library follows MPI or the name of a function.
var (
	osuTitle   = lazyregexp.New(`(?m)^# OSU (.*?) Test(?: v[0-9][0-9.]*)?\s*$`)
	osuVersion = lazyregexp.New(`(?m)^# OSU .*? Test v([0-9][0-9.]*)`)
	osuDevice  = lazyregexp.New(`-(?:CUDA|OPENACC|ROCM|MANAGED)(?: MANAGED)?\b`)
	osuType    = lazyregexp.New(`^# Datatype: (\w+)`)
	osuSync    = lazyregexp.New(`^# Synchronization: (\S+)`)
	osuWindow  = lazyregexp.New(`window size: (\d+)`)
	osuPairs   = lazyregexp.New(`pairs: (\d+)`)
)

// osuDefault is the number of messages in flight if OSU does not print it.
const osuDefault = 64

// osuTest holds the facts about a table of an OSU log.
type osuTest struct {
	said   string // the title as printed
	title  string // without MPI, the accelerator and Test, in small letters: "latency", "mpi_put bandwidth"
	device bool   // buffers are those of an accelerator
	sync   string // of one-sided operations: "MPI_Win_flush"
	data   string // "MPI_CHAR"
	window int
	pairs  int
	names  []string // of the columns
}

// importOSU reads the tables of the OSU Micro-Benchmarks, releases 3 to 7: a title, a heading of
// columns, and rows. A MB is 10^6 bytes. For collectives, the time of the slowest rank is used if
// it is printed (-f), else the mean over ranks.
func importOSU(l *log) error {
	var test osuTest
	for l.at = range l.lines {
		line := l.lines[l.at]
		if m := osuTitle.FindStringSubmatch(line); m != nil {
			test = osuTest{said: m[1], title: osuName(m[1]), device: osuDevice.MatchString(m[1]), window: osuDefault, pairs: 1}
			continue
		}
		if strings.HasPrefix(line, "#") {
			test.note(line)
			continue
		}
		words := strings.Fields(line)
		checked := ""
		names := test.names
		if i := slices.Index(names, "Validation"); i >= 0 && len(words) == len(names) {
			checked = words[i]
			names, words = slices.Delete(slices.Clone(names), i, i+1), slices.Delete(words, i, i+1)
		}
		values, ok := parseAll(words)
		if !ok || names == nil {
			continue
		}
		if strings.EqualFold(checked, "fail") {
			l.warn("%s is left out where its data were wrong", test.said)
			continue
		}
		r, ok := rowOf(names, values)
		if !ok {
			if err := l.leaveOut("the row has %d columns, its heading %d: the log is cut off or mixed with other output", len(values), len(names)); err != nil {
				return err
			}
			continue
		}
		if err := l.osuRow(&test, r); err != nil {
			return err
		}
	}
	return nil
}

// note evaluates a line above the rows.
func (t *osuTest) note(line string) {
	if m := osuWindow.FindStringSubmatch(line); m != nil {
		t.window, _ = strconv.Atoi(m[1])
	}
	if m := osuPairs.FindStringSubmatch(line); m != nil {
		t.pairs, _ = strconv.Atoi(m[1])
	}
	if m := osuType.FindStringSubmatch(line); m != nil {
		t.data = m[1]
	}
	if m := osuSync.FindStringSubmatch(line); m != nil {
		t.sync = m[1]
	}
	if strings.Contains(line, "DEVICE") || strings.Contains(line, "MANAGED") {
		t.device = true
	}
	if strings.Contains(line, "(us)") || strings.Contains(line, "MB/s") {
		t.names = columns(line)
	}
}

// osuName returns a title in lower case without MPI and the accelerator.
func osuName(title string) string {
	title = osuDevice.ReplaceAllString(title, "")
	return strings.ToLower(strings.TrimPrefix(title, "MPI "))
}

// osuOperations maps titles that differ from MPI's names of operations to these names.
var osuOperations = map[string]string{
	"broadcast":                         "bcast",
	"all-to-all":                        "alltoall",
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
	if mpi, ok := osuOperations[name]; ok {
		name = mpi
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
	p.Size = r.count("Size")
	if !test.device {
		p.Cache, p.Memory = "warm", "heap"
	}
	p.Iterations = 1 // unknown, but not zero
	p.Method = "mean over all iterations"
	if n := r.count("Iterations"); n > 0 {
		p.Iterations, p.Method = n, fmt.Sprintf("mean over %d iterations", n)
	}
	p.Method += fmt.Sprintf(", as %s prints it", l.writer())
	if test.data != "" && test.data != "MPI_CHAR" {
		p.Method += "; " + test.data
	}
	t, timed := r.first("Max Latency(us)", "Latency (us)", "Avg Latency(us)", "Avg Lat(us)")
	if t = t.times(1e-6); timed && t.x <= 0 {
		l.warn("times that were printed as 0.00 are left out")
		return nil
	}
	switch test.title {
	case "latency", "multi latency", "multi-pair latency":
		p.Bench = "pingpong"
		p.Metrics["half_rtt_s"] = mean(t.x)
		pairs := 1
		if test.title != "latency" {
			if p.Ranks = l.given.Ranks; p.Ranks == 0 {
				return l.leaveOut("OSU does not state the number of ranks of %s: add -n", test.said)
			}
			pairs = max(1, p.Ranks/2)
		}
		rate(&p, "half_rtt_s", int64(pairs)*p.Size)
		return l.osuTimed(p, test, timed)
	case "bandwidth", "bi-directional bandwidth", "multiple bandwidth / message rate":
		p.Bench = "uniband"
		if strings.HasPrefix(test.title, "bi") {
			p.Bench = "biband"
		}
		return l.osuStream(p, test, r)
	}
	if operation, ok := strings.CutPrefix(test.title, "mpi_"); ok && test.sync != "" {
		return l.osuOneSided(p, test, operation, t, timed, r)
	}
	operation, known := osuCollective(test.title)
	if !known {
		return l.osuUnknown(test)
	}
	if p.Ranks = l.given.Ranks; p.Ranks == 0 {
		return l.leaveOut("OSU does not state the number of ranks of %s: add -n", operation)
	}
	p.Bench = operation
	if p.Start = "barrier"; operation == "barrier" { // each operation is timed alone
		p.Start = "none"
	}
	if overall, ok := r["Overall(us)"]; ok {
		p.Method += "; mean over ranks"
		overlap(&p, overall, r["Pure Comm.(us)"], r["Compute(us)"], r["Overlap(%)"])
		return l.add(p)
	}
	if _, slowest := r["Max Latency(us)"]; slowest {
		p.Method += "; of the slowest rank"
	} else {
		p.Method += "; mean over ranks"
		l.warn("of collectives the mean over ranks is printed, not the slowest rank: osu_... -f prints both")
	}
	p.Metrics["local_s"] = mean(t.x)
	return l.osuTimed(p, test, timed)
}

func (l *log) osuUnknown(test *osuTest) error {
	l.warn("OSU's %s test is left out: it is not known here", test.said)
	return nil
}

// osuTimed adds a point with a time. If there is none, it adds a warning.
func (l *log) osuTimed(p record.Point, test *osuTest, timed bool) error {
	if !timed {
		l.warn("OSU's %s test is left out: it has no column of times that is known", test.said)
		return nil
	}
	return l.add(p)
}

// osuStream adds a point with a bandwidth.
func (l *log) osuStream(p record.Point, test *osuTest, r row) error {
	bandwidth, _ := r.first("Bandwidth (MB/s)", "MB/s")
	p.Window = test.window
	if !l.streamed(&p, bandwidth.times(1e6), r["Messages/s"]) {
		l.warn("bandwidths that were printed as 0.00 are left out")
		return nil
	}
	return l.add(p)
}

// osuOneSided adds a point of one-sided communication: the time of an operation until it is
// complete at the target. With post-start-complete-wait it is half of the time of a put in each
// direction.
func (l *log) osuOneSided(p record.Point, test *osuTest, operation string, t number, timed bool, r row) error {
	p.Method += "; " + test.sync
	both := strings.Contains(test.sync, "post")
	switch operation {
	case "put bandwidth", "get bandwidth", "put bi-directional bandwidth":
		p.Bench = strings.NewReplacer(" bi-directional bandwidth", "_bibw", " bandwidth", "_bw").Replace(operation)
		return l.osuStream(p, test, r)
	case "put latency":
		if both {
			p.Bench = "put_lat"
			p.Metrics["half_rtt_s"] = mean(t.x)
			rate(&p, "half_rtt_s", p.Size)
			return l.osuTimed(p, test, timed)
		}
		p.Bench = "put"
	case "get latency":
		p.Bench = "get_lat"
	case "accumulate latency", "get_accumulate latency", "fetch_and_op latency", "compare_and_swap latency":
		p.Bench = strings.TrimSuffix(operation, " latency")
	default:
		return l.osuUnknown(test)
	}
	if both {
		l.warn("OSU's %s test with %s is left out: what it times is not known here", test.said, test.sync)
		return nil
	}
	p.Metrics["t_s"] = mean(t.x)
	return l.osuTimed(p, test, timed)
}
