package tcp

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gobench/device"
	"gobench/device/protocol"
)

// TestDeathWithinLongPacket ends one rank of two in the middle of a long packet: the other is told
// so, whether it sends or receives, and has posted its receive or not.
func TestDeathWithinLongPacket(t *testing.T) {
	const size = 1 << 20
	onAll(t, func(t *testing.T, set ...string) {
		for name, c := range map[string]struct {
			dies int
			room int // of the receive; 0: none is posted
		}{
			"receiver":              {1, size},
			"sender":                {0, size},
			"sender, short receive": {0, 1000},
			"sender, no receive":    {0, 0},
		} {
			var wires [2]*wire
			var devices [2]*protocol.Device
			must(t, 2, func(ctx context.Context, job device.Job) error {
				w, config, err := openWire(ctx, job, options(t, append(set, "sndbuf", "16KiB", "rcvbuf", "16KiB")...), nil)
				if err != nil {
					return err
				}
				wires[job.Rank()] = w
				devices[job.Rank()], err = protocol.New(w, config)
				return err
			})
			var requests [2]device.Request
			var err error
			if c.room > 0 {
				if requests[1], err = devices[1].Irecv(make([]byte, c.room), 0, 1, 1); err != nil {
					t.Fatal(err)
				}
			}
			if requests[0], err = devices[0].Isend(make([]byte, size), 1, 1, 1); err != nil {
				t.Fatal(err)
			}
			in := &wires[1].peers[0].in.in
			until(t, "a part of the data", func() bool { return in.lands && len(in.fill) < size }, func() { devices[1].Iprobe(0, 2, 1) })
			left := 1 - c.dies
			if left == 1 && c.room == 0 {
				if requests[1], err = devices[1].Irecv(make([]byte, size), 0, 1, 1); err != nil {
					t.Fatal(err)
				}
			}
			wires[c.dies].abandon()
			done := false
			until(t, "the end of the request", func() bool { return done }, func() { _, done, err = devices[left].Test(requests[left]) })
			var lost *device.PeerError
			if !errors.As(err, &lost) || lost.Rank != c.dies || !strings.HasPrefix(lost.Cause, "it closed its connection") && !strings.HasPrefix(lost.Cause, "its connection was reset") {
				t.Errorf("%s dies: the other is told %v", name, err)
			}
			wires[left].abandon()
		}
	})
}
