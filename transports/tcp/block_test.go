package tcp

import (
	"context"
	"testing"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/protocol"
)

// A rank with many peers waits for one descriptor, however many of them there are: it is ready once
// a peer has sent something, not before, and not for a peer that was lost. The packet of a ready
// peer is delivered.
func TestManyPeersAreOneDescriptor(t *testing.T) {
	const n = fewPeers + 3
	var wires [n]*wire
	must(t, n, func(ctx context.Context, job device.Job) (err error) {
		wires[job.Rank()], _, err = openWire(ctx, job, options(t), nil)
		return err
	})
	t.Cleanup(func() {
		for _, w := range wires {
			if w != nil {
				w.abandon()
			}
		}
	})
	if t.Failed() {
		return
	}
	a, sink := wires[0], &record{}
	ready := func(milliseconds int) int {
		fds, longest := a.arm(nil)
		defer a.Sleep().Disarm()
		if len(fds) != 1 || longest >= 0 {
			t.Fatalf("%d descriptors, longest wait %v: want 1 without a limit", len(fds), longest)
		}
		count, err := unix.Poll(fds, milliseconds)
		if err != nil {
			t.Fatal(err)
		}
		return count
	}
	if ready(0) != 0 {
		t.Fatal("ready before a peer has sent something")
	}
	for _, from := range []int{n - 1, 2} {
		wires[from].Push(0, protocol.Header{W0: 7}, nil)
		if ready(10_000) != 1 {
			t.Fatalf("not ready after rank %d has sent a packet", from)
		}
		before := len(sink.packets)
		if !a.Poll(device.AnySource, sink) || len(sink.packets) != before+1 {
			t.Fatalf("%d packets, want one more than %d", len(sink.packets), before)
		}
		if ready(0) != 0 {
			t.Fatal("ready although all packets are delivered")
		}
	}
	wires[1].abandon()
	if ready(10_000) != 1 || !a.Poll(device.AnySource, sink) || sink.failed[1] == "" {
		t.Fatalf("the loss of rank 1 is not noticed: %v", sink.failed)
	}
	if ready(0) != 0 || len(a.ready.peers) != n-2 {
		t.Fatalf("a lost peer is still waited for: %d peers", len(a.ready.peers))
	}
}
