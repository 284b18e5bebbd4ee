package clock

import "time"

// A Net provides the clocks and the messages of a group of ranks. Messages between two ranks arrive
// in order.
type Net interface {
	Rank() int
	Size() int
	Now() int64 // this rank's own clock, ns; it may differ from the others' in offset and rate
	Send(to int, word int64) error
	Recv(from int) (int64, error)
}

// An Effort states how thoroughly two clocks are compared.
type Effort struct {
	Points    int           // offsets measured, at least 2
	Exchanges int           // pings per offset, of which the shortest counts
	Window    time.Duration // from the first offset to the last: the longer, the better the rate is known
	// Limit is the time for all pings. Where they are slow, offsets have fewer of them, at least
	// one.
	Limit time.Duration
}

// DefaultEffort takes about 50 ms for each doubling of the number of ranks, and 250 ms to 500 ms
// where a ping takes several milliseconds, as between ranks that share a core with others.
var DefaultEffort = Effort{Points: 50, Exchanges: 20, Window: 50 * time.Millisecond, Limit: 250 * time.Millisecond}
