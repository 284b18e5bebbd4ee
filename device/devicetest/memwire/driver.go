// Package memwire is a protocol.Wire between goroutines that keeps the contract and gives no
// further guarantee: at times it has no room, delivers the packets of peers in random order,
// answers Busy, completes transfers late, refuses registrations, and overwrites memory that the
// protocol may not read any more. A Hostility sets how often; random choices follow from its seed.
//
// It also checks the protocol: a call that the contract of Wire or RMA forbids panics with a
// description of the call.
package memwire

import (
	"context"
	"math/rand/v2"

	"gobench/device"
	"gobench/device/devicetest/inprocess"
	"gobench/device/protocol"
)

// Driver opens protocol devices over memwires. Its fields are set before the
// first Open.
type Driver struct {
	Hostility Hostility

	worlds inprocess.Shared[*world]
}

func (*Driver) Name() string             { return "memwire" }
func (*Driver) About() string            { return "a hostile wire in memory: for tests" }
func (*Driver) Probe() error             { return nil }
func (*Driver) Options() []device.Option { return protocol.Options() }

// Device is a protocol device that can simulate the death of its rank.
type Device struct {
	*protocol.Device
	wire *wire
}

// Kill makes the rank look dead to the others. Its own goroutine calls it.
func (d *Device) Kill() { d.wire.kill() }

// Open makes the world of the job in rank 0 and a wire of it in every rank.
func (d *Driver) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	w, err := d.join(ctx, job)
	if err != nil {
		return nil, err
	}
	p, err := protocol.New(w, protocol.NewConfig("memwire", job, opts))
	if err != nil {
		return nil, err
	}
	return &Device{p, w}, nil
}

// OpenRaw opens the wire without matching.
func (d *Driver) OpenRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	w, err := d.join(ctx, job)
	return protocol.OpenRaw(w, protocol.NewConfig("memwire", job, opts), err)
}

// Wires returns the wires of a job without devices, one for each rank.
func (d *Driver) Wires(size int) []protocol.Wire {
	shared := newWorld(size, d.Hostility)
	wires := make([]protocol.Wire, size)
	for rank := range wires {
		wires[rank] = newWire(shared, rank, rand.New(rand.NewPCG(d.Hostility.Seed, uint64(rank))))
	}
	return wires
}

func (d *Driver) join(ctx context.Context, job device.Job) (*wire, error) {
	shared, number, err := d.worlds.Join(ctx, job, func() *world { return newWorld(job.Size(), d.Hostility) })
	if err != nil {
		return nil, err
	}
	return newWire(shared, job.Rank(), rand.New(rand.NewPCG(d.Hostility.Seed+number, uint64(job.Rank())))), nil
}
