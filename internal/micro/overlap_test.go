package micro_test

import (
	"testing"

	"gobench/bench"
	"gobench/internal/bench/benchtest"
	"gobench/internal/micro"
)

// On a network that moves messages by itself a rank computes while they are under way: what is not
// hidden is the overhead of its own calls. The computation is as long as the event without it.
func TestOverlapOnANetworkThatMovesMessages(t *testing.T) {
	for _, size := range []int{1, 8000} {
		message := 2*overhead + latency + float64(size)*perByte
		token := 2*overhead + latency + perByte
		for _, c := range []struct {
			b    bench.Benchmark
			time float64 // of an event
			own  float64 // of it, calls of the rank that computes, which the computation does not hide
		}{
			{micro.OverlapSend(), message + token, 2 * overhead},
			{micro.OverlapRecv(), token + message, 2 * overhead},
			{micro.OverlapBoth(), message, 2 * overhead},
		} {
			p := measure(t, c.b, 2, size, 0)
			want(t, p, "t_s", c.time)
			want(t, p, "pure_s", c.time)
			want(t, p, "compute_s", c.time)
			want(t, p, "overlapped_s", c.time+c.own)
			want(t, p, "overlap_ratio", (c.time-c.own)/c.time)
		}
	}
}

// The number of tests during the computation is a factor of the cell.
func TestPollsAreRecorded(t *testing.T) {
	net := &benchtest.Net{Ranks: 2, Latency: 1000, PerByte: 1, Overhead: 100}
	plan := bench.Plan{Run: "test", Level: "raw", Noise: -1, Cases: []bench.Case{{Bench: micro.OverlapSend(), Size: 8, Polls: 3}}}
	var found benchtest.Found
	for rank, err := range benchtest.Run(t.Context(), net.Devices(), plan, &found) {
		if err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
	}
	if len(found.Points) != 1 || found.Points[0].Polls != 3 {
		t.Errorf("%d points, polls %d", len(found.Points), found.Points[0].Polls)
	}
}
