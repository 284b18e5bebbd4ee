//go:build !mxm || !cgo

package mxm

import (
	"context"

	"gobench/device"
)

func probe() error {
	return &device.UnavailableError{Transport: name, Reason: "this gobench was built without MXM",
		Remedy: "build with make build-full, which needs gcc; ucx is the successor of MXM"}
}

func open(context.Context, device.Job, device.Options) (device.Device, error) { return nil, probe() }

func openRaw(context.Context, device.Job, device.Options) (device.Channel, error) {
	return nil, probe()
}
