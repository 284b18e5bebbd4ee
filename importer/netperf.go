package importer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/remedy"
	"gobench/record"
)

var netperfFormat = format{
	name: "netperf", read: importNetperf, whole: isNetperfKeys,
	banners: []pattern{netperfTitle},
}

var (
	// "MIGRATED TCP REQUEST/RESPONSE TEST from", "UDP UNIDIRECTIONAL SEND TEST from", "OMNI
	// Send|Recv TEST from"
	netperfTitle = match(`(?:MIGRATED )?\b(TCP|UDP|SCTP|DCCP|UDPLITE|OMNI|DG|STREAM)\b(.*?) TEST (?:from .* port \d+|to \S+)`)
	netperfBurst = match(`: first burst (\d+)`)
	netperfKey   = match(`^([A-Z][A-Z0-9_]*)=(.*)$`)
	netperfUnits = match(`^(10\^[0369]bits|[KMG]Bytes|Bytes/|Trans/)`)
)

// netperfTest holds the facts about a test of netperf: those of its title, and those of its rows
// under the names of the selection -k of omni tests.
type netperfTest struct {
	title   string
	heading []string        // lines above the rows
	columns int             // of the row that counts, 0 before it
	sizes   []string        // the columns of that row before the time, of a classic test
	apart   bool            // text that is no row follows that row, so that rows below are not of this table
	keys    map[string]bool // that -k printed
	values  map[string]string
}

// isNetperfKeys reports whether a log is the output of omni tests with -k and -P 0, without titles.
func isNetperfKeys(lines []line) bool {
	return slices.ContainsFunc(lines, func(l line) bool { return strings.HasPrefix(l.text, "THROUGHPUT_UNITS=") })
}

// importNetperf reads a test of netperf: the table of a classic test, or the three outputs of omni
// tests (-O for people, -o as CSV, -k as names and values). A transaction is a round trip, and its
// mean time is the inverse of the rate, which is printed with more digits. A row that follows
// another under the same heading is of the next test. Behind other text it must begin with the same
// sizes of sockets and messages: other rows are of the table that -v 2 prints, or of another
// program. Of logs of -P 0, which have no title, those of -k are read: a name that occurs again is
// of the next test.
func importNetperf(l *log) error {
	fresh := func() netperfTest { return netperfTest{keys: map[string]bool{}, values: map[string]string{}} }
	t, result := fresh(), 0
	for i, line := range l.lines {
		if m := netperfTitle.FindStringSubmatch(line); m != nil && t.title == "" {
			t.title = m[1] + m[2]
			if m[1] != "OMNI" {
				t.values["PROTOCOL"] = m[1]
			}
			if m := netperfBurst.FindStringSubmatch(line); m != nil {
				t.values["BURST_SIZE"] = m[1]
			}
			continue
		}
		if m := netperfKey.FindStringSubmatch(line); m != nil {
			if t.keys[m[1]] {
				l.at = result
				if err := l.netperfResult(&t); err != nil {
					return err
				}
				t = fresh()
				l.table++
			}
			t.keys[m[1]], t.values[m[1]] = true, strings.TrimSpace(m[2])
			result = i
			continue
		}
		next, again := t.again(line, l.indents[i])
		switch {
		case again && t.apart && (len(t.sizes) == 0 || !slices.Equal(t.sizes, next.sizes)):
			l.at = i
			l.omit("other output precedes it, behind the table of netperf", l.number())
		case again:
			l.at = result
			if err := l.netperfResult(&t); err != nil {
				return err
			}
			t, result = next, i
			l.table++
		case t.observe(line, l.indents[i]):
			result = i
		}
	}
	l.at = result
	return l.netperfResult(&t)
}

// again returns the test of a row that follows another under the same heading. It returns false for
// other lines.
func (t *netperfTest) again(line string, indent int) (netperfTest, bool) {
	if t.columns == 0 || len(strings.Fields(line)) != t.columns {
		return netperfTest{}, false
	}
	next := netperfTest{title: t.title, heading: t.heading, keys: t.keys, values: map[string]string{}}
	for _, name := range []string{"PROTOCOL", "BURST_SIZE"} { // of the title
		if value, stated := t.values[name]; stated {
			next.values[name] = value
		}
	}
	return next, next.observe(line, indent)
}

