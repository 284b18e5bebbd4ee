package gni

import (
	"context"

	"gobench/device"
	"gobench/device/protocol"
	"gobench/transports/native"
)

const name = "gni"

// wireDriver is a native.Driver that also implements protocol.WireOpener.
type wireDriver struct {
	native.Driver
	// openPairs connects the pairs of ranks. It is unset in a build that lacks uGNI.
	openPairs func(context.Context, device.Job, device.Options, protocol.Pairs) (protocol.Wire, protocol.Config, error)
}

var _ protocol.WireOpener = driver

var driver = &wireDriver{Driver: native.Driver{
	Transport: name,
	Summary:   "uGNI of Cray's Gemini and Aries networks",
	Library:   "uGNI", Needs: "gcc",
	Declared: append(declared(), protocol.Options()...),
}}

func init() { device.Register(driver) }

// OpenWire implements protocol.WireOpener.
func (d *wireDriver) OpenWire(ctx context.Context, job device.Job, opts device.Options, pairs protocol.Pairs) (protocol.Wire, protocol.Config, error) {
	if d.openPairs == nil {
		return nil, protocol.Config{}, d.Probe()
	}
	return d.openPairs(ctx, job, opts, pairs)
}
