package stats_test

import (
	"fmt"

	"gobench/stats"
)

// The samples of one launch become a summary; the times of the first events are left out.
func Example() {
	recorder := stats.NewRecorder(1 << 16)
	for n := range int64(40) {
		recorder.Add(n*1000, 500+n*7%20) // an event of about 510 ns
	}
	drop, settled := stats.Warmup(recorder.Seconds(nil))
	half := recorder.Summary(drop).Scale(0.5)
	rate := half.Rate(1024)
	fmt.Printf("dropped %d, settled: %v, n=%d, half_rtt %.0f ns, bandwidth %.2f GB/s\n",
		drop, settled, half.N, half.P50*1e9, rate.Median/1e9)
	// Output: dropped 5, settled: true, n=35, half_rtt 255 ns, bandwidth 4.02 GB/s
}

// Two files of results are compared by their medians and intervals alone.
func ExampleRatio() {
	before := stats.Interval{Median: 250e-9, Lo: 248e-9, Hi: 253e-9}
	after := stats.Interval{Median: 200e-9, Lo: 198e-9, Hi: 203e-9}
	r := stats.Ratio(before, after)
	fmt.Printf("%.2f (%.2f to %.2f)\n", r.Median, r.Lo, r.Hi)
	// Output: 0.80 (0.79 to 0.81)
}
