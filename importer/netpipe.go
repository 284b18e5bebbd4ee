package importer

import (
	"fmt"
	"math"
	"strings"

	"gobench/record"
)

// netpipeRow matches a row on the terminal: "  0:       1 bytes   4972 times -->   0.76 Mbps in
// 10.03 usec", of version 5 "  3:   1.027 KB     9876 times -->    2.100 Gbps  in    3.912 usecs".
var netpipeRow = match(`^\d+:\s+([0-9.]+) +(bytes|[KMGT]?B)\s+(\d+) times\s+-->\s+([0-9.]+) +([KMGT]?)bps +in\s+([0-9.]+) +([num]?)secs?\b(.*)`)

// netpipeMode matches a line about what is not a ping-pong of two processes.
var netpipeMode = match(`Streaming data in one direction|Bidirectional mode using \d+ pairs`)

// netpipeSocket matches a line that NPtcp prints: the other programs of NetPIPE have no buffers of
// sockets.
var netpipeSocket = match(`Send and receive buffers are \d+ and \d+ bytes`)

var netpipeFormat = format{
	name: "NetPIPE", tables: true, whole: isNetPIPE, read: importNetPIPE,
	banners: []pattern{
		netpipeSocket,
		netpipeMode,
		match(`Start testing with \d+ trials`),
		match(`(?:0:\s+\d+ bytes|1:\s+[0-9.]+ +[KMGT]?B)\s+\d+ times\s+-->`),
		match(`\d+:\s+[0-9.]+ +(?:bytes|[KMGT]?B)\s+\d+ times\s+-->`),
	},
}

// isNetPIPE reports whether a log is a file np.out, which consists of rows that agree with
// themselves.
func isNetPIPE(lines []line) bool {
	rows := 0
	for _, line := range lines {
		if line.text == "" {
			continue
		}
		x, ok := numbers(line.text)
		if !ok || len(x) < 3 || x[0].x < 1 || x[0].x != math.Trunc(x[0].x) {
			return false
		}
		if _, ok := netpipeTime(x); !ok {
			return false
		}
		rows++
	}
	return rows > 0
}

// netpipeTime returns the seconds of a row of np.out: bytes, Mbit/s (2^20 bits) and seconds, or
// since version 5 bytes, mean, least and most Gbit/s (10^9 bits) and microseconds. It returns false
// if its numbers do not agree.
func netpipeTime(x []number) (seconds float64, ok bool) {
	var rate, time number // in bytes per second, seconds
	switch {
	case len(x) == 3:
		rate, time = x[1].times((1<<20)/8), x[2]
	case len(x) == 5 && x[2].x <= x[1].x && x[1].x <= x[3].x:
		rate, time = x[1].times(1e9/8), x[4].times(1e-6)
	default:
		return 0, false
	}
	return time.x, rate.x > 0 && time.x > 0 && netpipeAgrees(x[0].x, rate, time)
}

// netpipeAgrees reports whether a size in bytes fits a bandwidth and a time.
func netpipeAgrees(size float64, rate, time number) bool {
	computed := rate.over(size)
	return math.Abs(computed.x-time.x) <= computed.half+time.half+0.01*time.x
}

// importNetPIPE reads rows of NetPIPE: half of a round trip, the best of its trials, since version
// 5 their mean. The Mbit of versions before 5 has 2^20 bits, so the bandwidth is computed from the
// time.
func importNetPIPE(l *log) error {
	transport, mode := "unknown", ""
	return l.each(func(line string) error {
		if netpipeSocket.MatchString(line) {
			transport = "tcp"
		}
		if netpipeMode.MatchString(line) {
			mode = strings.TrimSuffix(line, ".")
		}
		p := l.point("pingpong", transport, "raw", 2)
		var seconds float64
		each, statistic := "a mean", record.Best
		if m := netpipeRow.FindStringSubmatch(line); m != nil {
			size, _ := parse(m[1])
			rate, _ := parse(m[4])
			time, _ := parse(m[6])
			prefixes := map[string]float64{"n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
			time = time.times(prefixes[m[7]])
			p.Size = row{"bytes": size}.count("bytes")
			if m[2] != "bytes" {
				statistic = record.Mean
				size, rate = size.times(prefixes[strings.TrimSuffix(m[2], "B")]), rate.times(prefixes[m[5]]/8)
				if reason := netpipeOdd(mode, size, rate, time, m[8]); reason != "" {
					return l.leaveOut("%s", reason)
				}
				p.Size = int64(math.Round(size.x))
			}
			seconds = time.x
			times := int64(wholeOf(m[3]))
			batch(&p, times)
			each = fmt.Sprintf("the mean of %d round trips timed together", times)
		} else if x, ok := numbers(line); ok && (len(x) == 3 || len(x) == 5) {
			p.Size = row{"bytes": x[0]}.count("bytes")
			if seconds, ok = netpipeTime(x); !ok && len(x) == 5 {
				return nil
			} else if len(x) == 5 {
				statistic = record.Mean
			}
		} else if strings.Contains(line, " times -->") {
			return l.leaveOut("it is not a row of numbers")
		} else {
			return nil
		}
		if seconds <= 0 {
			return l.skip("the time is printed as 0.00")
		}
		p.Metrics.Set("half_rtt_s", record.Value{Median: seconds, N: 1, Statistic: statistic})
		p.Method = "the " + statistic + " of several trials, each " + each + ", as NetPIPE prints it"
		rate(&p, "half_rtt_s", p.Size)
		return l.add(p)
	})
}

// netpipeOdd returns why a row of version 5 is left out, "" if it is a ping-pong. size is in bytes,
// rate in bytes per second; rest is the text behind the row.
func netpipeOdd(mode string, size, rate, time number, rest string) string {
	switch {
	case mode != "":
		return mode + ": it is not a ping-pong"
	case strings.Contains(rest, "failures"):
		return "its data were wrong"
	case size.half > 0.5*(1+1e-9):
		return "the size is printed rounded: import np.out"
	case !netpipeAgrees(size.x, rate, time):
		return "its bandwidth is of several pairs or of both directions"
	}
	return ""
}