// netperfResult adds the point of a test, if it has ended.
func (l *log) netperfResult(t *netperfTest) error {
	if t.columns == 0 && t.values["THROUGHPUT"] == "" && t.values["MEAN_LATENCY"] == "" {
		return nil
	}
	return l.netperfPoint(t)
}

// observe evaluates a line of a table, or one above it, with indent spaces before it. It returns
// true for a row.
func (t *netperfTest) observe(line string, indent int) bool {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false
	}
	warns := strings.HasPrefix(line, "!!!")
	if t.columns > 0 {
		_, isRow := parseAll(words)
		t.apart = t.apart || !isRow && !warns
		return t.receives(words)
	}
	begin, _, _ := strings.Cut(words[0], ",")
	if _, isNumber := parse(begin); isNumber {
		if !t.classic(words) && !t.omni(strings.Repeat(" ", indent)+line) {
			return false
		}
		t.columns = len(words)
		return true
	}
	if !warns {
		t.heading = append(t.heading, strings.Repeat(" ", indent)+line)
		t.heading = t.heading[max(0, len(t.heading)-maxHeading):]
	}
	return false
}

// maxHeading bounds the lines of a heading.
const maxHeading = 8

// classicTables lists the columns of the tables of classic tests, by names of omni tests, as the
// words of their headings tell. The columns of -c and -C follow those.
var classicTables = []struct {
	words   []string // of the heading
	columns []string
}{
	{[]string{"Request", "Resp."}, []string{"", "", "REQUEST_SIZE", "RESPONSE_SIZE", "ELAPSED_TIME", "THROUGHPUT"}},
	{[]string{"Okay", "Errors"}, []string{"", "LOCAL_SEND_SIZE", "ELAPSED_TIME", "LOCAL_SEND_CALLS", "", "LOCAL_SEND_THROUGHPUT"}},
	{[]string{"Message", "Elapsed"}, []string{"", "", "LOCAL_SEND_SIZE", "ELAPSED_TIME", "THROUGHPUT"}},
}

// classic reads the row of a classic test. It returns false if the heading is of no such test.
func (t *netperfTest) classic(words []string) bool {
	heading := strings.Fields(strings.Join(t.heading, " "))
	for _, table := range classicTables {
		if !slices.Contains(heading, table.words[0]) || !slices.Contains(heading, table.words[1]) || len(words) < len(table.columns) {
			continue
		}
		unit := ""
		for _, word := range heading {
			if m := netperfUnits.FindStringSubmatch(word); m != nil {
				unit = strings.TrimSuffix(m[1], "/")
			}
		}
		if slices.Contains(heading, "Trans.") && unit == "" {
			unit = "Trans"
		}
		if unit == "" {
			return false
		}
		t.values["THROUGHPUT_UNITS"] = unit + "/s"
		t.sizes = words[:slices.Index(table.columns, "ELAPSED_TIME")]
		for i, name := range table.columns {
			if name != "" {
				t.values[name] = words[i]
			}
		}
		return true
	}
	return false
}

// receives reads the row of a UDP stream that the receiver prints, below that of the sender, which
// has the same time.
func (t *netperfTest) receives(words []string) bool {
	_, sent := t.values["LOCAL_SEND_CALLS"]
	if _, ok := parseAll(words); !ok || !sent || len(words) != 4 || words[1] != t.values["ELAPSED_TIME"] || t.values["THROUGHPUT"] != "" {
		return false
	}
	t.values["REMOTE_RECV_CALLS"], t.values["THROUGHPUT"] = words[2], words[3]
	return true
}

// omniNames maps headings of omni tests to names of the selection.
var omniNames = map[string]string{
	"Throughput": "THROUGHPUT", "Throughput Units": "THROUGHPUT_UNITS", "Elapsed Time (sec)": "ELAPSED_TIME",
	"Request Size Bytes": "REQUEST_SIZE", "Response Size Bytes": "RESPONSE_SIZE", "Initial Burst Requests": "BURST_SIZE",
	"Local Send Size": "LOCAL_SEND_SIZE", "Remote Send Size": "REMOTE_SEND_SIZE", "Protocol": "PROTOCOL", "Direction": "DIRECTION",
	"Mean Latency Microseconds": "MEAN_LATENCY", "Minimum Latency Microseconds": "MIN_LATENCY", "Maximum Latency Microseconds": "MAX_LATENCY",
	"50th Percentile Latency Microseconds": "P50_LATENCY", "90th Percentile Latency Microseconds": "P90_LATENCY",
	"99th Percentile Latency Microseconds": "P99_LATENCY", "Transaction Rate Tran/s": "TRANSACTION_RATE",
	"Local Send Throughput": "LOCAL_SEND_THROUGHPUT", "Remote Recv Throughput": "REMOTE_RECV_THROUGHPUT",
	"Round Trip Latency usec/tran": "RT_LATENCY",
}

