package exchange

import (
	"net"
	"testing"

	"gobench/internal/launch/signals"
)

// A process that a rank has left behind may keep its connection open: the rank has told nothing.
func TestToldOfAnOpenConnection(t *testing.T) {
	h := NewHub(NewMeeting(AllRanks(1), nil), &signals.Stops{})
	near, far := net.Pipe()
	defer far.Close()
	h.Serve(0, near)
	if told := h.Told(0); told != "" {
		t.Errorf("it has told %q", told)
	}
	h.End()
}
