//go:build !gni || !cgo

package gni

import (
	"context"

	"gobench/device"
	"gobench/device/protocol"
)

func probe(device.Options) error {
	return unavailable("this gobench was built without uGNI", "build with make build-full, which needs gcc")
}

func openPairs(_ context.Context, _ device.Job, opts device.Options, _ protocol.Pairs) (protocol.Wire, protocol.Config, error) {
	return nil, protocol.Config{}, probe(opts)
}

func openRaw(_ context.Context, _ device.Job, opts device.Options) (device.Channel, error) {
	return nil, probe(opts)
}
