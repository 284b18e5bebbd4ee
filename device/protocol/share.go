package protocol

import "gobench/device"

// Progress implements the part of device.Sharer that every Device has: a rank that polls shared
// memory calls it after unsuccessful polls.
func (d *Device) Progress(w *device.WaitState, context int32, peer int) error {
	if d.closed {
		return device.ErrClosed
	}
	d.step(w, device.AnySource)
	if err := d.breach(context); err != nil {
		return err
	}
	if peer >= 0 && d.peers[peer].lost != nil {
		return d.peers[peer].lost
	}
	return nil
}

// Crowded reports whether ranks give the processor up rather than spin while they wait,
// because there are more of them than processors.
func (d *Device) Crowded() bool { return d.patience.crowded }

// Exporter is the optional ability of a wire whose ranks can map each other's memory.
// The methods are those of device.Sharer.
type Exporter interface {
	Export(mem []byte) (name []byte, err error)
	Import(peer int, name []byte) ([]byte, error)
}

// Sharing is a Device that is a device.Sharer, because its wire is an Exporter.
type Sharing struct {
	*Device
	exporter Exporter
}

var _ device.Sharer = Sharing{}

// Share returns the device of a wire that is an Exporter. A transport embeds it in place of
// the Device.
func Share(d *Device, wire Exporter) Sharing { return Sharing{d, wire} }

// Export names memory that Alloc returned (device.Sharer).
func (s Sharing) Export(mem []byte) ([]byte, error) {
	if s.closed {
		return nil, device.ErrClosed
	}
	return s.exporter.Export(mem)
}

// Import maps memory of a peer (device.Sharer).
func (s Sharing) Import(peer int, name []byte) ([]byte, error) {
	switch {
	case s.closed:
		return nil, device.ErrClosed
	case uint(peer) >= uint(s.size):
		return nil, &device.ArgumentError{Name: "peer", Value: peer, Want: s.ranks()}
	case s.peers[peer].lost != nil:
		return nil, s.peers[peer].lost
	}
	return s.exporter.Import(peer, name)
}
