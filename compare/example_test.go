package compare_test

import (
	"fmt"
	"time"

	"gobench/compare"
	"gobench/record"
)

// launches returns eight launches of ping-pong over TCP with half round trips of about t seconds. A
// launch starts every minute.
func launches(name string, begin time.Time, t float64) *record.File {
	f := &record.File{}
	for i, noise := range []float64{0.99, 1.01, 1, 0.995, 1.02, 1.005, 0.985, 1.015} {
		id := fmt.Sprint(name, i+1)
		f.Runs = append(f.Runs, record.Run{ID: id, Time: begin})
		f.Points = append(f.Points, record.Point{
			Run: id, Launch: i + 1, Time: begin.Add(time.Duration(i) * time.Minute),
			Bench: "pingpong", Transport: "tcp", Level: "device", Size: 8, Ranks: 2,
			Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: noise * t, N: 1000}}),
		})
	}
	return f
}

// Two programs whose launches take turns are compared: the second one is 20 % slower. The unit of
// the comparison is the launch, whatever the number of samples in it.
func Example() {
	begin := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	result, err := compare.Compare([]compare.Source{
		{Name: "old", File: launches("a", begin, 5.0e-6)},
		{Name: "new", File: launches("b", begin.Add(30*time.Second), 6.0e-6)},
	}, compare.Options{Gate: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range result.Rows {
		fmt.Printf("%d B: %.2f times as long, 95 %% CI %.2f to %.2f, %d+%d launches: %s\n",
			row.Cell.Sample.Size, row.Ratio.Median, row.Ratio.Lo, row.Ratio.Hi, row.NA, row.NB, row.Verdict)
	}
	fmt.Println("gate:", result.Gate.Conclusion)
	// Output:
	// 8 B: 1.20 times as long, 95 % CI 1.18 to 1.22, 8+8 launches: slower
	// gate: regression
}
