package importer

import (
	"fmt"
	"strconv"
	"strings"

	"gobench/bench/record"
	"gobench/internal/lazyregexp"
)

var (
	ucxTest = lazyregexp.New(`^\| Test:\s+(.*?)\s*\|$`)
	ucxSize = lazyregexp.New(`^\| Message size:\s+(\d+)\s*\|$`)
	ucxUnit = lazyregexp.New(`\| +(latency|overhead) \((usec|nsec)\)`)
	ucxRow  = lazyregexp.New(`^(?:\[[^\]]*\]\s*)?(?:Final:\s*)?(\d+)((?:\s+[0-9.]+){7})$`)
)

var ucxFormat = format{
	name: "ucx_perftest", family: "ucx", tables: true, read: importUCX,
	banners: []banner{
		{"| API:", lazyregexp.New(`\| API:`)}, {"| Test:", lazyregexp.New(`\| Test:`)},
		{"%ile | average | overall", lazyregexp.New(`\| +Stage +\| # iterations \|.*%ile \| average \| overall`)},
	},
}

// importUCX reads tables of ucx_perftest. The server prints the test and the size, the client the
// results, so a log must contain the output of the server before that of the client. Latencies are
// half of a round trip; a MB has 2^20 bytes. The last row of a test has the values of all
// iterations.
func importUCX(l *log) error {
	test, unit, size := "", 1e-6, int64(-1)
	overhead := false
	var last *record.Point
	flush := func() error {
		if last == nil {
			return nil
		}
		p := *last
		last = nil
		return l.add(p)
	}
	for l.at = range l.lines {
		line := l.lines[l.at]
		if m := ucxTest.FindStringSubmatch(line); m != nil {
			if err := flush(); err != nil {
				return err
			}
			test, size = strings.ToLower(m[1]), -1
			continue
		}
		if m := ucxSize.FindStringSubmatch(line); m != nil {
			size, _ = strconv.ParseInt(m[1], 10, 64)
			continue
		}
		if m := ucxUnit.FindStringSubmatch(line); m != nil {
			overhead = m[1] == "overhead"
			if unit = 1e-6; m[2] == "nsec" {
				unit = 1e-9
			}
			continue
		}
		m := ucxRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if test == "" || size < 0 {
			if err := l.leaveOut("the test and the size of the message are not stated: the server prints them, put its output before that of the client"); err != nil {
				return err
			}
			continue
		}
		values, _ := numbers(m[2])
		n, _ := strconv.Atoi(m[1])
		p := l.point("pingpong", "unknown", "raw", 2)
		if strings.Contains(test, "tag") {
			p.Level = "device"
		}
		p.Size, p.Iterations = size, int64(max(1, n))
		switch typical := values[0].x * unit; {
		case overhead:
			p.Bench = "uniband"
			p.Method = fmt.Sprintf("mean of %d messages, as ucx_perftest prints it", n)
			if rate := values[4].x * (1 << 20); rate > 0 {
				p.Metrics["bandwidth_Bps"] = mean(rate)
			}
			if rate := values[6].x; rate > 0 {
				p.Metrics["message_rate_per_s"] = mean(rate)
			}
		case typical > 0:
			if !strings.Contains(test, "latency") {
				l.warn("%s of ucx_perftest is left out: it is not known here", test)
				continue
			}
			p.Metrics["half_rtt_s"] = record.Value{Median: typical, N: max(1, n)}
			p.Method = fmt.Sprintf("median of %d round trips, as ucx_perftest prints it", n)
		}
		if len(p.Metrics) == 0 {
			l.warn("values that were printed as 0 are left out")
			continue
		}
		last = &p
	}
	return flush()
}
