package pairwise

import (
	"math"
	"testing"
	"time"

	"gobench/device"
	"gobench/internal/launch/host"
	"gobench/pairs"
)

func TestCoreNearTheNIC(t *testing.T) {
	number := func(n int64) *int64 { return &n }
	f := host.Facts{
		NUMA: []host.Node{{ID: 0, Cores: "0-3"}, {ID: 1, Cores: "4-7"}},
		NICs: []host.NIC{{Name: "eth0", Node: number(0), Rate: number(1e9)}, {Name: "ib0", Node: number(1), Rate: number(2e11)}, {Name: "lo"}},
	}
	for _, c := range []struct {
		allowed []int
		want    int
	}{{[]int{0, 1, 4, 5, 6}, 6}, {[]int{0, 1}, -1}} {
		if got := coreNear(f, c.allowed); got != c.want {
			t.Errorf("cores %v: %d, want %d", c.allowed, got, c.want)
		}
	}
	if got := coreNear(host.Facts{NUMA: f.NUMA, NICs: f.NICs[2:]}, []int{0, 4}); got != -1 {
		t.Errorf("without a NIC with a node: %d", got)
	}
}

// The first bursts, which buffers take, are short and do not count.
func TestUsualRate(t *testing.T) {
	if got := usualRate([]burst{{1e10, 1}, {1e9, 4}, {1.1e9, 16}, {0.9e9, 16}}); got != 1e9 {
		t.Errorf("%v, want 1e9", got)
	}
	if got := usualRate(nil); got != 0 {
		t.Errorf("no burst: %v", got)
	}
}

func TestSummary(t *testing.T) {
	s := summary([]float64{3, 1, 2, 10})
	if s.Median != 2.5 || s.Min != 1 || s.Max != 10 || s.N != 4 || math.Abs(s.Mean-4) > 1e-9 {
		t.Errorf("%+v", s)
	}
}

// An echo is a channel to a peer that answers after a time.
type echo struct {
	device.Channel
	clock  time.Time
	answer func(n int) time.Duration // to message n
	got    int
}

func (e *echo) Send([]byte, int, int32, int32) error { return nil }
func (e *echo) Recv([]byte, int, int32, int32) (device.Status, error) {
	e.clock = e.clock.Add(e.answer(e.got))
	e.got++
	return device.Status{}, nil
}

// now advances the clock by each reading, so that a wait ends.
func (e *echo) now() time.Time {
	e.clock = e.clock.Add(20 * time.Nanosecond)
	return e.clock
}

// Times count from the intended start: an answer that is late makes the messages after it late, and
// those that are not sent any more count, too.
func TestIntendedStarts(t *testing.T) {
	const interval, quick, late = 100 * time.Microsecond, 10 * time.Microsecond, 550 * time.Microsecond
	for _, c := range []struct {
		stall time.Duration // of message 3
		want  []float64     // microseconds, of messages 2 and on
		sent  int
	}{
		{quick, []float64{5, 5, 5, 5}, 60},
		// Message 4 is due 100 us after message 3 and begins 550 us after it.
		{late, []float64{5, 275, 230, 185, 140, 95, 50, 5, 5}, 60},
		{time.Second, []float64{5, 500_000, 499_955}, 5}, // the second exceeds ten times the planned time
	} {
		e := &echo{clock: time.Unix(1, 0), answer: func(n int) time.Duration {
			if n == warmUps+3 {
				return c.stall
			}
			return quick
		}}
		s := session{ch: e, first: true, smallTime: 6 * time.Millisecond, interval: interval, now: e.now}
		if err := s.pingPong(); err != nil || len(s.trips) != 60 || e.got != warmUps+c.sent {
			t.Errorf("stall %v: %d times, %d messages, %v", c.stall, len(s.trips), e.got-warmUps, err)
			continue
		}
		for i, want := range c.want {
			if got := s.trips[2+i] * 1e6; math.Abs(got-want) > 0.5 {
				t.Errorf("stall %v, message %d: %.1f us, want %.1f", c.stall, 2+i, got, want)
			}
		}
		if last := s.trips[59] * 1e6; c.stall == time.Second && math.Abs(last-(1e6+310-5900)/2) > 10 {
			t.Errorf("a message that was not sent has taken %.1f us", last)
		}
	}
}

func TestInterval(t *testing.T) {
	for mean, want := range map[float64]time.Duration{1e-6: 100 * time.Microsecond, 30e-6: 500 * time.Microsecond, 1e-3: 10 * time.Millisecond} {
		if got := max(intervalFor([]pairs.Sample{{}, {HalfRTT: pairs.Times{Mean: mean}}}), intervalFor([]pairs.Sample{{Allreduce: pairs.Times{Mean: 2 * mean}}})); got != want {
			t.Errorf("%v s: %v, want %v", mean, got, want)
		}
	}
}
