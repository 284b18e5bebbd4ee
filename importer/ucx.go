package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gobench/internal/remedy"
	"gobench/record"
)

var (
	ucxTest   = match(`^\| Test:\s+(.*?)\s*\|$`)
	ucxMemory = match(`^\| (Send|Recv) memory:\s+(\S+)\s*\|$`)
	ucxAPI    = match(`^\| API:\s+(\w+)`)
	ucxNumber = match(`^\| (Message|Window) size:\s+(\d+)\s*\|$`)
	ucxUnit   = match(`\| +(latency|overhead) \((usec|nsec)\)`)
	ucxShare  = match(`\| # iterations \| +(?:([0-9.]+)%ile|typical) \|`)

	// A row has a label: "[thread 0]" with values of one thread so far, "Final:" or the name that a
	// batch file gives the test. That of several threads together has three values only. With -N
	// digits are in groups.
	ucxRow = match(`^(\[[^\]]*\]|[A-Za-z][\w/.-]*:?)?\s*\b([0-9,]+)((?:\s+[0-9.,]+){7}|(?:\s+[0-9.,]+){3})$`)
	// of which rates of messages have no decimals
	ucxGroups = match(`^[1-9]\d{0,2}(?:,\d{3})+(\.\d+)?$`)
)

var ucxFormat = format{
	name: "ucx_perftest", family: "ucx", tables: true, read: importUCX,
	banners: []pattern{
		match(`\| API:`), match(`\| Test:`),
		match(`(?:\| +)+(?:latency|overhead) \([un]sec\)`), // the first line that the client prints
		match(`\| +(?:Stage +\| )?# iterations \|.*(?:%ile|typical) \| average \| overall`),
	},
}

// ucxTable is the state of the reader of ucx_perftest.
type ucxTable struct {
	*log
	test       string // "tag match latency"
	api        string // "uct", "" for the protocol layer
	size       int64  // -1 = not stated
	window     int    // 0 = not stated
	sent, held string // kinds of the sender's and the receiver's memory
	unit       float64
	overhead   bool
	share      string          // "50.0", the percentile of the first column
	threads    map[string]bool // labels of the rows of threads
	last       *record.Point   // of the last row, which has the values of all iterations
	at         int             // index of its line
}

// importUCX reads tables of ucx_perftest. The server prints the test and the size, the client the
// results, so a log must contain the output of the server before that of the client, or the command
// of the client. A client in the same terminal may print its heading before. Latencies of tests
// that send there and back are half of a round trip; a MB has 2^20 bytes. The last row of a test
// has the values of all iterations.
func importUCX(l *log) error {
	t := ucxTable{log: l, unit: 1e-6, size: -1, share: "50.0", threads: map[string]bool{}}
	if asked := l.facts.ucx; asked.test != "" {
		t.test, t.api, t.size, t.sent, t.held = asked.test, asked.api, asked.size, asked.sent, asked.held
	}
	matches := func(r pattern) bool { return slices.ContainsFunc(l.lines, r.MatchString) }
	headed, tested := matches(ucxUnit), matches(ucxTest)
	if before := l.heading; before != nil && tested && !headed {
		for _, line := range before.lines {
			t.header(line)
		}
		l.importing.warnings = slices.DeleteFunc(l.importing.warnings, func(w string) bool { return w == before.empty() })
	}
	if l.heading = nil; headed && !tested && !matches(ucxRow) {
		l.heading = l
	}
	if err := l.each(t.line); err != nil {
		return err
	}
	return t.flush()
}

// header evaluates a line of the heading of a table. It returns false for others.
func (t *ucxTable) header(line string) bool {
	if m := ucxUnit.FindStringSubmatch(line); m != nil {
		t.overhead = m[1] == "overhead"
		if t.unit = 1e-6; m[2] == "nsec" {
			t.unit = 1e-9
		}
		return true
	}
	m := ucxShare.FindStringSubmatch(line)
	if m != nil {
		t.share = cmp.Or(m[1], "50.0")
	}
	return m != nil
}

func (t *ucxTable) line(line string) error {
	if m := ucxTest.FindStringSubmatch(line); m != nil {
		err := t.flush()
		t.test, t.size, t.window, t.sent, t.held = strings.ToLower(m[1]), -1, 0, "", ""
		t.overhead = !strings.Contains(t.test, "latency") // as its heading, which may stand before, says
		clear(t.threads)
		t.table++
		return err
	}
	if m := ucxAPI.FindStringSubmatch(line); m != nil {
		if t.api = ""; m[1] == "transport" {
			t.api = "uct"
		}
		return nil
	}
	if m := ucxMemory.FindStringSubmatch(line); m != nil {
		if m[1] == "Send" {
			t.sent = m[2]
		} else {
			t.held = m[2]
		}
		return nil
	}
	if m := ucxNumber.FindStringSubmatch(line); m != nil {
		if n := wholeOf(m[2]); m[1] == "Message" {
			t.size = int64(n)
		} else {
			t.window = n
		}
		return nil
	}
	if t.header(line) {
		return nil
	}
	m := ucxRow.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	words := strings.Fields(m[3])
	for i, word := range words {
		if !strings.Contains(word, ",") {
			continue
		}
		g, rate := ucxGroups.FindStringSubmatch(word), i == 5 || i == 6 || len(words) == 3 && i == 2
		if g == nil || g[1] == "" && !rate { // a comma before decimals
			return t.leaveOut("%q is not a number", word)
		}
		words[i] = strings.ReplaceAll(word, ",", "")
	}
	values, ok := parseAll(words)
	switch {
	case !ok:
		return t.leaveOut("it is not a row of numbers")
	case t.test == "" && (t.given.Bench == "" || streams(t.given.Bench) != t.overhead):
		return t.leaveOut("the test is not stated: the server prints it, put its output before that of the client, or name it with %v", remedy.Named("bench"))
	}
	ofThread := strings.HasPrefix(m[1], "[")
	if ofThread {
		t.threads[m[1]] = true
	}
	switch n := wholeOf(ungrouped(m[2])[0]); {
	case len(values) == 7:
		if err := t.row(n, values); err != nil || ofThread || m[1] == "" {
			return err
		}
	case !t.overhead:
		t.last = nil
		return t.leaveOut("the time of an operation of several threads together is no latency: run ucx_perftest with one thread")
	default: // of several threads together: no percentile, and no values since the row before
		all := []number{{}, {}, values[0], {}, values[1], {}, values[2]}
		if err := t.row(n, all); err != nil {
			return err
		}
	}
	return t.flush()
}

