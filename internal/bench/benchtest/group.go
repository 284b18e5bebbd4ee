package benchtest

import "gobench/device"

// Group implements bench.Grouper for groups of neighbours of equal size, with the rank as key.
func (c *Channel) Group(color, key int) (device.Channel, error) {
	first := c.rank - key
	return &group{Channel: c, first: first, size: c.net.Ranks / c.net.Groups}, nil
}

// group is a rank's view of its group.
type group struct {
	*Channel
	first, size int
}

func (g *group) Rank() int { return g.rank - g.first }
func (g *group) Size() int { return g.size }

func (g *group) Send(buf []byte, dst int, tag, context int32) error {
	return g.Channel.Send(buf, dst+g.first, tag, context)
}

func (g *group) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	s, err := g.Channel.Recv(buf, src+g.first, tag, context)
	s.Source -= g.first
	return s, err
}

func (g *group) Close() error { return nil }
