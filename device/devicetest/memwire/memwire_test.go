package memwire

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gobench/device"
	"gobench/device/devicetest"
	"gobench/device/protocol"
)

func kill(d device.Device) { d.(*Device).Kill() }

// TestProtocol runs the conformance suite on the protocol over hostile wires:
// ones that only carry packets, and for every method of long messages one
// that does it immediately, one that does it late.
func TestProtocol(t *testing.T) {
	seed := rand.Uint64()
	if text := os.Getenv("GOBENCH_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	packets := Hostility{Seed: seed, Queue: 8, Packet: 1024, EagerLimit: 2000, NoRoom: 60, Withhold: 80}
	kinds := map[string]Hostility{"packets": packets}
	for _, m := range []protocol.Method{protocol.Get, protocol.Put, protocol.Split} {
		h := packets
		h.Packet, h.EagerLimit = 8192, 9000
		h.Methods = []protocol.Method{m, protocol.Get, protocol.Put, protocol.Split}
		kinds[m.String()] = h
		h.Busy, h.Pending, h.Late, h.Refuse = 60, 128, 20, 10
		if m == protocol.Split { // the method of most states; notices change little for the others
			kinds["split-late"] = h
		}
		h.Notices = true
		kinds[m.String()+"-notice"] = h
	}
	brief := []string{"no overtaking", "every size", "allocated buffers", "truncation", "self messages", "synchronous send",
		"puts and gets of a region", "a region of all ranks or of none", "cancelled sends race with receives", "all to all", "random traffic", "close delivers",
		"death in large transfers", "death in puts to a region", "death of a receiver of much"}
	for name, h := range kinds {
		only, limit := brief, 8
		if name == "packets" || name == "split-late" {
			only = nil
		}
		if name == "packets" { // with 16 ranks the methods are slow, and do nothing else
			limit = 0
		}
		without := map[string]string{}
		if h.Refuse > 0 {
			without["puts and gets of a region"] = "not every message can be put: TestWindowsWhereRegistrationFails"
			without["death in puts to a region"] = without["puts and gets of a region"]
		}
		t.Run(name, func(t *testing.T) {
			t.Logf("seed %d", seed)
			devicetest.Run(t, devicetest.Subject{Driver: &Driver{Hostility: h}, Kill: kill, Only: only, MaxRanks: limit, Without: without,
				Options: map[string]string{"wait": "yield"}})
		})
	}
}
