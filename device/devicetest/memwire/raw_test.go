package memwire

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"gobench/device"
	"gobench/device/protocol"
)

// TestRawWithLittleMemory streams messages both ways over raw channels whose
// memory for early packets is as small as it can be: senders wait, and go on.
func TestRawWithLittleMemory(t *testing.T) {
	for _, budget := range []string{"64", "128", "192", "256", "512", "1KiB", "1500", "16KiB"} {
		driver := &Driver{Hostility: Hostility{Queue: 4, Packet: 1024, NoRoom: 40, Withhold: 40}}
		options, err := device.ParseOptions(protocol.Options(), map[string]string{"eager_budget": budget, "wait": "yield"})
		if err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		for rank, w := range driver.Wires(2) {
			channel, err := protocol.NewRaw(w, protocol.Config{Transport: "memwire", Rank: rank, Size: 2, LocalSize: 2, Options: options})
			if err != nil {
				t.Fatal(err)
			}
			both.Go(func() { stream(t, channel) })
		}
		ended := make(chan struct{})
		go func() { both.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			t.Fatalf("eager_budget=%s: the channels hang", budget)
		}
	}
}

// stream sends messages to the other rank and then receives as many.
func stream(t *testing.T, c device.Channel) {
	peer := 1 - c.Rank()
	sizes := []int{0, 1, 64, 65, 200, 1024, 5000}
	for round := range 20 {
		var sends []device.Request
		for _, n := range sizes {
			q, err := c.Isend(bytes.Repeat([]byte{byte(n + round)}, n), peer, 0, 0)
			if err != nil {
				t.Error(err)
				return
			}
			sends = append(sends, q)
		}
		for _, n := range sizes {
			in := make([]byte, n+1)
			st, err := c.Recv(in, peer, 0, 0)
			if err != nil || st.Size != n || !bytes.Equal(in[:n], bytes.Repeat([]byte{byte(n + round)}, n)) {
				t.Errorf("round %d, %d bytes: %+v, %v", round, n, st, err)
			}
		}
		for _, q := range sends {
			if _, err := c.Wait(q); err != nil {
				t.Error(err)
			}
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
