// Example measures the ping-pong of two processes from a Go program, and prints the median of each
// size with its interval between launches. The ranks execute this program again.
package main

import (
	"context"
	"fmt"
	"os"

	"gobench/experiment"
	"gobench/report"
	_ "gobench/transports/smem"
)

func main() {
	options := experiment.NewP2P()
	options.Transports, options.Sizes, options.File = "smem", "8,64K", "example.jsonl"
	result, err := experiment.Run(context.Background(), options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(experiment.ExitCode(err))
	}
	for _, row := range result.Rows() {
		t := row.Metrics.Get("half_rtt_s")
		fmt.Printf("%s: %.3g us (%.3g to %.3g, %d launches)\n", report.FormatSize(row.Size), 1e6*t.Median, 1e6*t.Lo, 1e6*t.Hi, row.Launches)
	}
}
