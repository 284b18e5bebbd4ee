package smem

import (
	"testing"

	"gobench/device/protocol"
)

// nothing is the cheapest sink.
type nothing struct{ got int }

func (n *nothing) Packet(int, protocol.Header, []byte) { n.got++ }
func (n *nothing) Completed(uint64, error)             {}
func (n *nothing) Failed(int, string)                  {}

// BenchmarkLocal is what the instructions of Push and Poll cost when no cache
// line has to travel: both ends in one goroutine.
func BenchmarkLocal(b *testing.B) {
	wires := goroutineWires(b, 2, -1)
	var from, to protocol.Wire = wires[0], wires[1]
	data := make([]byte, 8)
	var s nothing
	b.Run("PushPoll8", func(b *testing.B) {
		for b.Loop() {
			from.Push(1, protocol.Header{W0: 1}, data)
			to.Poll(0, &s)
		}
	})
	b.Run("PollInVain", func(b *testing.B) {
		for b.Loop() {
			to.Poll(0, &s)
		}
	})
}
