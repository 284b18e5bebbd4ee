package native

import (
	"context"

	"gobench/device"
)

// A Driver is the driver of a transport over a library. It implements device.RawLinker. A program
// that was built without the transport has the driver, which says so.
type Driver struct {
	Transport string // its name
	Summary   string // one line
	Declared  []device.Option
	Library   string // "UCX"
	Needs     string // what a build with it needs: "gcc and libucx-dev"
	*Calls           // nil if the build lacks it
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
		return &device.UnavailableError{Transport: d.Transport, Reason: "this gobench was built without " + d.Library,
			Remedy: "build with make build-full, which needs " + d.Needs}
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
