package netif

import (
	"net"
	"strings"
	"testing"
	"time"
)

func TestHush(t *testing.T) {
	var h silence
	start := time.Unix(1000, 0)
	for i, c := range []struct {
		at                  time.Duration
		retransmits, probes uint8
		answer              time.Duration // the last was so long ago
		want                time.Duration
	}{
		{0, 0, 0, time.Hour, 0},           // idle for an hour
		{time.Second, 1, 0, time.Hour, 0}, // a packet is lost after that: no reason to give up
		{4 * time.Second, 3, 0, time.Hour, 3 * time.Second},
		{5 * time.Second, 4, 0, time.Second / 2, time.Second / 2}, // there was an answer
		{6 * time.Second, 0, 0, time.Second, 0},
		{9 * time.Second, 0, 1, time.Second, 0},
		{30 * time.Second, 0, 5, 22 * time.Second, 21 * time.Second},
	} {
		path := pathInfo{retransmits: c.retransmits, probes: c.probes, lastAnswer: uint32(c.answer.Milliseconds())}
		if got := h.since(&path, start.Add(c.at)); got != c.want {
			t.Errorf("look %d: silent for %v, want %v", i, got, c.want)
		}
	}
}

// A host is as silent as the path of Multipath TCP on which it has answered last.
func TestLastPath(t *testing.T) {
	cut, late, idle := pathInfo{retransmits: 3, lastAnswer: 9000}, pathInfo{probes: 1, lastAnswer: 50}, pathInfo{lastAnswer: 60_000}
	for i, c := range []struct {
		of   []pathInfo
		want pathInfo
	}{
		{[]pathInfo{cut}, cut},
		{[]pathInfo{cut, late}, late},
		{[]pathInfo{late, cut}, late},
		{[]pathInfo{cut, late, idle}, idle},
		{[]pathInfo{idle, late}, idle},
	} {
		p := paths{count: uint32(len(c.of))}
		copy(p.of[:], c.of)
		if got := *p.last(); got != c.want {
			t.Errorf("case %d: %+v, want %+v", i, got, c.want)
		}
	}
}

// A host that answers short packets is not called dead, and long packets are named only where there
// were some.
func TestDescribeSilence(t *testing.T) {
	for _, c := range []struct {
		packet   int
		answered bool
		want     string
	}{
		{9000, true, "its host 10.0.0.2 answers short packets, but for 10s none of 9000 bytes: compare the MTUs of both hosts and of what is between them (ip link; ping -M do -s 8972 10.0.0.2)"},
		{9000, false, "its host 10.0.0.2 does not answer any more"},
		{60, true, "its host 10.0.0.2 does not answer any more"},
		{0, true, "its host 10.0.0.2 does not answer any more"},
	} {
		if got := DescribeSilence("10.0.0.2", 10*time.Second+time.Millisecond, c.packet, c.answered); !strings.HasPrefix(got, c.want) {
			t.Errorf("packets of %d bytes, answered %v: %s", c.packet, c.answered, got)
		}
	}
}

// What nobody listens at answers, too, and what is not there does not.
func TestAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	answer := func(address string) bool {
		b := Answers(address, 5*time.Second)
		for until := time.Now().Add(20 * time.Second); !b.Load() && time.Now().Before(until); {
			time.Sleep(time.Millisecond)
		}
		return b.Load()
	}
	if !answer(l.Addr().String()) {
		t.Error("no answer of a listener")
	}
	l.Close()
	if !answer(l.Addr().String()) {
		t.Error("no answer where nobody listens")
	}
}
