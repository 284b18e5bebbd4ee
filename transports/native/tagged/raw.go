//go:build cgo && (ucx || ofi || mxm)

package tagged

import (
	"gobench/device"
	"gobench/transports/native"
)

// raw is the level raw, with the puts, gets and loops of the library.
type raw struct {
	native.Raw
	d *Device
}

// NewRaw returns the channel of level raw over an open library. It owns the library even if it
// returns an error.
func NewRaw(c Config) (device.Channel, error) {
	d, err := New(c)
	if err != nil {
		return nil, err
	}
	return &raw{native.NewRaw(d), d}, nil
}

// checkPeer returns an error unless the open channel has this peer.
func (c *raw) checkPeer(peer int) error {
	if c.d.closed {
		return device.ErrClosed
	}
	return c.Check("peer", peer, rawTag)
}

const rawTag, rawContext = native.RawTag, native.RawContext