// omni reads the row of an omni test. It returns false if the headings do not fit.
func (t *netperfTest) omni(line string) bool {
	var names, fields []string
	if strings.Contains(line, ",") && len(t.heading) > 0 {
		names, fields = strings.Split(t.heading[len(t.heading)-1], ","), strings.Split(line, ",")
	} else {
		// Columns are aligned to the left, and so are the lines of their headings.
		var starts []int
		for i := range line {
			if line[i] != ' ' && (i == 0 || line[i-1] == ' ') {
				starts = append(starts, i)
			}
		}
		for i, start := range starts {
			end := math.MaxInt
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			var name []string
			for _, heading := range t.heading {
				if start < len(heading) {
					name = append(name, strings.TrimSpace(heading[start:min(end, len(heading))]))
				}
			}
			names = append(names, strings.Join(strings.Fields(strings.Join(name, " ")), " "))
			fields = append(fields, line[start:min(end, len(line))])
		}
	}
	if len(names) != len(fields) {
		return false
	}
	found := false
	for i, name := range names {
		if key := omniNames[strings.TrimSpace(name)]; key != "" {
			t.values[key] = strings.TrimSpace(fields[i])
			found = true
		}
	}
	return found
}

// number returns a value, 0 if there is none.
func (t *netperfTest) number(name string) number {
	n, _ := parse(t.values[name])
	return n
}

// count returns a whole number, -1 if there is none.
func (t *netperfTest) count(name string) int64 {
	n, ok := parse(t.values[name])
	if !ok {
		return -1
	}
	return row{name: n}.count(name)
}

// netperfUnit returns the bytes per second of one unit of a throughput.
func netperfUnit(unit string) float64 {
	return map[string]float64{
		"10^0bits": 1. / 8, "10^3bits": 1e3 / 8, "10^6bits": 1e6 / 8, "10^9bits": 1e9 / 8,
		"Bytes": 1, "KBytes": 1 << 10, "MBytes": 1 << 20, "GBytes": 1 << 30,
	}[strings.TrimSuffix(unit, "/s")]
}

// netperfPoint adds the point of a test.
func (l *log) netperfPoint(t *netperfTest) error {
	transport := strings.ToLower(cmp.Or(t.values["PROTOCOL"], "unknown"))
	if _, stated := t.values["ELAPSED_TIME"]; stated && t.number("ELAPSED_TIME").x <= 0 {
		return l.leaveOut("the time of the test is %q", t.values["ELAPSED_TIME"])
	}
	_, answered := t.values["REQUEST_SIZE"]
	switch {
	case strings.Contains(t.title, "Connect") || strings.Contains(t.title, "CONNECT"):
		return l.leaveOut("%s of netperf: a transaction has a connection of its own", t.title)
	case answered || strings.HasPrefix(t.values["THROUGHPUT_UNITS"], "Trans") || strings.Contains(t.title, "REQUEST/RESPONSE") || strings.Contains(t.title, "Send|Recv"):
		return l.netperfTrips(t, transport)
	}
	size := t.count("LOCAL_SEND_SIZE")
	options := map[string]string(nil)
	if backward := strings.Contains(t.title, "MAERTS") || t.values["DIRECTION"] == "Receive"; backward {
		size = max(size, t.count("REMOTE_SEND_SIZE"))
		options = chosen("direction", "reverse")
	}
	size, ok := l.sizeOr(size)
	switch {
	case !ok:
		return l.leaveOut("the log does not state the size of netperf's messages: add %v", remedy.Named("size"))
	case size == 0:
		return l.leaveOut("the size of the messages is 0")
	}
	unit := netperfUnit(t.values["THROUGHPUT_UNITS"])
	rate, whose := t.number("THROUGHPUT"), "as netperf prints it"
	if rate.x <= 0 {
		rate, whose = t.number("LOCAL_SEND_THROUGHPUT"), "of the sender, as netperf prints it"
	}
	p := l.point("uniband", transport, "raw", 2)
	p.Size, p.Options = size, options
	p.Method = "mean of one test, " + whose
	if sent, received := t.count("LOCAL_SEND_CALLS"), t.count("REMOTE_RECV_CALLS"); received >= 0 && received < sent {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d of %d messages were lost", sent-received, sent))
	}
	if !l.streamed(&p, rate.times(unit), number{}) {
		return l.leaveOut("the bandwidth is printed as 0.00, or its unit %q is not known", t.values["THROUGHPUT_UNITS"])
	}
	return l.add(p)
}

