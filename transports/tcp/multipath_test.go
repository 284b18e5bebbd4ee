package tcp

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"gobench/device"
)

// A connection of Multipath TCP is one where both sides have it, with every engine; else it falls
// back to TCP, which the record says. Data arrives either way.
func TestMultipath(t *testing.T) {
	if err := (settings{multipath: true}).checkMultipath(); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		engine, lower, want string
	}{
		{"poll", "on", "on"}, {"net", "on", "on"}, {"stream", "on", "on"},
		{"poll", "off", "fallback"}, // the lower rank listens
	} {
		data := bytes.Repeat([]byte("multipath"), 100_000)
		errs := ranks(t, 2, func(ctx context.Context, job device.Job) error {
			mptcp := "on"
			if job.Rank() == 0 {
				mptcp = c.lower
			}
			d, err := driver{}.Open(ctx, job, options(t, "engine", c.engine, "mptcp", mptcp))
			if err != nil {
				return err
			}
			defer d.Close()
			if job.Rank() == 0 {
				return d.Send(data, 1, 0, 0)
			}
			info := d.Info()
			if got := info.Options["mptcp"]; got != c.want {
				t.Errorf("engine %s, mptcp=%s at the other rank: the record says %s, want %s", c.engine, c.lower, got, c.want)
			}
			warned := slices.Contains(info.Warnings, "mptcp=on: connections fell back to TCP (fallback)")
			if warned != (c.want != "on") {
				t.Errorf("engine %s, mptcp=%s at the other rank: the warnings are %q", c.engine, c.lower, info.Warnings)
			}
			in := make([]byte, len(data))
			if _, err := d.Recv(in, 0, 0, 0); err != nil {
				return err
			}
			if !bytes.Equal(in, data) {
				t.Errorf("engine %s: the message is not what was sent", c.engine)
			}
			return nil
		})
		for rank, err := range errs {
			if err != nil {
				t.Errorf("engine %s, mptcp=%s at the other rank: rank %d: %v", c.engine, c.lower, rank, err)
			}
		}
	}
}

// Without a connection nothing is known of Multipath TCP.
func TestMultipathAlone(t *testing.T) {
	m := &mesh{conns: make([][]connection, 1)}
	if got := m.multipath(settings{multipath: true}); got != "" {
		t.Errorf("mptcp is %q", got)
	}
}
