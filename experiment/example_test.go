package experiment_test

import (
	"context"
	"fmt"

	"gobench/bench"
	"gobench/experiment"
	"gobench/record"
	_ "gobench/transports/smem"
)

// The ranks are goroutines of this program. Package example is a program whose ranks are processes.
func ExampleRun() {
	options := experiment.NewP2P()
	options.Transports, options.Sizes, options.RankKind = "smem", "8", "goroutine"
	options.Launches, options.File = 1, "/dev/null"
	result, err := experiment.Run(context.Background(), options)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range result.Rows() {
		fmt.Println(row.Bench, row.Transport, row.Size, "measured:", row.Metrics.Median("half_rtt_s") > 0)
		break
	}
	// Output: pingpong smem 8 measured: true
}

// A printer is a Sink that prints the name of each result as it arrives.
type printer struct{ left int }

func (p *printer) Run(r record.Run) error {
	fmt.Println("a run of", r.Job.Ranks, "ranks")
	return nil
}

func (p *printer) Point(one record.Point) error {
	if p.left--; p.left >= 0 { // cores that change their state give further points
		fmt.Println(one.Bench, one.Size, "in launch", one.Launch)
	}
	return nil
}

func (p *printer) Event(bench.Event) error { return nil }

// A Sink gets the results as they are measured.
func ExampleSink() {
	options := experiment.NewP2P()
	options.Transports, options.Sizes, options.RankKind = "smem", "8", "goroutine"
	options.Launches, options.File = 1, "/dev/null"
	if _, err := experiment.RunTo(context.Background(), options, &printer{left: 1}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// a run of 2 ranks
	// pingpong 8 in launch 1
}
