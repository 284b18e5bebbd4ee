package comm

import "gobench/device"

// Group divides the ranks of a channel, collectively: those with the same color get a channel over
// a communicator of their own, ordered by key (Split). It carries only context 0. Closing it
// leaves the device open. A rank with a negative color gets nil.
func (ch *channel) Group(color, key int) (device.Channel, error) {
	c, err := ch.comms[0].Split(color, key)
	if err != nil || c == nil {
		return nil, err
	}
	return &groupChannel{&channel{comms: [2]*Comm{c}}}, nil
}

type groupChannel struct{ *channel }

// Close closes the communicator, not the device.
func (g *groupChannel) Close() error { return g.comms[0].Close() }
