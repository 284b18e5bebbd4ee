package micro_test

import (
	"math"
	"testing"

	"gobench/bench"
	"gobench/internal/bench/benchtest"
	"gobench/internal/micro"
	"gobench/record"
)

// The simulated network of these tests has 100 ns of overhead at each end, a latency of 1 us, and 1
// ns per byte.
const (
	overhead = 100e-9
	latency  = 1000e-9
	perByte  = 1e-9
)

// measure runs one cell on the simulated network.
func measure(t *testing.T, b bench.Benchmark, ranks, size, window int) record.Point {
	t.Helper()
	return measureOn(t, &benchtest.Net{Ranks: ranks, Latency: 1000, PerByte: 1, Overhead: 100}, b, size, window)
}

func measureOn(t *testing.T, net *benchtest.Net, b bench.Benchmark, size, window int) record.Point {
	t.Helper()
	plan := bench.Plan{
		Run: "test", Level: "raw", Noise: -1,
		Cases: []bench.Case{{Bench: b, Size: size, Window: window}},
	}
	var found benchtest.Found
	errs := benchtest.Run(t.Context(), net.Devices(), plan, &found)
	for rank, err := range errs {
		if err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
	}
	if len(found.Points) != 1 {
		t.Fatalf("%d points for one cell", len(found.Points))
	}
	p := found.Points[0]
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	return p
}

// Over a fast transport short messages are timed together, and the results do not depend on the
// cost of the clock.
func TestResultsDoNotDependOnTheClock(t *testing.T) {
	for _, b := range messages() {
		for _, size := range []int{8, 2000, 20_000} {
			alone := measure(t, b, 2, size, 4)
			if alone.Batched != 0 {
				t.Errorf("%s of %d B: batched=%d over a network", b.Name, size, alone.Batched)
			}
			net := &benchtest.Net{Ranks: 2, Latency: 1000, PerByte: 1, Overhead: 100, ClockCost: 35, Quick: true}
			p := measureOn(t, net, b, size, 4)
			batch := map[int]int{8: 16, 2000: 4}[size]
			if b.Window {
				batch = 0
			}
			if p.Batched != batch {
				t.Errorf("%s of %d B: batched=%d, want %d", b.Name, size, p.Batched, batch)
			}
			for metric, v := range alone.Metrics.All() {
				want(t, p, metric, v.Median)
			}
		}
	}
}

func want(t *testing.T, p record.Point, metric string, value float64) {
	t.Helper()
	got, ok := p.Metrics.Lookup(metric)
	if !ok {
		t.Errorf("%s with %d ranks, %d B: no %s", p.Bench, p.Ranks, p.Size, metric)
		return
	}
	if math.Abs(got.Median-value) > 1e-9*value {
		t.Errorf("%s with %d ranks, %d B: %s is %.10g, want %.10g", p.Bench, p.Ranks, p.Size, metric, got.Median, value)
	}
}

func TestPingPongIsHalfARoundTrip(t *testing.T) {
	for _, ranks := range []int{2, 4, 8} {
		for _, size := range []int{0, 1, 8, 1000, 100000} {
			p := measure(t, micro.PingPong(), ranks, size, 0)
			expected := 2*overhead + latency + float64(size)*perByte
			want(t, p, "half_rtt_s", expected)
			if size > 0 {
				want(t, p, "bandwidth_Bps", float64(ranks/2*size)/expected)
			} else if ok := p.Metrics.Has("bandwidth_Bps"); ok {
				t.Error("messages of no bytes have a bandwidth")
			}
		}
	}
}

func TestPingPingCountsOneDirection(t *testing.T) {
	for _, ranks := range []int{2, 6} {
		for _, size := range []int{0, 8, 5000} {
			p := measure(t, micro.PingPing(), ranks, size, 0)
			exchange := 2*overhead + latency + float64(size)*perByte
			want(t, p, "t_s", exchange)
			if size > 0 {
				want(t, p, "bandwidth_Bps", float64(ranks/2*size)/exchange)
			}
		}
	}
}

func TestSendrecvCountsBothDirections(t *testing.T) {
	for _, ranks := range []int{2, 3, 7} {
		p := measure(t, micro.Sendrecv(), ranks, 1000, 0)
		shift := 2*overhead + latency + 1000*perByte
		want(t, p, "t_s", shift)
		want(t, p, "bandwidth_Bps", 2*1000/shift)
	}
}

func TestExchangeCountsFourMessages(t *testing.T) {
	for _, ranks := range []int{3, 4, 7} {
		p := measure(t, micro.Exchange(), ranks, 1000, 0)
		exchange := 3*overhead + latency + 1000*perByte
		want(t, p, "t_s", exchange)
		want(t, p, "bandwidth_Bps", 4*1000/exchange)
	}
	// With two ranks both messages take the same link, one after the other.
	p := measure(t, micro.Exchange(), 2, 1000, 0)
	want(t, p, "t_s", 2*overhead+latency+2*1000*perByte)
}

func TestStreamsCountTheirWindow(t *testing.T) {
	const size = 1000
	for _, test := range []struct {
		bench    bench.Benchmark
		messages int // per pair and window
	}{{micro.Uniband(), 1}, {micro.Biband(), 2}, {micro.MsgRate(), 1}} {
		for _, ranks := range []int{2, 4} {
			for _, window := range []int{1, 4, 64} {
				p := measure(t, test.bench, ranks, size, window)
				// The link is the bottleneck; one byte goes the other way.
				period := 4*overhead + 2*latency + float64(window*size)*perByte + 1*perByte
				n := float64(test.messages * ranks / 2 * window)
				want(t, p, "t_s", period)
				want(t, p, "bandwidth_Bps", n*size/period)
				want(t, p, "message_rate_per_s", n/period)
				if p.Window != window {
					t.Errorf("window %d is recorded as %d", window, p.Window)
				}
			}
		}
	}
	for _, b := range []bench.Benchmark{micro.FanIn(), micro.FanOut()} {
		want(t, measure(t, b, 2, size, 4), "t_s", 4*overhead+2*latency+4*size*perByte+perByte)
		p := measure(t, b, 5, size, 4)
		want(t, p, "bandwidth_Bps", 4*4*size/p.Metrics.Median("t_s"))
	}
	if p := measure(t, micro.Uniband(), 2, 8, 0); p.Window != bench.DefaultWindow {
		t.Errorf("the default window is recorded as %d", p.Window)
	}
}
