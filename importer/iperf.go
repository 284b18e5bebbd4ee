package importer

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// iperfFormat is the JSON of iperf3: one object (-J), or one for each event (--json-stream).
var iperfFormat = format{
	name: "iperf3", version: iperfVersion, read: importIperf,
	banners: []pattern{match(`\{\s*"event"\s*:\s*"start"`)},
	object: func(fields map[string]json.RawMessage) bool {
		return fields["start"] != nil && fields["end"] != nil && fields["event"] == nil
	},
}

var iperfVersion = match(`"version"\s*:\s*"iperf ([^"]+)"`)

// iperfTest is the part of the JSON of iperf3 that is imported. Rates are bits per second.
type iperfTest struct {
	Start struct {
		Timestamp struct{ Timesecs int64 }
		TestStart struct {
			Protocol string
			Streams  int   `json:"num_streams"`
			Size     int64 `json:"blksize"`
			Reverse  int
			Bidir    int
			Target   float64 `json:"target_bitrate"`
		} `json:"test_start"`
	}
	End struct {
		Sum         *iperfSum
		Sent        *iperfSum `json:"sum_sent"`
		Received    *iperfSum `json:"sum_received"`
		SentBack    *iperfSum `json:"sum_sent_bidir_reverse"`
		ReceiveBack *iperfSum `json:"sum_received_bidir_reverse"`
		Congestion  string    `json:"sender_tcp_congestion"`
	}
	Error string
}

// iperfSum is the sum over the streams of one direction.
type iperfSum struct {
	Rate    float64 `json:"bits_per_second"`
	Lost    int64   `json:"lost_packets"`
	Packets int64
}

// iperfEvent is an object of --json-stream.
type iperfEvent struct {
	Event string
	Data  json.RawMessage
}

// importIperf reads the JSON of iperf3: the bandwidth that arrived, of all streams, which
// corresponds to uniband, or with --bidir of both directions, which corresponds to biband. The size
// of a message is the size of a write, in UDP of a datagram.
func importIperf(l *log) error {
	var t iperfTest
	if l.doc != nil {
		if err := l.object(&t); err != nil {
			return l.leaveOut("%v", err)
		}
		return l.iperfPoint(&t)
	}
	for l.at = range l.lines {
		var event iperfEvent
		if json.Unmarshal([]byte(l.lines[l.at]), &event) != nil {
			continue
		}
		var err error
		switch event.Event {
		case "start":
			err = fieldsOf(event.Data, &t.Start)
		case "error":
			err = fieldsOf(event.Data, &t.Error)
		case "end":
			if err = fieldsOf(event.Data, &t.End); err == nil {
				return l.iperfPoint(&t)
			}
		}
		if err != nil {
			return l.leaveOut("%v", err)
		}
	}
	return nil
}

// iperfPoint adds the point of a test.
func (l *log) iperfPoint(t *iperfTest) error {
	asked, end := t.Start.TestStart, t.End
	there, whose := end.Received, "of the receiver"
	if there == nil || there.Rate <= 0 {
		there, whose = end.Sum, "of the sender" // UDP before 3.2, whose receiver prints no rate
	}
	if there == nil || there.Rate <= 0 {
		there, whose = end.Sent, "of the sender"
	}
	switch {
	case t.Error != "":
		return l.leaveOut("iperf3 failed: %s", t.Error)
	case there == nil || there.Rate <= 0 || asked.Protocol == "":
		return l.leaveOut("the test of iperf3 has no rate: nothing arrived")
	}
	if when := t.Start.Timestamp.Timesecs; when > 0 && when < 1<<37 {
		l.facts.when = time.Unix(when, 0).UTC()
	}
	p := l.point("uniband", strings.ToLower(asked.Protocol), "raw", 2)
	p.Size = asked.Size
	rate, lost, packets := there.Rate, there.Lost, there.Packets
	both := asked.Bidir != 0 || end.SentBack != nil || end.ReceiveBack != nil
	direction := ""
	switch {
	case both:
		back := end.ReceiveBack
		if back == nil || back.Rate <= 0 {
			return l.leaveOut("the test of iperf3 was in both directions, and one of them has no rate")
		}
		p.Bench = "biband"
		rate, lost, packets = rate+back.Rate, lost+back.Lost, packets+back.Packets
		whose += ", both directions"
	case asked.Reverse != 0:
		direction = "reverse"
	}
	bitrate := ""
	if asked.Target > 0 {
		bitrate = strconv.FormatFloat(asked.Target, 'f', -1, 64)
	}
	p.Options = chosen("streams", severalOf(asked.Streams), "direction", direction, "bitrate", bitrate, "congestion", end.Congestion)
	if lost > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d of %d datagrams were lost", lost, packets))
	}
	p.Method = fmt.Sprintf("mean of one test, %s, as %s prints it", whose, l.writer())
	p.Metrics.Set("bandwidth_Bps", mean(rate/8))
	return l.add(p)
}
