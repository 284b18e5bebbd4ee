//go:build !gni || !cgo

package gni

import (
	"context"

	"gobench/device"
	"gobench/device/protocol"
)

func probe() error {
	return unavailable("this gobench was built without uGNI", "build with make build-full, which needs gcc")
}

func openPairs(context.Context, device.Job, device.Options, protocol.Pairs) (protocol.Wire, protocol.Config, error) {
	return nil, protocol.Config{}, probe()
}

func openRaw(context.Context, device.Job, device.Options) (device.Channel, error) {
	return nil, probe()
}
