//go:build cgo && (ucx || ofi || mxm)

package tagged

import "gobench/device"

// raw is the level raw: the sends and receives of the library between pairs of ranks, with one tag.
type raw struct{ d *Device }

var _ device.Channel = raw{}

// NewRaw returns the channel of level raw over an open library. It owns the library even if it
// returns an error.
func NewRaw(c Config) (device.Channel, error) {
	d, err := New(c)
	if err != nil {
		return nil, err
	}
	return raw{d}, nil
}

// rawTag and rawContext are those of all messages.
const rawTag, rawContext = 0, 0

// check returns the error of the arguments of an operation with another rank.
func (c raw) check(what string, peer int, tag int32) error {
	switch {
	case c.d.closed:
		return device.ErrClosed
	case uint(peer) >= uint(c.Size()) || peer == c.Rank():
		return &device.ArgumentError{Name: what, Value: peer, Want: "another rank at level raw"}
	case tag < 0:
		return &device.ArgumentError{Name: "tag", Value: int(tag), Want: "a tag of 0 or more"}
	}
	return nil
}

func (c raw) Rank() int         { return c.d.Rank() }
func (c raw) Size() int         { return c.d.Size() }
func (c raw) Info() device.Info { return c.d.Info() }
func (c raw) Close() error      { return c.d.Close() }

func (c raw) Isend(buf []byte, dst int, tag, context int32) (device.Request, error) {
	if err := c.check("destination", dst, tag); err != nil {
		return 0, err
	}
	return c.d.Isend(buf, dst, rawTag, rawContext)
}

func (c raw) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	if err := c.check("source", src, tag); err != nil {
		return 0, err
	}
	return c.d.Irecv(buf, src, rawTag, rawContext)
}

func (c raw) Send(buf []byte, dst int, tag, context int32) error {
	if err := c.check("destination", dst, tag); err != nil {
		return err
	}
	return c.d.Send(buf, dst, rawTag, rawContext)
}

func (c raw) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	if err := c.check("source", src, tag); err != nil {
		return device.Status{}, err
	}
	st, err := c.d.Recv(buf, src, rawTag, rawContext)
	st.Tag = tag
	return st, err
}

func (c raw) Wait(q device.Request) (device.Status, error)       { return c.d.Wait(q) }
func (c raw) Test(q device.Request) (device.Status, bool, error) { return c.d.Test(q) }