// netperfTrips adds the point of a test of transactions. One whose answers are as large as its
// requests, one at a time, is a ping-pong.
func (l *log) netperfTrips(t *netperfTest, transport string) error {
	size, ok := l.sizeOr(t.count("REQUEST_SIZE"))
	if !ok {
		return l.leaveOut("the log does not state the size of netperf's requests: add %v", remedy.Named("size"))
	}
	answer, stated := t.values["RESPONSE_SIZE"]
	burst := max(0, t.count("BURST_SIZE"))
	p := l.point("pingpong", transport, "raw", 2)
	p.Size = size
	rate := t.number("TRANSACTION_RATE")
	if units := t.values["THROUGHPUT_UNITS"]; rate.x <= 0 && (units == "" || strings.HasPrefix(units, "Trans")) { // the default of these tests
		rate = t.number("THROUGHPUT")
	}
	if rate.x > 0 && t.number("ELAPSED_TIME").x > 0 {
		p.Iterations = int64(min(rate.x*t.number("ELAPSED_TIME").x, 1<<53))
	}
	if burst > 0 {
		p.Bench, p.Options = "request_response", chosen("answer", answer, "burst", strconv.FormatInt(burst, 10))
		p.Method = fmt.Sprintf("mean of one test with %d requests more in flight, as netperf prints it", burst)
		if rate.x > 0 {
			p.Metrics.Set("message_rate_per_s", mean(rate.x))
		}
	} else {
		v := l.netperfTime(t, &p, rate)
		if v.Median > 0 {
			p.Metrics.Set("rtt_s", v)
		}
		if stated && t.count("RESPONSE_SIZE") != size {
			p.Bench, p.Options = "request_response", chosen("answer", answer)
		} else if v.Median > 0 {
			p.Metrics.Set("half_rtt_s", half(v))
		}
	}
	if p.Metrics.Len() == 0 {
		return l.leaveOut("there is no rate of transactions and no time of them")
	}
	return l.add(p)
}

// netperfTime returns the time of a transaction: the median, if percentiles were asked for and the
// number of transactions is known, else the mean.
func (l *log) netperfTime(t *netperfTest, p *record.Point, rate number) record.Value {
	average := t.number("MEAN_LATENCY").times(1e-6)
	if average.x <= 0 {
		average = t.number("RT_LATENCY").times(1e-6)
	}
	if median := t.number("P50_LATENCY").times(1e-6); median.x > 0 && p.Iterations > 1 && rate.x > 0 {
		v := record.Value{
			Median: median.x, Mean: average.x, N: int(p.Iterations), P50: median.x,
			Min: t.number("MIN_LATENCY").x * 1e-6, Max: t.number("MAX_LATENCY").x * 1e-6,
		}
		tails(&v, func(share string) float64 { return t.number("P"+share+"_LATENCY").x * 1e-6 })
		if v.Mean < v.Min || v.Max > 0 && v.Mean > v.Max { // these are whole microseconds
			v.Mean = 0
		}
		p.Method = fmt.Sprintf("median of %d transactions, as netperf prints it in whole microseconds", v.N)
		return v
	}
	p.Method = "mean of one test, as netperf prints it"
	if p.Iterations > 1 {
		p.Batched = int(p.Iterations)
		p.Method = fmt.Sprintf("mean of %d transactions, as netperf prints it", p.Iterations)
	}
	if inverse := rate.over(1); rate.x > 0 && (average.x <= 0 || inverse.relative() < average.relative()) {
		p.Method += "; the time is the inverse of the rate, which is printed with more digits"
		return mean(inverse.x)
	}
	return mean(average.x)
}

// half returns the value of half of a time.
func half(v record.Value) record.Value {
	for _, x := range []*float64{&v.Median, &v.Mean, &v.Min, &v.P50, &v.P90, &v.P99, &v.P999, &v.Max} {
		*x /= 2
	}
	return v
}