// flush adds the last row of a test.
func (t *ucxTable) flush() error {
	if t.last == nil {
		return nil
	}
	p, at := *t.last, t.log.at
	t.last, t.log.at = nil, t.at
	defer func() { t.log.at = at }()
	if threads := len(t.threads); threads > 1 {
		p.Threads = threads
	}
	return t.add(p)
}

// ucxOperations maps words of the names of tests to what carries the messages.
var ucxOperations = []struct{ word, operation string }{
	{"tag sync match", "tag-sync"}, {"tag", "tag"}, {"stream", "stream"}, {"active message", "am"}, {"am ", "am"},
	{"put", "put"}, {"get", "get"}, {"fetch-and-add", "fadd"}, {"compare-and-swap", "cswap"}, {"swap", "swap"}, {"add", "add"},
}

// row keeps the point of a row of n iterations. Without the output of the server the size is the
// bandwidth over the rate of messages, where their digits allow one only.
func (t *ucxTable) row(n int, values []number) error {
	p := t.point("", "unknown", "raw", 2)
	size := t.size
	if whole, ok := quotient(values[4].times(1<<20), values[6]); ok && size < 0 {
		size = whole
	}
	size, ok := t.sizeOr(size)
	if !ok {
		return t.leaveOut("the size of the message is not stated: the server prints it, put its output before that of the client, or add %v", remedy.Named("size"))
	}
	for _, known := range ucxOperations {
		if strings.Contains(t.test, known.word) {
			p.Operation = known.operation
			break
		}
	}
	if strings.HasPrefix(p.Operation, "tag") {
		p.Level = "device"
	}
	p.Size, p.Iterations, p.MemoryKind, p.Options = size, int64(n), kinds(t.sent, t.held), chosen("api", t.api)
	stem := "" // of the names of one-sided benchmarks
	if t.test == "" {
		stem, _, _ = strings.Cut(t.given.Bench, "_")
		if p.Operation = stem; !strings.Contains(t.given.Bench, "_") { // pingpong, uniband
			stem, p.Operation = "", ""
		}
	}
	switch {
	case t.test == "":
	case p.Operation == "":
		return t.unknown(t.test + " of ucx_perftest")
	case slices.Contains([]string{"put", "get", "fadd", "cswap", "swap", "add"}, p.Operation):
		stem = p.Operation
	}
	if t.overhead {
		if p.Bench = "uniband"; stem != "" {
			p.Bench = stem + "_bw"
		}
		p.Window = max(0, t.window)
		p.Method = fmt.Sprintf("mean of %d messages, as ucx_perftest prints it", n)
		if rate := values[4].x * (1 << 20); rate > 0 {
			p.Metrics.Set("bandwidth_Bps", mean(rate))
		}
		if rate := values[6].x; rate > 0 {
			p.Metrics.Set("message_rate_per_s", mean(rate))
		}
	} else if typical := values[0].x * t.unit; typical > 0 {
		key, events := "half_rtt_s", "round trips"
		if p.Bench = "pingpong"; stem != "" {
			p.Bench = stem + "_lat"
			if stem != "put" { // there is no message back
				key, events = "t_s", "operations"
			}
		}
		p.Metrics.Set(key, record.Value{Median: typical, N: max(1, n)})
		p.Method = fmt.Sprintf("median of %d %s, as ucx_perftest prints it", n, events)
		if share, _ := parse(t.share); share.x != 50 { // -R: another percentile instead of the median
			v := mean(values[2].x * t.unit)
			if share.x == 99 {
				v.P99 = typical
			}
			p.Metrics.Set(key, v)
			p.Method = fmt.Sprintf("mean of %d %s, as ucx_perftest prints it", n, events)
		}
	}
	if p.Metrics.Len() == 0 {
		return t.skip("the values were printed as 0")
	}
	t.last, t.at = &p, t.log.at
	return nil
}

// kinds joins the kinds of the sender's and the receiver's memory. It returns "" for host memory.
func kinds(sent, held string) string {
	if sent == held && (sent == "" || sent == "host") {
		return ""
	}
	return cmp.Or(sent, "unknown") + " to " + cmp.Or(held, "unknown")
}
