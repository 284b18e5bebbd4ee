package importer

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gobench/internal/remedy"
	"gobench/record"
)

var sockperfFormat = format{
	name: "sockperf", version: sockperfVersion, read: importSockperf,
	banners: []pattern{
		sockperfCommand,
		sockperfVersion,
		match(`sockperf: Starting test`),
	},
}

var (
	sockperfCommand = match(shell + `sockperf +(ping-pong|pp|under-load|ul|throughput|tp|playback|pb)\b(.*)`)
	sockperfVersion = match(`sockperf: == version #(\S+)`)
	sockperfAsked   = match(`test was performed using the following parameters:(.*)`)
	sockperfSize    = match(`(?:^|\s)(?:-m *|--msg-size[= ] *)(\d+)\b|using msg-size=(\d+)\b`)
	sockperfLoad    = match(`(?:^|\s)--mps[= ] *(\w+)`)
	sockperfKind    = match(`(?:^|send on:)\[\s*\d+\] (?:IP|ADDR) = (/?).*# (TCP|UDP)\b`)
	sockperfValid   = match(`\[Valid Duration\] RunTime=([0-9.]+) sec; SentMessages=(\d+); ReceivedMessages=(\d+)`)
	sockperfLost    = match(`# dropped messages = (\d+)`)
	sockperfMean    = match(`====> avg-(lat|latency|rtt)\s*=\s*([0-9.]+)`)
	sockperfBurst   = match(`Summary: .* of burst of (\d+) messages`)
	sockperfTotal   = match(`Total (\d+) observations`)
	sockperfPart    = match(`---> (?:percentile\s+([0-9.]+)|<(MAX|MIN)> observation)\s*=\s*([0-9.]+)`)
	sockperfRate    = match(`Summary: Message Rate is (\d+) \[msg/sec\]`)
	sockperfStream  = match(`Summary: BandWidth is ([0-9.]+) (M|G)Bps`)
)

// sockperfDefault is the size of messages of a command line without -m, in bytes: the header.
const sockperfDefault = 14

// sockperfTest holds what a program of sockperf prints.
type sockperfTest struct {
	command, kind string
	size          int64 // -1 = not stated
	load          string
	burst         int
	rtt           bool // times cover a round trip
	mean          number
	total         int
	seconds       number
	sent          int
	received      int
	lost          int
	parts         map[string]number // percentiles, "MAX" and "MIN"
	rate          number            // messages per second
	bandwidth     number            // bytes per second
}

// importSockperf reads what the client of sockperf prints. Times are half of a round trip, with
// --full-rtt a whole one, of events that are timed alone. A MB has 2^20 bytes. ping-pong and
// under-load print the same; a log is of under-load if it says so, or if messages were sent before
// the answers to those before them had come. The size of a message is stated by the command line
// only, if the log contains that, and by the tests of throughput.
func importSockperf(l *log) error {
	t := sockperfTest{size: -1, burst: 1, parts: map[string]number{}}
	result := 0
	err := l.each(func(line string) error {
		if t.observe(l, line) {
			result = l.at
		}
		return nil
	})
	l.at = result
	switch {
	case err != nil:
		return err
	case t.bandwidth.x > 0:
		return l.sockperfStream(&t)
	case t.mean.x > 0:
		return l.sockperfTimes(&t)
	}
	return nil
}

// observe evaluates a line. It returns true for that of the result.
func (t *sockperfTest) observe(l *log, line string) bool {
	if m := sockperfCommand.FindStringSubmatch(line); m != nil && t.command == "" {
		t.command = m[1]
		if m[1] != "playback" && m[1] != "pb" { // whose sizes come from a file
			t.size = sockperfDefault
		}
		t.asked(m[2])
	}
	if m := sockperfAsked.FindStringSubmatch(line); m != nil {
		t.asked(m[1])
	}
	if strings.Contains(line, "using msg-size=") {
		t.asked(line)
	}
	if m := sockperfKind.FindStringSubmatch(line); m != nil {
		if t.kind = strings.ToLower(m[2]); m[1] == "/" {
			t.kind = "unix"
		}
	}
	l.scan(sockperfLost, line, &t.lost)
	l.scan(sockperfBurst, line, &t.burst)
	l.scan(sockperfTotal, line, &t.total)
	l.scan(sockperfRate, line, &t.rate)
	l.scan(sockperfValid, line, &t.seconds, &t.sent, &t.received)
	if m := sockperfPart.FindStringSubmatch(line); m != nil {
		name := m[2]
		if name == "" {
			share, _ := strconv.ParseFloat(m[1], 64)
			name = strconv.FormatFloat(share, 'g', -1, 64)
		}
		t.parts[name], _ = parse(m[3])
	}
	if m := sockperfMean.FindStringSubmatch(line); m != nil && t.mean.x == 0 {
		t.rtt = m[1] == "rtt"
		t.mean, _ = parse(m[2])
		return true
	}
	if m := sockperfStream.FindStringSubmatch(line); m != nil && t.bandwidth.x == 0 {
		printed, _ := parse(m[1])
		t.bandwidth = printed.times(map[string]float64{"M": 1 << 20, "G": 1000 << 20}[m[2]])
		return true
	}
	return false
}

