package smem

import (
	"testing"

	"gobench/internal/weakmem"
)

// TestModels checks the protocols of this package under a weak memory model
// (docs/notes/weak-memory.md).
func TestModels(t *testing.T) {
	weakmem.Verify(t,
		ringModelOf(2, 1, 1, 1, 0, 0, 1), // first data run out, then slots
		channelModelOf("++-+", "--+-"),   // slot, ring, and the answer gives the slot back
		channelModelOf("+++--", "-+--+"), // the answer comes before the ring is read
		channelModelOf("+-+", "++--"),    // both begin: one by the slot, one by the ring
		bellModelOf(bellFutex, false, false, 1),
		bellModelOf(bellFutex, false, true, 1),
		bellModelOf(bellPipe, false, true, 1),
		bellModelOf(bellFutex, true, true, 2),
		bellModelOf(bellPipe, true, true, 2),
		bellModelOf(bellFutex, true, true, 1, 1),
	)
}
