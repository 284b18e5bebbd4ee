package report_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"time"

	"gobench/record"
	"gobench/report"
)

// The rows of a table as CSV, whose columns have the names of the fields of records.
func ExampleWriteCSV() {
	rows := []record.Point{{
		Run: "example", Time: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), Bench: "pingpong", Transport: "smem", Level: "device", Size: 65536, Ranks: 2, RankKind: "process",
		Iterations: 800, Launches: 8, Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 4e-6, Lo: 3.8e-6, Hi: 4.1e-6, Confidence: 0.95, N: 8}}),
	}}
	var out bytes.Buffer
	if err := report.WriteCSV(&out, rows); err != nil {
		fmt.Println(err)
		return
	}
	table, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, column := range []string{"bench", "size_B", "half_rtt_s_median"} {
		fmt.Println(column, table[1][slices.Index(table[0], column)])
	}
	fmt.Println(report.FormatSize(rows[0].Size))
	// Output:
	// bench pingpong
	// size_B 65536
	// half_rtt_s_median 0.000004
	// 64 KiB
}
