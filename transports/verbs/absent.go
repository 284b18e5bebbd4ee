//go:build !verbs || !cgo

package verbs

import (
	"context"

	"gobench/device"
	"gobench/device/protocol"
)

// probe returns the reason why this binary has no verbs, and what this machine lacks in addition.
func probe() error {
	reason := "this gobench was built without verbs"
	if why := noDevice(hcas(sysfs)); why != "" {
		reason += ", and " + why
	}
	return unavailable(reason, "build with make build-verbs, which needs gcc, libibverbs-dev and librdmacm-dev")
}

func describe() []device.Feature { return nil }

func openPairs(context.Context, device.Job, device.Options, protocol.Pairs) (protocol.Wire, protocol.Config, error) {
	return nil, protocol.Config{}, probe()
}

func openRaw(context.Context, device.Job, device.Options) (device.Channel, error) {
	return nil, probe()
}
