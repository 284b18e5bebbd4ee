package verbs

import (
	"context"

	"gobench/device"
	"gobench/device/protocol"
)

const name = "ibv"

func init() { device.Register(driver{}) }

// driver implements device.Driver and device.RawOpener.
type driver struct{}

var (
	_ device.RawOpener    = driver{}
	_ device.Describer    = driver{}
	_ protocol.WireOpener = driver{}
)

func (driver) Name() string  { return name }

// Aliases implements device.Aliaser.
func (driver) Aliases() []string { return []string{"verbs"} }

func (driver) About() string { return "RDMA by verbs: InfiniBand, RoCE and iWARP" }

// Probe looks for the libraries and for a device with an active port.
func (driver) Probe() error { return probe() }

// Describe implements device.Describer.
func (driver) Describe() []device.Feature { return describe() }

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
