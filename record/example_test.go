package record_test

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"gobench/record"
	"gobench/stats"
)

// A run and its points are written as they are measured, and read back.
func Example() {
	var file bytes.Buffer
	w := record.NewWriter(&file) // record.Open appends to a file
	begin := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	run := &record.Run{
		ID: "example", Time: begin, Command: []string{"gobench", "p2p"},
		Job: record.Job{Launcher: "local", Ranks: 2},
	}
	if err := w.WriteRun(run); err != nil {
		fmt.Println(err)
	}
	half := stats.Launches([]float64{2e-7, 2.1e-7, 1.9e-7, 2e-7, 2.2e-7, 2e-7, 2e-7})
	point := &record.Point{
		Run: run.ID, Time: begin, Bench: "pingpong", Transport: "smem", Level: "device",
		Size: 8, Ranks: 2, RankKind: "process", Amount: 8, Iterations: 7,
		Metrics: record.ValuesOf(map[string]record.Value{
			"half_rtt_s":    record.Times(half, false),
			"bandwidth_Bps": record.Rate(half, 8),
		}),
	}
	if err := w.WritePoint(point); err != nil {
		fmt.Println(err)
	}

	read, err := record.Read(&file)
	if err != nil {
		fmt.Println(err)
	}
	for _, p := range read.Points {
		v := p.Metrics.Get("half_rtt_s")
		fmt.Printf("%s %d B: half_rtt %.0f ns (%.0f to %.0f)\n", p.Bench, p.Size, v.Median*1e9, v.Lo*1e9, v.Hi*1e9)
	}
	// Output: pingpong 8 B: half_rtt 200 ns (185 to 230)
}

// A metric is explained once, for all programs.
func ExampleLookup() {
	m, _ := record.Lookup("half_rtt")
	fmt.Fprintf(os.Stdout, "%s in %s, %s is better: %s\n", m.Key, m.Unit, m.Direction, m.Formula)
	// Output: half_rtt_s in s, lower is better: half_rtt = rtt / 2, per event; median over events
}
