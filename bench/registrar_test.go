package bench_test

import (
	"testing"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
	"gobench/internal/micro"
)

// registering is a channel that registers the buffer of each message at its first use.
type registering struct {
	device.Channel
	seen  map[*byte]bool
	count device.Registrations
}

func (c *registering) Registrations() (device.Registrations, bool) { return c.count, true }

func (c *registering) Send(buf []byte, dst int, tag, context int32) error {
	if context == bench.Context && len(buf) > 0 {
		if c.seen[&buf[0]] {
			c.count.Hits++
		} else {
			c.seen[&buf[0]] = true
			c.count.Misses++
			c.count.Pinned += int64(len(buf))
		}
	}
	return c.Channel.Send(buf, dst, tag, context)
}

// Events use the requested number of buffers in turn. The point has the number of messages whose
// buffers were registered already, without those before the samples.
func TestBuffersInTurn(t *testing.T) {
	for _, buffers := range []int{0, 1, 20} {
		net := &benchtest.Net{Ranks: 2, Latency: 1000, Overhead: 100}
		channels := net.Devices()
		first := &registering{Channel: channels[0], seen: map[*byte]bool{}}
		channels[0] = first
		plan := bench.Plan{Run: "test", Level: "device", Noise: -1, Stop: bench.Stop{WarmUp: 1, MaxSamples: 100},
			Cases: []bench.Case{{Bench: micro.PingPong(), Size: 1000, Buffers: buffers}}}
		found := &benchtest.Found{}
		for _, err := range benchtest.Run(t.Context(), channels, plan, found) {
			if err != nil {
				t.Fatal(err)
			}
		}
		p := found.Points[0]
		turn := max(1, buffers)
		if len(first.seen) != turn || p.RegPinned != int64(1000*turn) || p.RegHits == 0 {
			t.Errorf("%d buffers: %d were sent from, the point has %d hits, %d misses, %d B", buffers, len(first.seen), p.RegHits, p.RegMisses, p.RegPinned)
		}
		if want := max(0, buffers); want > 1 && p.Buffers != want || want <= 1 && p.Buffers != 0 {
			t.Errorf("%d buffers: the point has %d", buffers, p.Buffers)
		}
		if total := p.RegHits + p.RegMisses; total < 100 || total > first.count.Hits+first.count.Misses-3 {
			t.Errorf("%d buffers: %d messages count of %d", buffers, total, first.count.Hits+first.count.Misses)
		}
	}
}
