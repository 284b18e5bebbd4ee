// Package benchtest simulates a network with its own clock, for tests of the runner and of
// benchmarks. All times are deterministic, so tests can compare them exactly.
package benchtest

import (
	"sync"

	"gobench/device"
	"gobench/internal/bench/clock"
)

// A Net is a network of Ranks ranks in the LogGP model. Times are in ns.
//
// Every rank has its own clock, which advances only when it sends, receives or reads the clock:
// sending takes Overhead; a message arrives Latency + size x PerByte after the link to its
// destination is free; the link is busy for size x PerByte; receiving ends Overhead after arrival.
// Reading the clock takes ClockCost.
type Net struct {
	Ranks     int
	Groups    int // number of groups of Channel.Group
	Latency   int64
	PerByte   int64
	Overhead  int64
	ClockCost int64
	// Clocks, if not nil, maps a time of the network to the clock of a rank. Otherwise all ranks
	// have one clock.
	Clocks     func(rank int, t int64) int64
	CostError  int64 // reported error of ClockCost
	Resolution int64 // readings are multiples of it; 0 = 1 ns

	// Quick is device.Info.Quick: several short events are timed together.
	Quick bool

	// Delay, if not nil, is added to the latency of message i (from 0) on the link
	// from src to dst.
	Delay func(src, dst int, i int64) int64
	// Late, if not nil, is added to the latency of every message, by its size. Calls do not
	// overlap.
	Late func(src, dst, size int) int64
	// Distances, if not nil, returns the result of the i-th call (from 0) of CoreLatency of a rank,
	// in seconds. If both Distances and Between are nil, the ranks share no memory and distances
	// are 0.
	Distances func(i int) float64
	// Between, if not nil, returns the result of CoreLatency for any two ranks instead of
	// Distances.
	Between func(rank, peer int) float64
	// Spoil, if not nil, may change the data of a message in flight.
	Spoil func(src, dst int, i int64, data []byte)

	mu     sync.Mutex
	moved  sync.Cond
	queues [][]queue // [src][dst]
	gone   []bool
}

// queue holds messages in flight from one rank to another.
type queue struct {
	messages []message
	first    int   // index of the oldest
	free     int64 // when the link is free
	count    int64 // messages so far
}

type message struct {
	data         []byte
	arrival      int64
	tag, context int32
}

// Channels opens the network: one channel per rank.
func (n *Net) Channels() []*Channel {
	n.moved.L = &n.mu
	n.queues = make([][]queue, n.Ranks)
	n.gone = make([]bool, n.Ranks)
	all := make([]*Channel, n.Ranks)
	for i := range all {
		n.queues[i] = make([]queue, n.Ranks)
		all[i] = &Channel{net: n, rank: i, posted: make([][]device.Request, n.Ranks)}
	}
	return all
}

// put copies a message into the queue. It allocates only while the queue grows.
func (n *Net) put(src, dst int, data []byte, tag, context int32, now int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := &n.queues[src][dst]
	busy := int64(len(data)) * n.PerByte
	q.free = max(q.free, now) + busy
	m := q.slot()
	m.data = append(m.data[:0], data...)
	m.arrival, m.tag, m.context = q.free+n.Latency, tag, context
	if n.Delay != nil {
		m.arrival += n.Delay(src, dst, q.count)
	}
	if n.Late != nil {
		m.arrival += n.Late(src, dst, len(data))
	}
	if n.Spoil != nil {
		n.Spoil(src, dst, q.count, m.data)
	}
	q.count++
	n.moved.Broadcast()
}

// slot returns the slot of a new message. It reuses the memory of old messages.
func (q *queue) slot() *message {
	if q.first > 0 && q.first == len(q.messages) {
		q.messages, q.first = q.messages[:0], 0
	}
	if len(q.messages) < cap(q.messages) {
		q.messages = q.messages[:len(q.messages)+1]
	} else {
		q.messages = append(q.messages, message{})
	}
	return &q.messages[len(q.messages)-1]
}

// take waits for the oldest message and copies it into buf.
func (n *Net) take(src, dst int, buf []byte, tag, context int32) (size int, arrival int64, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := &n.queues[src][dst]
	for q.first == len(q.messages) {
		if n.gone[src] {
			return 0, 0, &device.PeerError{Rank: src, Cause: "it has closed its channel"}
		}
		n.moved.Wait()
	}
	m := &q.messages[q.first]
	q.first++
	if m.tag != tag || m.context != context {
		return 0, 0, &device.ProtocolError{Rank: src, Detail: "the next message has another tag or context than the receive: messages must match in order"}
	}
	copy(buf, m.data)
	if len(m.data) > len(buf) {
		return len(buf), m.arrival, &device.TruncationError{Source: src, Tag: tag, Size: len(m.data), Room: len(buf)}
	}
	return len(m.data), m.arrival, nil
}

// Lose simulates the failure of a rank: after its messages in flight, receives from it return a
// *device.PeerError.
func (n *Net) Lose(rank int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.gone[rank] = true
	n.moved.Broadcast()
}

func (n *Net) timer() clock.Timer {
	return clock.Timer{
		Resolution: float64(max(1, n.Resolution)) / 1e9,
		Cost:       float64(n.ClockCost) / 1e9,
		CostError:  float64(n.CostError) / 1e9,
		Source:     "simulated",
	}
}
