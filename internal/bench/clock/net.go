package clock

import "time"

// A Net is one rank's access to its clock and to messages of a group of ranks. Messages between two
// ranks arrive in order.
type Net interface {
	Rank() int
	Size() int
	Now() int64 // this rank's own clock, ns; it may differ from the others' in offset and rate
	Send(to int, word int64) error
	Recv(from int) (int64, error)
}

// An Effort holds the numbers of measurements for the comparison of two clocks.
type Effort struct {
	Points    int           // offsets measured, at least 2
	Exchanges int           // pings per offset; the shortest counts
	Window    time.Duration // from the first offset to the last; a longer one gives a more precise rate
	// Limit is the time for all pings. If they are slow, there are fewer pings per offset, at least
	// one.
	Limit time.Duration
}

// DefaultEffort takes about 50 ms for each doubling of the number of ranks, or 250 ms to 500 ms if
// a ping takes several milliseconds, as between ranks that share a core with others.
var DefaultEffort = Effort{Points: 50, Exchanges: 20, Window: 50 * time.Millisecond, Limit: 250 * time.Millisecond}
