//go:build mpi && cgo

package mpi

import (
	"context"

	"gobench/device"
	"gobench/transports/mpi/library"
	"gobench/transports/native"
)

// raw is the level raw: MPI_Send and MPI_Recv between pairs of ranks, in one communicator with one
// tag.
type raw struct {
	native.Raw
	d      *mpi
	native bool
}

var _ device.Linker = (*raw)(nil)

func openRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	d, err := begin(job, opts)
	if err != nil {
		return nil, err
	}
	return &raw{native.NewRaw(d), d, opts.Word("loop") == "native"}, nil
}

// Native implements device.Linker.
func (c *raw) Native() bool { return c.native }

// PingPong implements device.Linker. In C it leaves waiting to MPI, whatever the option wait is.
func (c *raw) PingPong(out, in []byte, peer, k int, first bool, stamps *device.Stamps) error {
	if c.d.closed {
		return device.ErrClosed
	}
	if err := c.Check("peer", peer, native.RawTag); err != nil {
		return err
	}
	var at []int64
	var every, left, made int
	if stamps != nil {
		at, every, left, made = stamps.At, stamps.Every, stamps.Left, stamps.Made
	}
	err := library.Check("MPI_Send and MPI_Recv", library.PingPong(out, in, peer, k, first, at, every, &left, &made))
	if stamps != nil {
		stamps.Left, stamps.Made = left, made
	}
	return err
}

// Link implements device.Linker.
func (c *raw) Link(peer int, out, in []byte) (device.Link, error) {
	return nil, c.Offers(device.LinkPut)
}

// Offers implements device.Linker: nothing.
func (c *raw) Offers(device.LinkOperation) error {
	return unavailable("it does not put and get", "choose a benchmark of messages")
}
