package micro_test

import (
	"math"
	"testing"

	"gobench/bench"
	"gobench/bench/benchtest"
	"gobench/bench/record"
	"gobench/micro"
)

// The simulated network of these tests: 100 ns of overhead at each end, 1 us on
// the way, 1 ns per byte of link.
const (
	overhead = 100e-9
	latency  = 1000e-9
	perByte  = 1e-9
)

// measure runs one cell on the simulated network.
func measure(t *testing.T, b bench.Benchmark, ranks, size, window int) record.Point {
	t.Helper()
	net := &benchtest.Net{Ranks: ranks, Latency: 1000, PerByte: 1, Overhead: 100}
	plan := bench.Plan{
		Run: "test", Level: "raw", Noise: -1,
		Cells: []bench.Cell{{Bench: b, Size: size, Window: window}},
		Stop:  bench.Stop{MinTime: -1},
	}
	errs, found := benchtest.RunNet(t.Context(), net, plan)
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
	if p.Batched != 0 {
		t.Errorf("a clock that costs nothing needs no batches, got batched=%d", p.Batched)
	}
	return p
}

func want(t *testing.T, p record.Point, metric string, value float64) {
	t.Helper()
	got, ok := p.Metrics[metric]
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
			oneWay := 2*overhead + latency + float64(size)*perByte
			want(t, p, "half_rtt_s", oneWay)
			if size > 0 {
				want(t, p, "bandwidth_Bps", float64(ranks/2*size)/oneWay)
			} else if _, ok := p.Metrics["bandwidth_Bps"]; ok {
				t.Error("messages of no bytes have a bandwidth")
			}
		}
	}
}
