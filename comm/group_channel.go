package comm

import "gobench/device"

// Group divides the ranks of a channel: those with the same color have a channel of their
// own in the order of key, over a communicator of theirs (Split). It is collective. The
// part has context 0 alone, and closing it leaves the whole open.
func (ch *channel) Group(color, key int) (device.Channel, error) {
	c, err := ch.comms[0].Split(color, key)
	if err != nil {
		return nil, err
	}
	return &groupChannel{&channel{[2]*Comm{c, c}}}, nil
}

type groupChannel struct{ *channel }

// Close closes the communicator, not the device.
func (g *groupChannel) Close() error { return g.comms[0].Close() }
