//go:build mpi && cgo

package mpi

import (
	"context"

	"gobench/device"
	"gobench/transports/mpi/library"
)

// raw is the level raw: MPI_Send and MPI_Recv between pairs of ranks, in one communicator with one
// tag.
type raw struct {
	channel
	native bool
}

var _ device.Linker = (*raw)(nil)

// rawTag and rawContext are those of all messages.
const rawTag, rawContext = 0, 0

func openRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	c, err := newChannel(opts)
	if err != nil {
		return nil, err
	}
	return &raw{channel: c, native: opts.Word("loop") == "native"}, nil
}

// check returns the error of the arguments of an operation with another rank.
func (c *raw) check(what string, peer int, tag int32) error {
	switch {
	case c.closed:
		return device.ErrClosed
	case uint(peer) >= uint(c.Size()) || peer == c.Rank():
		return &device.ArgumentError{Name: what, Value: peer, Want: "another rank at level raw"}
	case tag < 0:
		return &device.ArgumentError{Name: "tag", Value: int(tag), Want: "a tag of 0 or more"}
	}
	return nil
}

func (c *raw) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	if err := c.check("destination", dst, tag); err != nil {
		return 0, err
	}
	return c.isend(library.Standard, buf, dst, rawTag, rawContext)
}

func (c *raw) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	if err := c.check("source", src, tag); err != nil {
		return 0, err
	}
	return c.irecv(buf, src, rawTag, rawContext)
}

// Send is MPI_Send.
func (c *raw) Send(buf []byte, dst int, tag, context int32) error {
	if err := c.check("destination", dst, tag); err != nil {
		return err
	}
	return c.send(library.Standard, buf, dst, rawTag, rawContext)
}

// Recv is MPI_Recv.
func (c *raw) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	if err := c.check("source", src, tag); err != nil {
		return device.Status{}, err
	}
	st, err := c.recv(buf, src, rawTag, rawContext)
	st.Tag = tag
	return st, err
}

// Native implements device.Linker.
func (c *raw) Native() bool { return c.native }

// PingPong implements device.Linker. In C it leaves waiting to MPI, whatever the option wait is.
func (c *raw) PingPong(out, in []byte, peer, k int, first bool, stamps *device.Stamps) error {
	if err := c.check("peer", peer, rawTag); err != nil {
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