// asked evaluates options of a command line.
func (t *sockperfTest) asked(options string) {
	if m := sockperfSize.FindStringSubmatch(options); m != nil {
		t.size = int64(wholeOf(m[1] + m[2]))
	}
	if m := sockperfLoad.FindStringSubmatch(options); m != nil {
		t.load = m[1]
	}
}

// loaded reports whether messages were sent before the answer to the one before had come.
func (t *sockperfTest) loaded() bool {
	switch t.command {
	case "under-load", "ul", "playback", "pb":
		return true
	case "ping-pong", "pp":
		return false
	}
	trip := t.mean.x * 2e-6
	if t.rtt {
		trip /= 2
	}
	return t.sent > t.received+t.lost+1 || trip*float64(t.received) > 1.05*t.seconds.x
}

// sockperfTimes adds the point of a latency test.
func (l *log) sockperfTimes(t *sockperfTest) error {
	size, ok := l.sizeOr(t.size)
	if !ok {
		return l.leaveOut("the log does not state the size of sockperf's messages: add %v", remedy.Named("size"))
	}
	p := l.point("pingpong", cmp.Or(t.kind, "unknown"), "raw", 2)
	p.Size, p.Iterations = size, int64(t.total)
	if t.loaded() {
		p.Bench = "loaded_lat"
		if t.load == "" {
			l.warn("the log does not state the load of sockperf under-load: launches with different loads are not told apart")
		}
	}
	p.Options = chosen("mps", t.load, "burst", severalOf(t.burst))
	unit := 1e-6
	if t.rtt {
		unit /= 2
	}
	v := record.Value{Median: t.mean.x * unit, N: 1, Statistic: record.Mean}
	p.Method = "mean of the answers, as " + l.writer() + " prints it"
	if median := t.parts["50"]; median.x > 0 && t.total > 0 {
		v = record.Value{Median: median.x * unit, Mean: t.mean.x * unit, N: t.total, P50: median.x * unit}
		p.Method = fmt.Sprintf("median of %d answers, as %s prints it", t.total, l.writer())
		tails(&v, func(share string) float64 { return t.parts[share].x * unit })
		v.Min, v.Max = t.parts["MIN"].x*unit, t.parts["MAX"].x*unit
	}
	if t.rtt {
		p.Method += "; half of the round trip that it prints"
	}
	if t.lost > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d messages were lost", t.lost))
	}
	p.Metrics.Set("half_rtt_s", v)
	return l.add(p)
}

// sockperfStream adds the point of a throughput test.
func (l *log) sockperfStream(t *sockperfTest) error {
	size := t.size
	if whole, ok := quotient(t.bandwidth, t.rate); size < 0 && ok {
		size = whole
	}
	size, ok := l.sizeOr(size)
	if !ok {
		return l.leaveOut("the log does not state the size of sockperf's messages: add %v", remedy.Named("size"))
	}
	p := l.point("uniband", cmp.Or(t.kind, "unknown"), "raw", 2)
	p.Size = size
	p.Options = chosen("mps", t.load)
	p.Method = "mean of one test, of the sender, as " + l.writer() + " prints it"
	l.streamed(&p, t.bandwidth, t.rate)
	return l.add(p)
}

// quotient returns the whole number that total / each is. It returns false unless the digits
// printed leave one only.
func quotient(total, each number) (int64, bool) {
	if total.x <= 0 || each.x <= each.half {
		return 0, false
	}
	low, high := (total.x-total.half)/(each.x+each.half), (total.x+total.half)/(each.x-each.half)
	whole := math.Round(total.x / each.x)
	if whole < 1 || whole > 1<<53 || math.Floor(high) != whole || math.Ceil(low) != whole {
		return 0, false
	}
	return int64(whole), true
}

// tails sets the percentiles of a value of N times, each of which part returns by its share in
// percent, as far as N times are enough for them.
func tails(v *record.Value, part func(share string) float64) {
	if v.N >= 10 {
		v.P90 = part("90")
	}
	if v.N >= 100 {
		v.P99 = part("99")
	}
	if v.N >= 1000 {
		v.P999 = part("99.9")
	}
}

// chosen returns options by names and values, without those that are not stated.
func chosen(pairs ...string) map[string]string {
	var options map[string]string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			if options == nil {
				options = map[string]string{}
			}
			options[pairs[i]] = pairs[i+1]
		}
	}
	return options
}

// severalOf returns a number as text, "" below 2.
func severalOf(n int) string {
	if n < 2 {
		return ""
	}
	return strconv.Itoa(n)
}

// sizeOr returns the size of messages that a log states, or -1 for the one that is given.
func (l *log) sizeOr(stated int64) (int64, bool) {
	if stated >= 0 {
		return stated, true
	}
	return l.given.Size, l.given.Size > 0
}
