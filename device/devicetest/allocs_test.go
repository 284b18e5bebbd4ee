//go:build !race

package devicetest

import (
	"context"
	"strings"
	"testing"

	"gobench/device"
	"gobench/device/devicetest/memwire"
)

// wasteful is a driver whose devices allocate in every third Send of 8 bytes by rank 1 only.
type wasteful struct{ memwire.Driver }

func (w *wasteful) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	d, err := w.Driver.Open(ctx, job, opts)
	return &wastefulDevice{Device: d}, err
}

type wastefulDevice struct {
	device.Device
	sends int
	waste []byte
}

func (d *wastefulDevice) Send(buf []byte, dst int, tag, context int32) error {
	if len(buf) == 8 && d.Rank() == 1 {
		if d.sends++; d.sends%3 == 0 {
			d.waste = make([]byte, 4096)
		}
	}
	return d.Device.Send(buf, dst, tag, context)
}

// The rule finds an allocation that only some calls make, and reports none if there is none.
func TestRareAllocations(t *testing.T) {
	calm := memwire.Driver{Hostility: memwire.Hostility{Queue: 64, Packet: 8192, EagerLimit: 9000}}
	for _, u := range allocRules() {
		if _, err := try(Subject{Driver: &calm}, u, 2, 1); err != nil {
			t.Errorf("a device that does not allocate: %v", err)
		}
		_, err := try(Subject{Driver: &wasteful{memwire.Driver{Hostility: calm.Hostility}}}, u, 2, 1)
		if err == nil {
			t.Fatalf("rule %q holds for a device that allocates in every third Send of 8 bytes", u.name)
		}
		if !strings.Contains(err.Error(), "(*wastefulDevice).Send (allocs_test.go:") {
			t.Errorf("the error does not name the line that allocates: %v", err)
		}
	}
}
