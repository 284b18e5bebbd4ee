//go:build !mpi || !cgo

package mpi

import (
	"context"

	"gobench/device"
)

func probe() error {
	return unavailable(withoutMPI, buildMPI)
}

func join() (device.JoinedJob, error) { return nil, probe() }

func open(context.Context, device.Job, device.Options) (device.Device, error) { return nil, probe() }

func openRaw(context.Context, device.Job, device.Options) (device.Channel, error) {
	return nil, probe()
}
