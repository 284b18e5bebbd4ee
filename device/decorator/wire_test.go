package decorator

import (
	"sync"
	"testing"

	"gobench/device"
	"gobench/device/devicetest/memwire"
	"gobench/device/protocol"
)

// TestPacketsOfEachProtocol states how many packets one message costs, on both
// sides together.
func TestPacketsOfEachProtocol(t *testing.T) {
	const packet = 1024
	cases := []struct {
		rndv string
		size int
		want string
	}{
		{"pipeline", 100, "to 1: 1 eager; 0 puts, 0 gets | 0 puts, 0 gets"},
		{"pipeline", 3000, "to 1: 1 eager, 2 fragment; 0 puts, 0 gets | 0 puts, 0 gets"},
		{"pipeline", 10 * packet, "to 1: 1 RTS, 10 data; 0 puts, 0 gets | to 0: 1 CTS; 0 puts, 0 gets"},
		{"get", 10 * packet, "to 1: 1 RTS; 0 puts, 0 gets | to 0: 1 FIN; 0 puts, 1 gets"},
		{"put", 10 * packet, "to 1: 1 RTS, 1 FIN; 1 puts, 0 gets | to 0: 1 CTS; 0 puts, 0 gets"},
		{"split", 10 * packet, "to 1: 1 RTS, 1 FIN; 1 puts, 0 gets | to 0: 1 CTS, 1 FIN; 0 puts, 1 gets"},
	}
	for _, c := range cases {
		driver := &memwire.Driver{Hostility: memwire.Hostility{Queue: 8, Packet: packet, EagerLimit: 4 * packet,
			Methods: []protocol.Method{protocol.Get, protocol.Put, protocol.Split}}}
		options, err := device.ParseOptions(protocol.Options(), map[string]string{"rndv": c.rndv})
		try(t, err)
		var counts [2]*WireCounts
		var devices [2]device.Device
		for rank, w := range driver.Wires(2) {
			w, counts[rank] = CountWire(w, 2)
			devices[rank], err = protocol.New(w, protocol.Config{Transport: "memwire", Rank: rank, Size: 2, LocalSize: 2, Options: options})
			try(t, err)
		}
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := devices[1].Recv(make([]byte, c.size), 0, 0, 0); err != nil {
				t.Error(err)
			}
		})
		try(t, devices[0].Send(make([]byte, c.size), 1, 0, 0))
		both.Wait()
		if got := counts[0].String() + " | " + counts[1].String(); got != c.want {
			t.Errorf("%d bytes by %s:\n%s\nwant:\n%s", c.size, c.rndv, got, c.want)
		}
		if n := counts[0].Packets(1, "RTS"); n != min(1, int64(c.size/(10*packet))) {
			t.Errorf("%d bytes: %d RTS", c.size, n)
		}
		for _, d := range devices {
			both.Go(func() {
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
	}
}

// bare is a wire without abilities.
type bare struct{ protocol.Wire }

type allocating struct {
	protocol.Wire
	protocol.Allocator
}

func TestCountedWireKeepsAbilities(t *testing.T) {
	w := (&memwire.Driver{Hostility: memwire.Hostility{Queue: 1, Packet: 256}}).Wires(1)[0]
	cases := []struct {
		wire           protocol.Wire
		rma, allocates bool
	}{
		{bare{w}, false, false},
		{w, true, false},
		{allocating{Wire: w}, false, true},
		{struct {
			allocating
			protocol.RMA
		}{allocating{Wire: w}, nil}, true, true},
	}
	for i, c := range cases {
		counted, _ := CountWire(c.wire, 1)
		_, rma := counted.(protocol.RMA)
		_, allocator := counted.(protocol.Allocator)
		if rma != c.rma || allocator != c.allocates {
			t.Errorf("case %d: RMA %t, Allocator %t", i, rma, allocator)
		}
	}
}
