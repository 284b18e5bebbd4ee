package importer

import (
	"fmt"
	"math"
	"strconv"

	"gobench/bench/record"
	"gobench/internal/lazyregexp"
)

// netpipeRow matches a row on the terminal: "  0:       1 bytes   4972 times -->   0.76 Mbps in
// 10.03 usec".
var netpipeRow = lazyregexp.New(`^\d+:\s+(\d+) bytes\s+(\d+) times\s+-->\s+([0-9.]+) Mbps in\s+([0-9.]+) (u?)sec`)

// netpipeSocket matches a line that NPtcp prints: the other programs of NetPIPE have no buffers of
// sockets.
var netpipeSocket = lazyregexp.New(`Send and receive buffers are \d+ and \d+ bytes`)

var netpipeFormat = format{
	name: "NetPIPE", tables: true, whole: isNetPIPE, read: importNetPIPE,
	banners: []banner{
		{"Send and receive buffers", netpipeSocket},
		{" times -->", lazyregexp.New(`0:\s+\d+ bytes\s+\d+ times\s+-->`)},
		{" times -->", lazyregexp.New(`\d+:\s+\d+ bytes\s+\d+ times\s+-->`)},
	},
}

// isNetPIPE reports whether a log is a file np.out, which consists of rows of size, Mbit/s and
// seconds that agree with each other.
func isNetPIPE(lines []line) bool {
	rows := 0
	for _, line := range lines {
		if line.text == "" {
			continue
		}
		x, ok := numbers(line.text)
		if !ok || len(x) != 3 || x[0].x < 1 || x[0].x != math.Trunc(x[0].x) || x[1].x <= 0 || x[2].x <= 0 {
			return false
		}
		const bits = 8.0 / (1 << 20) // NetPIPE's Mbit of a byte
		seconds := x[1].over(x[0].x * bits)
		if math.Abs(seconds.x-x[2].x) > seconds.half+x[2].half+0.01*x[2].x {
			return false
		}
		rows++
	}
	return rows > 0
}

// importNetPIPE reads rows of NetPIPE: the best of its trials, half of a round trip. Its Mbit has
// 2^20 bits, so the bandwidth is computed from the time.
func importNetPIPE(l *log) error {
	transport := "unknown"
	for l.at = range l.lines {
		line := l.lines[l.at]
		if netpipeSocket.MatchString(line) {
			transport = "tcp"
		}
		p := l.point("pingpong", transport, "raw", 2)
		var seconds float64
		trial := "a mean"
		if m := netpipeRow.FindStringSubmatch(line); m != nil {
			p.Size = int64(wholeOf(m[1]))
			times := int64(wholeOf(m[2]))
			batch(&p, times)
			seconds, _ = strconv.ParseFloat(m[4], 64)
			if m[5] == "u" {
				seconds *= 1e-6
			}
			trial = fmt.Sprintf("the mean of %d round trips timed together", times)
		} else if x, ok := numbers(line); ok && len(x) == 3 {
			p.Size, seconds = row{"bytes": x[0]}.count("bytes"), x[2].x
		} else {
			continue
		}
		if seconds <= 0 {
			l.warn("times that were printed as 0.00 are left out")
			continue
		}
		p.Metrics["half_rtt_s"] = record.Value{Median: seconds, N: 1, Statistic: record.Best}
		p.Method = "the best of several trials, each " + trial + ", as NetPIPE prints it"
		rate(&p, "half_rtt_s", p.Size)
		if err := l.add(p); err != nil {
			return err
		}
	}
	return nil
}
