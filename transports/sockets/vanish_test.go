package sockets

import (
	"strings"
	"testing"
	"time"
)

// ending is a stream that can only be ended.
type ending struct {
	stream
	ended bool
}

func (e *ending) SetDeadline(time.Time) error {
	e.ended = true
	return nil
}

// A host that does not answer for hostTimeout is lost. One that has answered again is asked anew
// in its next silence.
func TestSilence(t *testing.T) {
	s := &ending{}
	w := &watched{peer: &peer{rank: 3, stream: s}, host: "h1", address: "127.0.0.1:1"}
	w.judge(hostTimeout/2, 1400)
	first := w.echo
	if w.judge(hostTimeout-1, 1400); first == nil || w.echo != first {
		t.Error("in one silence the host is not asked once")
	}
	for end := time.Now().Add(20 * time.Second); !first.Load() && time.Now().Before(end); {
		time.Sleep(time.Millisecond) // the refusal of a connection is an answer
	}
	if w.judge(0, 0); w.echo != nil {
		t.Error("what a host has answered in a silence that is over is kept")
	}
	if w.judge(hostTimeout-1, 1400); s.ended || w.peer.err.Load() != nil {
		t.Error("it is lost too early")
	}
	w.echo = first
	w.judge(hostTimeout, 1400)
	if lost := w.peer.err.Load(); !s.ended || lost == nil || lost.Rank != 3 || !strings.Contains(lost.Cause, "its host h1 answers short packets") {
		t.Errorf("after %v of silence: %v", hostTimeout, lost)
	}
}
