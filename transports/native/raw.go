package native

import "gobench/device"

// RawTag and RawContext belong to all messages of level raw.
const RawTag, RawContext = 0, 0

// A Raw is the channel of level raw over a library that matches tags: the sends and receives of a
// device between pairs of ranks, with one tag.
type Raw struct{ device device.Device }

// NewRaw returns the channel over d, which it closes.
func NewRaw(d device.Device) Raw { return Raw{d} }

// Check returns the error of the arguments of an operation with another rank.
func (c Raw) Check(what string, peer int, tag int32) error {
	switch {
	case uint(peer) >= uint(c.Size()) || peer == c.Rank():
		return &device.ArgumentError{Name: what, Value: peer, Want: "another rank at level raw"}
	case tag < 0:
		return &device.ArgumentError{Name: "tag", Value: int(tag), Want: "a tag of 0 or more"}
	}
	return nil
}

func (c Raw) Rank() int         { return c.device.Rank() }
func (c Raw) Size() int         { return c.device.Size() }
func (c Raw) Info() device.Info { return c.device.Info() }
func (c Raw) Close() error      { return c.device.Close() }

func (c Raw) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	if err := c.Check("destination", dst, tag); err != nil {
		return 0, err
	}
	return c.device.Isend(buf, dst, RawTag, RawContext)
}

func (c Raw) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	if err := c.Check("source", src, tag); err != nil {
		return 0, err
	}
	return c.device.Irecv(buf, src, RawTag, RawContext)
}

func (c Raw) Send(buf []byte, dst int, tag, context int32) error {
	if err := c.Check("destination", dst, tag); err != nil {
		return err
	}
	return c.device.Send(buf, dst, RawTag, RawContext)
}

func (c Raw) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	if err := c.Check("source", src, tag); err != nil {
		return device.Status{}, err
	}
	st, err := c.device.Recv(buf, src, RawTag, RawContext)
	st.Tag = tag
	return st, err
}

func (c Raw) Wait(q device.Request) (device.Status, error)       { return c.device.Wait(q) }
func (c Raw) Test(q device.Request) (device.Status, bool, error) { return c.device.Test(q) }
