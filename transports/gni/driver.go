package gni

import (
	"context"

	"gobench/device"
	"gobench/device/protocol"
)

const name = "gni"

func init() { device.Register(driver{}) }

// driver implements device.Driver and device.RawLinker.
type driver struct{}

var (
	_ device.RawLinker    = driver{}
	_ device.OptionProber = driver{}
	_ protocol.WireOpener = driver{}
)

func (driver) Name() string  { return name }
func (driver) About() string { return "uGNI of Cray's Gemini and Aries networks" }

// Probe looks for the library and for a NIC.
func (d driver) Probe() error {
	opts, err := device.ParseOptions(d.Options(), nil)
	if err != nil {
		return err
	}
	return d.ProbeWith(opts)
}

// ProbeWith implements device.OptionProber.
func (driver) ProbeWith(opts device.Options) error { return probe(opts) }

func (driver) Options() []device.Option { return append(declared(), protocol.Options()...) }

// Open connects all ranks.
func (d driver) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	return protocol.Open(d.OpenWire(ctx, job, opts, nil))
}

// OpenWire implements protocol.WireOpener.
func (driver) OpenWire(ctx context.Context, job device.Job, opts device.Options, pairs protocol.Pairs) (protocol.Wire, protocol.Config, error) {
	return openPairs(ctx, job, opts, pairs)
}

// RawLinks implements device.RawLinker.
func (driver) RawLinks() {}

// OpenRaw connects all ranks for level "raw".
func (driver) OpenRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	return openRaw(ctx, job, opts)
}

func unavailable(reason, remedy string) error {
	return &device.UnavailableError{Transport: name, Reason: reason, Remedy: remedy}
}
