package hybrid

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gobench/device"
	"gobench/device/protocol"
)

func init() {
	device.Register(driver{"smem", "tcp"})
	device.Register(driver{"smem", "ibv"})
}

// driver has the names of the drivers of its wires.
type driver struct{ inside, between string }

var _ device.RawOpener = driver{}

func (d driver) Name() string { return d.inside + "+" + d.between }

func (d driver) About() string {
	return fmt.Sprintf("%s between ranks of one host, %s between hosts", d.inside, d.between)
}

// wires returns the drivers of the wires.
func (d driver) wires() (inside, between protocol.WireOpener, err error) {
	var found [2]protocol.WireOpener
	for i, name := range []string{d.inside, d.between} {
		w, err := device.Lookup(name)
		opener, ok := w.(protocol.WireOpener)
		if err != nil || !ok {
			return nil, nil, &device.UnavailableError{Transport: d.Name(), Reason: "this program has no transport " + name + " that can be a part of another"}
		}
		found[i] = opener
	}
	return found[0], found[1], nil
}

// Probe returns the reason of the first wire that cannot be used here.
func (d driver) Probe() error {
	inside, between, err := d.wires()
	if err != nil {
		return err
	}
	for _, w := range []device.Driver{inside, between} {
		if err := w.Probe(); err != nil {
			if why, ok := errors.AsType[*device.UnavailableError](err); ok {
				return &device.UnavailableError{Transport: d.Name(), Reason: why.Reason, Remedy: why.Remedy}
			}
			return err
		}
	}
	return nil
}

// Options returns the options of both wires. Those of the protocol are in both lists.
func (d driver) Options() []device.Option {
	inside, between, err := d.wires()
	if err != nil {
		return protocol.Options()
	}
	list := inside.Options()
	for _, o := range between.Options() {
		if !slices.ContainsFunc(list, func(other device.Option) bool { return other.Name == o.Name }) {
			list = append(list, o)
		}
	}
	return list
}

// Open connects all ranks.
func (d driver) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	w, err := d.open(ctx, job, opts)
	if err != nil {
		return nil, err
	}
	dev, err := protocol.New(w.first, w.config)
	if err != nil {
		return nil, err
	}
	if w.sharing {
		exporter, ok := w.inside.(protocol.Exporter)
		if !ok {
			exporter = alone{job.Rank()}
		}
		return protocol.Share(dev, exporter), nil
	}
	return dev, nil
}

// OpenRaw connects all ranks for level "raw".
func (d driver) OpenRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	w, err := d.open(ctx, job, opts)
	return protocol.OpenRaw(w.first, w.config, err)
}
