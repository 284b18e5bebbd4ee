//go:build !ofi || !cgo

package ofi

import (
	"context"

	"gobench/device"
)

func probe() error {
	return &device.UnavailableError{Transport: name, Reason: "this gobench was built without libfabric",
		Remedy: "build with make build-full, which needs gcc and libfabric-dev"}
}

func open(context.Context, device.Job, device.Options) (device.Device, error) { return nil, probe() }

func openRaw(context.Context, device.Job, device.Options) (device.Channel, error) {
	return nil, probe()
}
