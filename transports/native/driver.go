package native

import (
	"cmp"
	"context"

	"gobench/device"
	"gobench/device/protocol"
)

// A Driver is the driver of a transport over a library. It implements device.RawLinker. A program
// that was built without the transport has the driver, which says so.
type Driver struct {
	Transport string // its name
	Summary   string // one line
	Declared  []device.Option
	Library   string // "UCX"
	Needs     string // what a build with it needs: "gcc and libucx-dev"
	Target    string // of make, for such a build; "" = build-full
	// Lacks returns what this machine lacks in addition, "" if nothing; it may be nil.
	Lacks  func() string
	*Calls // nil if the build lacks it
}

// Calls do what the methods of a Driver are for.
type Calls struct {
	Look    func(device.Options) error // ProbeWith
	Connect func(context.Context, device.Job, device.Options) (device.Device, error)
	Link    func(context.Context, device.Job, device.Options) (device.Channel, error)
}

var (
	_ device.RawLinker    = (*Driver)(nil)
	_ device.OptionProber = (*Driver)(nil)
)

func (d *Driver) Name() string             { return d.Transport }
func (d *Driver) About() string            { return d.Summary }
func (d *Driver) Options() []device.Option { return d.Declared }

// Probe implements device.Driver.
func (d *Driver) Probe() error {
	opts, err := device.ParseOptions(d.Declared, nil)
	if err != nil {
		return err
	}
	return d.ProbeWith(opts)
}

// ProbeWith implements device.OptionProber.
func (d *Driver) ProbeWith(opts device.Options) error {
	if d.Calls == nil {
		reason := "this gobench was built without " + d.Library
		if d.Lacks != nil && d.Lacks() != "" {
			reason += ", and " + d.Lacks()
		}
		return &device.UnavailableError{Transport: d.Transport, Reason: reason,
			Remedy: "build with make " + cmp.Or(d.Target, "build-full") + ", which needs " + d.Needs}
	}
	return d.Look(opts)
}

// Open implements device.Driver: it connects all ranks.
func (d *Driver) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	if d.Calls == nil {
		return nil, d.Probe()
	}
	return d.Connect(ctx, job, opts)
}

// RawLinks implements device.RawLinker.
func (*Driver) RawLinks() {}

// OpenRaw implements device.RawOpener: it connects all ranks for level "raw".
func (d *Driver) OpenRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	if d.Calls == nil {
		return nil, d.Probe()
	}
	return d.Link(ctx, job, opts)
}

// A WireDriver is a Driver whose Open makes a device of a wire by package protocol. It needs no
// Connect.
type WireDriver struct {
	Driver
	// OpenPairs is OpenWire; nil if the build lacks it.
	OpenPairs func(context.Context, device.Job, device.Options, protocol.Pairs) (protocol.Wire, protocol.Config, error)
}

var _ protocol.WireOpener = (*WireDriver)(nil)

// Open implements device.Driver: it connects all ranks.
func (d *WireDriver) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	return protocol.Open(d.OpenWire(ctx, job, opts, nil))
}

// OpenWire implements protocol.WireOpener.
func (d *WireDriver) OpenWire(ctx context.Context, job device.Job, opts device.Options, pairs protocol.Pairs) (protocol.Wire, protocol.Config, error) {
	if d.OpenPairs == nil {
		return nil, protocol.Config{}, d.Probe()
	}
	return d.OpenPairs(ctx, job, opts, pairs)
}
