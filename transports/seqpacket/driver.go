// Package seqpacket is a transport over Unix sockets of type SOCK_SEQPACKET between the ranks of
// one host. It is the worked example of docs/extending.md: a complete transport in three short
// files. It passes the conformance suite but is not in transports/all, because shared memory is
// faster wherever it works.
package seqpacket

import (
	"context"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/protocol"
)

const name = "seqpacket"

func init() { device.Register(driver{}) }

type driver struct{}

var _ device.RawOpener = driver{}

func (driver) Name() string  { return name }
func (driver) About() string { return "Unix sockets on one host, one packet for one system call" }

// Probe makes the socket that Open needs.
func (driver) Probe() error {
	fd, err := socket()
	if err != nil {
		return &device.UnavailableError{Transport: name, Reason: "no Unix socket can be made: " + err.Error()}
	}
	return unix.Close(fd)
}

// Options returns the options of the protocol; the transport adds no others.
func (driver) Options() []device.Option { return protocol.Options() }

func (driver) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	w, err := connect(ctx, job)
	return protocol.Open(w, protocol.NewConfig(name, job, opts), err)
}

// OpenRaw opens the wire without matching (level "raw").
func (driver) OpenRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	w, err := connect(ctx, job)
	return protocol.OpenRaw(w, protocol.NewConfig(name, job, opts), err)
}
